"""An answer as JSON: whole, as one line of several, or a line for each error."""

from __future__ import annotations

from typing import Any

import orjson

from errdex.formats.answer import PasteAnswer, to_wire
from errdex.formats.ci.build_commands import disarm_json
from errdex.formats.options import WriteOptions


def write_json(answer: PasteAnswer, options: WriteOptions) -> bytes:
    """The answer as a JSON object. An answer in a stream is one line, with its labels first."""
    flags = orjson.OPT_INDENT_2 if options.indent and not options.streamed else 0
    if options.indent or options.streamed:
        flags |= orjson.OPT_APPEND_NEWLINE
    return disarm_json(orjson.dumps({**options.labels, **_wire_of(answer, options)}, option=flags))


def write_ndjson(answer: PasteAnswer, options: WriteOptions) -> bytes:
    """A line for each error, in reading order: the error with the version of the data, its index
    and the labels of the answer."""
    wire = _wire_of(answer, options)
    lines = (
        orjson.dumps(
            {
                **options.labels,
                "datasetVersion": answer.dataset_version,
                "index": index,
                **wire["events"][index],
            },
            option=orjson.OPT_APPEND_NEWLINE,
        )
        for index in answer.reading_order
    )
    return disarm_json(b"".join(lines))


def _wire_of(answer: PasteAnswer, options: WriteOptions) -> dict[str, Any]:
    wire = to_wire(answer)
    if options.fields is not None:
        wire["events"] = [options.fields.of_error(event) for event in wire["events"]]
    return wire


def write_data(document: object) -> bytes:
    """A document of another format that is JSON, indented for people."""
    flags = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    return disarm_json(orjson.dumps(document, option=flags))
