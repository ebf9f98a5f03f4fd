"""Errors as programs print them, made from harvested records: the holes of the message filled
with plausible values, in a traceback whose last frame is where the record says.
"""

from __future__ import annotations

import random
import traceback
from typing import Any

from errdex.records.messages.holes import Hole, parse_message

VALUES = (
    "42", "7", "0", "-1", "3.14", "1024", "None", "True", "'name'", "'utf-8'", "alpha", "user_id",
    "/srv/data/input.csv", "[1, 2, 3]", "{'a': 1}", "(3, 4)", "int", "float64", "<class 'str'>",
    "some_value", "example.org", "2026-11-29", "x", "config.yaml", "my-package", "default",
)  # fmt: skip


def printed_message(record: dict[str, Any], chance: random.Random) -> str:
    """The message with its holes filled."""
    said = []
    for part in parse_message(record["errorMessage"]):
        if not isinstance(part, Hole):
            said.append(part.text)
        elif part.digits or r"\d+" in record["messagePattern"]:
            said.append(part.lead + str(chance.randint(0, 5000)))
        else:
            said.append(part.lead + chance.choice(VALUES))
    return "".join(said)


def printed_error(record: dict[str, Any], chance: random.Random, *, frames: bool = True) -> str:
    """What Python prints when the error is not caught. Really raised and really formatted,
    with the frame of the record; without `frames` only the last lines."""
    name = record.get("errorClass") or "Exception"
    error_class = type(name, (Exception,), {"__module__": _module(record)})
    error = error_class(printed_message(record, chance))
    lines = traceback.format_exception_only(error)
    if not frames:
        return "".join(lines)
    path = record["filePath"]
    function = record.get("function", "<module>").rpartition(".")[2]
    raising = record["sourceCode"].split("\n")[record["lineNumber"] - record["sourceCodeStart"]]
    return "".join(
        [
            "Traceback (most recent call last):\n",
            '  File "/srv/app/main.py", line 12, in <module>\n    main()\n',
            f'  File "/usr/lib/python3/site-packages/{path.removeprefix("Lib/")}", '
            f"line {record['lineNumber']}, in {function}\n",
            f"    {raising.strip()}\n",
            *lines,
        ]
    )


def _module(record: dict[str, Any]) -> str:
    """Classes of Python itself are printed bare."""
    import builtins

    if hasattr(builtins, record.get("errorClass") or "Exception"):
        return "builtins"
    return record["filePath"].removeprefix("Lib/").removesuffix(".py").replace("/", ".")
