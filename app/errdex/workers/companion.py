"""A process that calls functions for this one, one after the other.

It is started as a fresh interpreter, keeps what it has loaded between calls, ends by itself
when this process ends however that happens (it reads to the end of a pipe whose other end
only this process has), writes no core dump and says nothing on the standard streams, since
what it works on may be private. A call can be cancelled: see `cancellation`. One that does not
end by itself is ended with its process.
"""

from __future__ import annotations

import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, BinaryIO, TypeVar, TypeVarTuple, cast

from errdex.workers.cancellation import cancelled_by

R = TypeVar("R")
Args = TypeVarTuple("Args")
_HEAD = struct.Struct("!cIQ")
"""What it is, the number of the call, and how many bytes follow."""
_CALL, _CANCEL, _DONE, _RAISED = b"C", b"X", b"D", b"R"
CANCEL_SECONDS = 1.0
"""How long a cancelled call may take to end by itself."""


class CompanionEnded(Exception):
    """The process ended before its answer came."""


class CompanionTimeout(Exception):
    """The process was ended, since its answer took too long."""


class Companion:
    """One such process. `call` from one thread at a time; `cancel` and `end` from any."""

    def __init__(self) -> None:
        self._number = 0
        self._calling = False
        self._late = False
        self._sending = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "errdex.workers.companion"],  # -P: see import_path
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            process_group=None if sys.platform == "win32" else 0,  # Ctrl-C is not for it
        )

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it can be called."""
        return self._process.poll() is None

    def call(
        self, function: Callable[[*Args], R], *arguments: *Args, seconds: float | None = None
    ) -> R:
        """What the function returns there; raises what it raises, CompanionEnded, and
        CompanionTimeout after so many seconds."""
        self._number += 1
        self._calling, self._late = True, False
        payload = pickle.dumps((function, arguments), pickle.HIGHEST_PROTOCOL)
        timer = threading.Timer(seconds, self._give_up) if seconds is not None else None
        if timer is not None:
            timer.daemon = True
            timer.start()
        try:
            with self._sending:
                _send(self._stdin, _CALL, self._number, payload)
            kind, _, answer = _receive(self._stdout)
        except (EOFError, OSError) as error:
            self.end()
            raise (CompanionTimeout if self._late else CompanionEnded) from error
        finally:
            self._calling = False
            if timer is not None:
                timer.cancel()
        value = pickle.loads(answer)  # noqa: S301 (of our own process)
        if kind == _RAISED:
            raise value
        return cast(R, value)

    def cancel(self) -> None:
        """Have the present call end soon, with whatever it has by then, or CompanionEnded."""
        number = self._number
        if not self._calling:
            return
        if not self._sending.acquire(blocking=False):  # it is still being sent
            self.end()
            return
        try:
            with suppress(OSError):
                _send(self._stdin, _CANCEL, number, b"")
        finally:
            self._sending.release()
        timer = threading.Timer(CANCEL_SECONDS, partial(self._end_call, number))
        timer.daemon = True
        timer.start()

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it, once nothing is called any more."""
        self.end()
        for stream in (self._stdin, self._stdout):
            with suppress(OSError):
                stream.close()

    def _give_up(self) -> None:
        self._late = True
        self._process.kill()

    def _end_call(self, number: int) -> None:
        if self._calling and self._number == number:
            self._process.kill()

    @property
    def _stdin(self) -> BinaryIO:
        return cast(BinaryIO, self._process.stdin)

    @property
    def _stdout(self) -> BinaryIO:
        return cast(BinaryIO, self._process.stdout)


def _send(stream: BinaryIO, kind: bytes, number: int, payload: bytes) -> None:
    stream.write(_HEAD.pack(kind, number, len(payload)))
    stream.write(payload)
    stream.flush()


def _receive(stream: BinaryIO) -> tuple[bytes, int, bytes]:
    kind, number, size = _HEAD.unpack(_exactly(stream, _HEAD.size))
    return kind, number, _exactly(stream, size)


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def forbid_core_dumps() -> None:
    """Have the system write none of this process, where it would: its memory holds pastes."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (0, hard))


class _Serving:
    """The other side: a thread that reads, and the main thread, which does what is asked."""

    def __init__(self) -> None:
        # What is written by mistake, by a library or a crash, must not get among the answers.
        self._calls = os.fdopen(os.dup(0), "rb")
        self._answers = os.fdopen(os.dup(1), "wb")
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        self._asked: queue.SimpleQueue[tuple[int, bytes]] = queue.SimpleQueue()
        self._cancelled = 0

    def run(self) -> None:
        threading.Thread(target=self._read, name="calls", daemon=True).start()
        while True:
            number, payload = self._asked.get()
            kind, answer = self._answer(number, payload)
            try:
                _send(self._answers, kind, number, answer)
            except OSError:
                return

    def _read(self) -> None:
        try:
            while True:
                kind, number, payload = _receive(self._calls)
                if kind == _CALL:
                    self._asked.put((number, payload))
                else:
                    self._cancelled = number
        except (EOFError, OSError):
            os._exit(0)  # whoever asked has ended

    def _answer(self, number: int, payload: bytes) -> tuple[bytes, bytes]:
        try:
            function, arguments = pickle.loads(payload)  # noqa: S301 (of our own process)
            with cancelled_by(lambda: self._cancelled >= number):
                value: Any = function(*arguments)
            return _DONE, pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # noqa: BLE001 (raised where it was called)
            try:
                return _RAISED, pickle.dumps(error, pickle.HIGHEST_PROTOCOL)
            except Exception:  # noqa: BLE001 (it holds what cannot be pickled)
                return _RAISED, pickle.dumps(RuntimeError(type(error).__name__))


def main() -> None:
    """Serve the process that started this one."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    forbid_core_dumps()
    _Serving().run()


if __name__ == "__main__":
    main()
