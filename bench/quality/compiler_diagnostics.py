"""Real diagnostics of the TypeScript compiler, in the forms in which they are shown and passed on,
matched against the compiler's own templates.

`diagnostics.cjs` makes them with the package `typescript`; nothing of it is kept.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.quality.cases import Root
from bench.quality.knowledge_base import KnowledgeBase, accepted

VERSION = "5.9"
"""Of the package that is installed: the last one whose compiler is a JavaScript library."""
MOST_PER_CODE = 8
_SCRIPT = Path(__file__).with_name("diagnostics.cjs")
_HOLE = re.compile(r"\{(\d)\}")

Diagnostic = dict[str, Any]


def score_diagnostics(package: Path, failures: list[str]) -> list[str]:
    """The share of diagnostics of each form whose template comes first, as lines of a table.
    Raises OSError and CalledProcessError when Node.js or the package cannot be run."""
    made = _make(package)
    records = accepted(_record(each) for each in made["templates"])
    base = KnowledgeBase(records)
    known = {record.error_message for record in records}
    found = [each for each in made["diagnostics"] if _templates(made, each["code"]) & known]
    codes = len({each["code"] for each in found})
    lines = [
        f"TypeScript {made['version']}: {len(records)} templates, {len(found)} diagnostics "
        f"of {codes} codes",
        f"{'form':<22}{'right':>7}{'other':>7}{'none':>7}{'right %':>9}",
    ]
    for form, write in FORMS.items():
        counts: Counter[str] = Counter()
        for number, each in enumerate(found):
            paste = write(each, number)
            kind, got = _judge(base, paste, _templates(made, each["code"]))
            counts[kind] += 1
            if kind != "right":
                failures.append(f"typescript {form} TS{each['code']}: {kind}: {got!r}\n{paste}\n")
        share = 100 * counts["right"] / max(1, len(found))
        figures = "".join(f"{counts[kind]:>7}" for kind in ("right", "other", "none"))
        lines.append(f"{form:<22}{figures}{share:>9.1f}")
    return lines


def install(folder: Path) -> Path:
    """Install the package into a folder. Raises OSError and CalledProcessError without npm."""
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", f"typescript@{VERSION}"]
    (folder / "package.json").write_text("{}")
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "node_modules" / "typescript"


def _make(package: Path) -> dict[str, Any]:
    command = ["node", str(_SCRIPT), str(package), str(MOST_PER_CODE)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    made: dict[str, Any] = json.loads(ran.stdout)
    return made


def _record(template: dict[str, Any]) -> dict[str, Any]:
    return {
        "repo": "microsoft/TypeScript",
        "errorMessage": _message(template),
        "errorCode": f"TS{template['code']}",
        "language": "typescript",
    }


def _message(template: dict[str, Any]) -> str:
    return _HOLE.sub(r"{x\1}", template["message"])


def _templates(made: dict[str, Any], code: int) -> set[str]:
    return {_message(each) for each in made["templates"] if each["code"] == code}


def _judge(base: KnowledgeBase, paste: str, wanted: set[str]) -> tuple[str, str | None]:
    event = Root(base.match(paste)).event
    if event is None or not event.matches:
        return "none", event.event.message[:200] if event else None
    best = [each for each in event.matches if each.group == event.matches[0].group]
    right = any(each.record.error_message in wanted for each in best)
    return "right" if right else "other", best[0].record.error_message


def _plain(each: Diagnostic, number: int) -> str:
    place = f"{each['file']}({each['line']},{each['column']})"
    return f"{place}: error TS{each['code']}: {each['message']}\n"


def _pretty(each: Diagnostic, number: int) -> str:
    return str(each["pretty"])


def _hover(each: Diagnostic, number: int) -> str:
    return f"{each['message']}ts({each['code']})\n"


def _bare(each: Diagnostic, number: int) -> str:
    return f"{each['message']}\n"


_PREFIXES = ("[0] ", "[tsc] ", "@acme/web:build: ", "web  | ", "2024-05-01T10:00:00.1234567Z ")


def _prefixed(each: Diagnostic, number: int) -> str:
    prefix = _PREFIXES[number % len(_PREFIXES)]
    return "".join(prefix + line for line in _plain(each, number).splitlines(keepends=True))


def _bundled(each: Diagnostic, number: int) -> str:
    file, line, column, code = each["file"], each["line"], each["column"], each["code"]
    message = each["message"]
    forms = (
        f"ERROR in ./{file}:{line}:{column}\nTS{code}: {message}\n",
        f"[tsl] ERROR in /home/ada/{file}({line},{column})\n      TS{code}: {message}\n",
        f"Error: {file}:{line}:{column} - error TS{code}: {message}\n",
        f"(!) Plugin typescript: @rollup/plugin-typescript TS{code}: {message}\n"
        f"{file}: ({line}:{column})\n",
        f"Failed to compile.\n\n./{file}:{line}:{column}\nType error: {message}\n",
        f" ERROR(TypeScript)  {message}\n FILE  /home/ada/{file}:{line}:{column}\n",
    )
    return forms[number % len(forms)]


FORMS: dict[str, Callable[[Diagnostic, int], str]] = {
    "plain": _plain,
    "pretty": _pretty,
    "hover": _hover,
    "without a code": _bare,
    "prefixed": _prefixed,
    "of a bundler": _bundled,
}
