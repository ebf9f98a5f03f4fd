"""Pastes to try with one click: real output of failing programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from errdex.web.match.contexts import Example

PASTES: Mapping[str, tuple[str, str]] = {
    "python": (
        "A Python traceback",
        """2026-11-29 09:14:02,118 INFO  worker started
2026-11-29 09:14:02,121 ERROR job 7 failed
Traceback (most recent call last):
  File "/srv/app/jobs.py", line 31, in run
    import requestz
ModuleNotFoundError: No module named 'requestz'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/app/worker.py", line 58, in work
    job.run()
  File "/srv/app/jobs.py", line 33, in run
    raise RuntimeError("job 7 failed, see above") from error
RuntimeError: job 7 failed, see above
""",
    ),
    "node": (
        "A Node.js server",
        """> shop@1.4.0 start
> node server.js

node:events:497
      throw er; // Unhandled 'error' event
      ^

Error: listen EADDRINUSE: address already in use :::3000
    at Server.setupListenHandle [as _listen2] (node:net:1940:16)
    at listenInCluster (node:net:1997:12)
    at Server.listen (node:net:2102:7)
    at Object.<anonymous> (/srv/shop/server.js:22:8)
Emitted 'error' event on Server instance at:
    at emitErrorNT (node:net:1976:8) {
  code: 'EADDRINUSE',
  errno: -98,
  syscall: 'listen',
  address: '::',
  port: 3000
}

Node.js v22.11.0
npm error Lifecycle script `start` failed with error:
npm error code 1
""",
    ),
    "rust": (
        "A Rust compiler error",
        """   Compiling greeter v0.1.0 (/home/dev/greeter)
error[E0382]: borrow of moved value: `name`
 --> src/main.rs:5:22
  |
3 |     let name = String::from("Ada");
  |         ---- move occurs because `name` has type `String`, which does not implement the `Copy` trait
4 |     greet(name);
  |           ---- value moved here
5 |     println!("{}", name);
  |                    ^^^^ value borrowed here after move

For more information about this error, try `rustc --explain E0382`.
error: could not compile `greeter` (bin "greeter") due to 1 previous error
""",  # noqa: E501 (as the compiler writes it)
    ),
}
EXAMPLES: Sequence[Example] = [Example(name, title) for name, (title, _) in PASTES.items()]
