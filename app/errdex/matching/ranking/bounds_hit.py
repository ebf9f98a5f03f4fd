"""Which bounds cut the work for a paste, in words, each named once however often it was hit."""

from __future__ import annotations

from collections.abc import Collection


class BoundsHit:
    """What was left out so far."""

    def __init__(self) -> None:
        self._sentences: dict[str, str] = {}
        self._capped: set[str] = set()

    def reading(self) -> None:
        """Lines were not read."""
        self._tell(
            "reading", "The paste is too long, or took too long: its last lines were not read."
        )

    def events(self, most: int) -> None:
        """Errors were not looked for."""
        self._tell(
            "events",
            f"The paste holds more than {most:,} errors, or took too long: "
            "later ones were not looked for.",
        )

    def time(self, seconds: float, share: float) -> None:
        """The seconds ran out after that share (0 to 1) of what a pass was to look at."""
        self._tell(
            "time",
            f"The time of {seconds:g} seconds ran out after {round(100 * share)} % of the "
            "work: paste less, such as the part around the error.",
        )

    def matches(self, most: int) -> None:
        """Matches were not looked for."""
        self._tell("matches", f"More than {most:,} matches: the rest is left out.")

    def places(self, records: Collection[str], most: int) -> None:
        """Further places of these records were not looked for."""
        self._capped.update(records)
        count = len(self._capped)
        records_match = f"{count:,} {'record matches' if count == 1 else 'records match'}"
        self._sentences["places"] = (
            f"{records_match} in more than {most:,} places: the later ones are left out."
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """One for each bound, in the order in which they were hit."""
        return tuple(self._sentences.values())

    def _tell(self, bound: str, sentence: str) -> None:
        self._sentences.setdefault(bound, sentence)
