"""An answer as JSON: whole, or as one line of several."""

from __future__ import annotations

import orjson

from errdex.formats.answer import PasteAnswer, to_wire
from errdex.formats.options import WriteOptions


def write_json(answer: PasteAnswer, options: WriteOptions) -> bytes:
    """The answer as a JSON object. An answer in a stream is one line, with its labels first."""
    flags = orjson.OPT_INDENT_2 if options.indent and not options.streamed else 0
    if options.indent or options.streamed:
        flags |= orjson.OPT_APPEND_NEWLINE
    return orjson.dumps({**options.labels, **to_wire(answer)}, option=flags)
