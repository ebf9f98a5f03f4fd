"""The protocol, spoken with the SDK's client over standard input and output and over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import jsonschema
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from tests.loops import check_each

LOG = """\
Traceback (most recent call last):
  File "shop/run.py", line 3, in <module>
    checkout(4711)
  File "shop/basket.py", line 12, in checkout
    raise ShopError(f"Basket {basket_id} is empty")
shop.ShopError: Basket 4711 is empty
"""
UNKNOWN = "SomethingNeverSeen: the flux gate of 12 is out of tune\n"


def talk(client: Client, conversation: Callable[[Client], Awaitable[Any]]) -> Any:
    async def connected() -> Any:
        async with client:
            return await conversation(client)

    return asyncio.run(connected())


async def reply(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    (text,) = result.content
    assert json.loads(text.text) == result.structured_content
    return result.structured_content


async def trouble(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    (text,) = result.content
    return text.text


def test_what_is_wrong_with_a_request_is_a_protocol_error(open_client) -> None:
    async def conversation(client: Client) -> None:
        for ask, code in (
            (client.call_tool("delete_record", {}), types.INVALID_PARAMS),
            (client.read_resource("errdex://records/0123456789abcdee"), types.INVALID_PARAMS),
            (client.read_resource("errdex://causes/never-heard-of"), types.INVALID_PARAMS),
            (client.read_resource("file:///etc/passwd"), types.INVALID_PARAMS),
            (client.get_prompt("sing"), types.INVALID_PARAMS),
            (client.get_prompt("explain_error"), types.INVALID_PARAMS),
        ):
            with pytest.raises(MCPError) as caught:
                await ask
            assert caught.value.code == code

    talk(open_client(), conversation)


def test_what_a_model_can_correct_is_the_result_of_the_tool(open_client) -> None:
    async def conversation(client: Client) -> None:
        missing = await trouble(client, "get_record", id="0123456789abcdee")
        assert "No record has the id" in missing
        wrong = await trouble(client, "match_log", log="secret of a paste", detial="full")
        assert "detial" in wrong
        assert "secret" not in wrong
        assert "limit" in await trouble(client, "search_errors", query="basket", limit=1000)
        assert "log" in await trouble(client, "match_log", log="")
        assert "cursor" in await trouble(client, "search_errors", query="basket", cursor="nonsense")

    talk(open_client(), conversation)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_log_is_answered_with_the_fix(open_client, mode: str) -> None:
    async def conversation(client: Client) -> None:
        answer = await reply(client, "match_log", log=LOG)
        assert (answer["found"], answer["known"], answer["errorsLeftOut"]) == (True, 1, 0)
        (error,) = answer["errors"]
        assert (error["line"], error["startHere"]) == (6, True)
        assert error["values"] == {"basket_id": "4711"}
        assert error["record"]["fix"] == ["Add an article before checkout."]
        assert "event" not in error
        full = await reply(client, "match_log", log=LOG, detail="full")
        assert full["errors"][0]["event"]["frames"][-1]["function"] == "checkout"
        unknown = await reply(client, "match_log", log=UNKNOWN)
        assert (unknown["found"], unknown["errors"][0]["outcome"]) == (False, "unknown")

    talk(open_client(mode=mode), conversation)


def test_the_other_tools_answer_too(open_client) -> None:
    async def conversation(client: Client) -> None:
        found = await reply(client, "search_errors", query="basket", limit=1)
        assert found["total"] == 2
        more = await reply(client, "search_errors", query="basket", limit=1,
                           cursor=found["nextCursor"])  # fmt: skip
        link = (await reply(client, "search_errors", query="basket empty"))["items"][0]["record"]
        assert more["items"][0]["record"]["id"] != found["items"][0]["record"]["id"]
        record = await reply(client, "get_record", id=link["id"])
        assert "document" not in record
        whole = await reply(client, "get_record", id=link["id"], detail="full")
        assert whole["document"]["filePath"] == "shop/basket.py"
        related = await reply(client, "related_errors", id=link["id"])
        assert related["items"][0]["reasons"][0] == "same cause: empty-input"
        causes = await reply(client, "list_causes")
        assert [each["tag"] for each in causes["items"]] == ["empty-input"]
        resource = await client.read_resource(link["uri"])
        (contents,) = resource.contents
        assert contents.mime_type == "text/markdown"
        assert "1. Add an article before checkout." in contents.text
        cause = await client.read_resource(causes["items"][0]["uri"])
        assert cause.contents[0].text.startswith("# Empty input")

    talk(open_client(), conversation)


def test_prompts_lead_to_the_tool_and_hold_the_log(open_client) -> None:
    async def conversation(client: Client) -> None:
        listed = (await client.list_prompts()).prompts
        assert {each.name for each in listed} == {"explain_error", "fix_error"}
        for each in listed:
            prompt = await client.get_prompt(each.name, {"log": LOG})
            text = prompt.messages[0].content.text
            assert "match_log" in text
            assert LOG in text

    talk(open_client(), conversation)


def test_answers_are_as_their_schemas_say(open_client) -> None:
    async def conversation(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        found = await reply(client, "search_errors", query="basket empty")
        record_id = found["items"][0]["record"]["id"]
        asked: dict[str, dict[str, Any]] = {
            "match_log": {"log": LOG + UNKNOWN, "detail": "full"},
            "search_errors": {"query": "basket", "detail": "full"},
            "get_record": {"id": record_id, "detail": "full"},
            "related_errors": {"id": record_id},
            "list_causes": {"detail": "full"},
        }
        assert set(tools) == set(asked)
        answers = []
        for name, arguments in asked.items():
            brief = {key: each for key, each in arguments.items() if key != "detail"}
            for given in (arguments, brief):
                answer = await reply(client, name, **given)
                answers.append((name, (tools[name], given, answer)))

        def check(case: tuple[types.Tool, dict[str, Any], Any]) -> None:
            tool, given, answer = case
            jsonschema.validate(given, tool.input_schema)
            jsonschema.validate(answer, tool.output_schema)
            assert tool.annotations.read_only_hint

        check_each(answers, check)
        # A context holds them all before anything is asked.
        assert (
            len(str([(tool.input_schema, tool.output_schema) for tool in tools.values()])) < 20_000
        )
        templates = (await client.list_resource_templates()).resource_templates
        assert [each.uri_template for each in templates] == [
            "errdex://records/{id}", "errdex://causes/{tag}",
        ]  # fmt: skip

    talk(open_client(), conversation)
