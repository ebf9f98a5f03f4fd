"""Writes the id of each record in data/ into its file: `python -m tests.data.write_ids`.

A derived id would change with the record's pattern, repository or class; one that is written
stays. Everything else in the files is left as it is.
"""

from __future__ import annotations

from pathlib import Path

from errdex.records.files.reader import RawRecord, read_records
from errdex.records.validation import parse_record

DATA = Path(__file__).parents[2] / "data"


def with_ids(text: str, ids: list[str | None]) -> str:
    """The text of a YAML list of records, with a line for each id that is not None behind the
    first line of its record. Raises ValueError when the records are not written as expected."""
    lines = text.splitlines(keepends=True)
    starts = [number for number, line in enumerate(lines) if line.startswith("- repo: ")]
    if len(starts) != len(ids):
        raise ValueError("each record must begin with a line `- repo: …`")
    for start, record_id in zip(reversed(starts), reversed(ids), strict=True):
        if record_id is not None:
            lines.insert(start + 1, f'  id: "{record_id}"\n')
    return "".join(lines)


def main() -> None:
    """Write them into every file that lacks some."""
    for path in sorted(DATA.glob("*.yaml")):
        ids = [
            None if "id" in raw.value else parse_record(raw.value).id
            for raw in read_records([path])
            if isinstance(raw, RawRecord)
        ]
        if any(ids):
            path.write_text(with_ids(path.read_text("utf-8"), ids), "utf-8")
            print(f"{path.name}: {sum(map(bool, ids))} ids written")  # noqa: T201


if __name__ == "__main__":
    main()
