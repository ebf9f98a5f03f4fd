"""A record's texts with the values of a paste, and where in them those are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from errdex.formats.answer import FilledHole, MatchedRecord, NamedRecord, to_camel
from errdex.records.messages.filling import Segment, joined
from errdex.records.messages.holes import Hole, hole_names, parse_message
from errdex.records.messages.texts import CODE, PROSE, fill_text

_TEXTS = [name for name in (*PROSE, *CODE) if name in NamedRecord.__dataclass_fields__]


def fill_record(
    record: NamedRecord, holes: Collection[str], values: Mapping[str, str]
) -> tuple[NamedRecord, list[FilledHole]]:
    """The record with its texts filled, and the places that were filled or left blank."""
    changed: dict[str, object] = {}
    places: list[FilledHole] = []
    for name in _TEXTS:
        given = getattr(record, name)
        if not given or "{{" not in str(given):
            continue
        texts = [given] if isinstance(given, str) else given
        filled = [fill_text(name, each, holes, values, record.language) for each in texts]
        for item, segments in enumerate(filled):
            places += _places(name, None if isinstance(given, str) else item, segments)
        whole = [joined(segments) for segments in filled]
        changed[name] = whole[0] if isinstance(given, str) else whole
    return (replace(record, **changed) if changed else record), places  # type: ignore[arg-type]


def segments_of(match: MatchedRecord, name: str, item: int | None = None) -> list[Segment]:
    """A text of the match's record in segments, as `filled` lists them. `name` is the attribute,
    `item` the index where it is a list."""
    value = getattr(match.record, name)
    text = value if item is None else value[item]
    key = to_camel(name)
    places = [each for each in match.filled if each.field == key and each.item == item]
    return list(_segments(text or "", places))


def message_segments(record: NamedRecord, values: Mapping[str, str] | None) -> list[Segment]:
    """The message that heads a record, with a paste's values in its holes; None leaves them for
    later. A title is shown as it is."""
    if record.title:
        return [Segment(record.title)]
    segments: list[Segment] = []
    names = iter(hole_names(record.error_message))
    for part in parse_message(record.error_message):
        if isinstance(part, Hole):
            name = next(names)
            value = (values or {}).get(name)
            segments.append(Segment(value or name, name, filled=bool(value)))
        else:
            segments.append(Segment(part.text))
    return segments


def _segments(text: str, places: Sequence[FilledHole]) -> Iterator[Segment]:
    """Another server's places may be wrong: what does not follow the place before is left out."""
    position = 0
    for each in places:
        if not position <= each.start < each.end <= len(text):
            continue
        if each.start > position:
            yield Segment(text[position : each.start])
        filled = each.value is not None
        shown = text[each.start : each.end] if filled else each.hole
        yield Segment(shown, each.hole, each.refused, filled)
        position = each.end
    if position < len(text):
        yield Segment(text[position:])


def _places(name: str, item: int | None, segments: Sequence[Segment]) -> Iterator[FilledHole]:
    position = 0
    for each in segments:
        end = position + len(joined([each]))
        if each.hole is not None:
            value = each.text if each.filled else None
            yield FilledHole(to_camel(name), item, position, end, each.hole, value, each.refused)
        position = end
