"""The commands that show one record or cause: show, explain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NoReturn
from urllib.parse import quote

import orjson
import typer

from errdex.cli.views.terminal import NOTHING, counted, fail, write_json, write_raw
from errdex.cli.wiring import AsJson, Database, Server, opened_records
from errdex.formats.ci.build_commands import disarm_json

if TYPE_CHECKING:
    from errdex.cli.lookup import LookedUp
    from errdex.knowledge import CauseItem, RecordAnswer
    from errdex.records.causes import Cause


def show(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME",
            help="An id or the beginning of one, the address of a page, a code such as E0382, "
            "a class, a cause, or words that one record alone has.",
        ),
    ],
    server: Server = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Show one record or cause, the fix first: `errdex show E0382`.

    If several records fit, they are listed.
    """
    from errdex.cli.lookup import look_up

    with opened_records(server, database) as (records, site):
        found = look_up(records, words)
        tag = found.record.stored.background_tag if found.record else None
        cause = records.find_cause(tag)
        # Here, since a record that cannot be read is found out when it is shown.
        if found.record is not None:
            _show_record(found.record, cause, site, as_json=as_json)
        elif found.cause is not None:
            _show_cause(found.cause, site, as_json=as_json)
        else:
            _list_choices(" ".join(words), found, site)


def explain(
    words: Annotated[list[str], typer.Argument(metavar="NAME", help="As for `errdex show`.")],
    server: Server = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Show one record or cause: the same as `errdex show`."""
    show(words, server, database, as_json)


def _show_record(
    answer: RecordAnswer, cause: Cause | None, site: str | None, *, as_json: bool
) -> None:
    from errdex.cli.views.rows import print_rows
    from errdex.formats.records.text import record_rows

    if as_json:
        version = orjson.dumps(answer.version)
        body = answer.stored.body_json.encode()
        document = b'{"record":%b,"datasetVersion":%b}\n' % (body, version)
        write_raw([disarm_json(document)])
        return
    stored = answer.stored
    link = f"{site}/errors/{stored.id}/{stored.slug}" if site else ""
    print_rows(record_rows(answer, cause, link))


def _show_cause(item: CauseItem, site: str | None, *, as_json: bool) -> None:
    from errdex.cli.views.rows import print_rows
    from errdex.formats.records.text import cause_rows

    if as_json:
        text = item.cause.to_dict() if item.cause else {"tag": item.tag, "title": item.title}
        document = {**text, "records": item.records}
        write_json(document)
        return
    link = f"{site}/causes/{quote(item.tag, safe='/~')}" if site else ""
    print_rows(cause_rows(item, link))


def _list_choices(text: str, found: LookedUp, site: str | None) -> NoReturn:
    from errdex.cli.views.rows import print_rows
    from errdex.formats.records.search_text import item_rows

    if not found.choices:
        fail(f"Nothing is named “{text[:100]}”. Search for it: errdex search WORDS", NOTHING)
    print_rows(item_rows(found.choices, site))
    more = f", of which these are the first {len(found.choices)}"
    several = f"{counted(found.total, 'record')} may be meant" if found.total > 1 else "Not exact"
    listed = more if found.total > len(found.choices) else ""
    fail(f"{several}{listed}: show one by its id.", NOTHING)
