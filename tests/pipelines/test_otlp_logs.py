"""`POST /v1/logs`: OpenTelemetry's logs, sent by its SDK and by hand, in both encodings."""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest
from fastapi.testclient import TestClient
from google.protobuf import json_format
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from tests.knowledge_base import SHOP, load
from tests.serving import served

from errdex.config import Settings, open_store
from errdex.main import create_app
from errdex.web.logs import forwarding, messages
from errdex.web.logs.forwarding import Forwarder

JSON, PROTOBUF = "application/json", "application/x-protobuf"
TRACEBACK = """\
Traceback (most recent call last):
  File "shop/run.py", line 3, in <module>
    checkout(4711)
shop.ShopError: Basket 4711 is empty
""".splitlines()
SECRET = "hunter2-of-a-log"  # noqa: S105 (of no one)
Received = Queue[tuple[str, bytes]]


@contextmanager
def collector(status: int = 200) -> Iterator[tuple[str, Received]]:
    """An endpoint, and what it receives."""
    received: Received = Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.put((self.headers["Content-Type"], body))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/logs", received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def client_of(tmp_path: Path) -> Iterator[Callable[..., TestClient]]:
    """`client_of(**settings)`: a client of an application with the small knowledge base."""
    opened: list[TestClient] = []

    def make(**given: Any) -> TestClient:
        settings = Settings(database_url=f"sqlite:///{tmp_path / 'errdex.db'}", **given)
        load(tmp_path, *open_store(settings), SHOP)
        client = TestClient(create_app(settings), raise_server_exceptions=False)
        opened.append(client.__enter__())
        return opened[-1]

    yield make
    for each in opened:
        each.__exit__(None, None, None)


def record(text: str, **attributes: str) -> dict[str, Any]:
    listed = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    return {
        "body": {"stringValue": text},
        "severityText": "ERROR",
        "attributes": listed,
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": "eee19b7ec3c1b174",
    }


def request_of(*records: dict[str, Any], service: str = "shop") -> dict[str, Any]:
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]}
    scope = {"scope": {"name": "tests"}, "logRecords": list(records)}
    return {"resourceLogs": [{"resource": resource, "scopeLogs": [scope]}]}


def encoded(request: dict[str, Any], kind: str) -> bytes:
    if kind == JSON:
        return json.dumps(request).encode()
    return json_format.ParseDict(request, ExportLogsServiceRequest()).SerializeToString()


def post(client: TestClient, data: bytes, kind: str, **headers: str) -> Any:
    return client.post("/v1/logs", content=data, headers={"Content-Type": kind, **headers})


def message_of(body: bytes, kind: str) -> str:
    """The message of a google.rpc.Status."""
    if kind == JSON:
        return json.loads(body)["message"]
    assert body[0] == 0x12
    text = body[2:] if body[1] < 0x80 else body[3:]
    assert len(text) == (body[1] if body[1] < 0x80 else (body[1] & 0x7F) | body[2] << 7)
    return text.decode()


@pytest.mark.parametrize("kind", [JSON, PROTOBUF])
def test_what_is_no_request_is_a_status_in_its_encoding(client_of, kind: str) -> None:
    client = client_of(max_body_bytes=50_000)
    for data, headers, status in (
        (b"\xff\xff\xff", {}, 400),
        (b'{"resourceLogs": [5]}', {}, 400),
        (b"[" * 10_000, {}, 400),
        (b"x", {"Content-Encoding": "gzip"}, 400),
        (gzip.compress(bytes(60_000)), {"Content-Encoding": "gzip"}, 413),
    ):
        answer = post(client, data, kind, **headers)
        assert (answer.status_code, answer.headers["content-type"]) == (status, kind), data[:30]
        assert message_of(answer.content, kind)
    packed = gzip.compress(bytes(6_000_000))  # beyond the bound of a paste as well
    answer = post(client, packed, kind, **{"Content-Encoding": "gzip"})
    assert answer.status_code == 413
    assert "50,000 bytes" in message_of(answer.content, kind)
    for other in ("text/plain", "application/x-ndjson", ""):
        answer = post(client, b"x", other)
        assert answer.status_code == 415
        assert PROTOBUF in answer.headers["accept-post"]
    assert client.get("/v1/logs").status_code == 405


@pytest.mark.parametrize("kind", [JSON, PROTOBUF])
def test_a_request_without_known_errors_is_a_success(client_of, kind: str) -> None:
    with collector() as (endpoint, received):
        client = client_of(otlp_endpoint=endpoint)
        for data in (encoded({}, kind) if kind == JSON else b"",
                     encoded(request_of(), kind),
                     encoded(request_of(record("all is well")), kind),
                     encoded(request_of({}), kind)):  # fmt: skip
            answer = post(client, data, kind)
            assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
            assert answer.content == (b"{}" if kind == JSON else b"")
        assert 'route="/v1/logs"' in client.get("/metrics").text
    assert received.empty()


@pytest.mark.parametrize("kind", [JSON, PROTOBUF])
@pytest.mark.parametrize("packed", [True, False])
def test_a_known_error_is_handed_on_once(client_of, kind: str, packed: bool) -> None:
    """A traceback that was sent line by line among the lines of another file."""
    lines = []
    for line in TRACEBACK:
        lines.append(record(line, **{"log.file.path": "/a.log"}))
        lines.append(record("INFO all is well", **{"log.file.path": "/b.log"}))
    data = encoded(request_of(*lines), kind)
    with collector() as (endpoint, received):
        client = client_of(otlp_endpoint=endpoint)
        headers = {"Content-Encoding": "gzip"} if packed else {}
        answer = post(client, gzip.compress(data) if packed else data, kind, **headers)
        assert answer.status_code == 200
        sent_as, body = received.get(timeout=60)
        assert sent_as == kind
        found = messages.parse_request(body, kind)
        assert found.resource_logs[0].resource.attributes[0].value.string_value == "shop"
        assert found.resource_logs[0].scope_logs[0].scope.name == "tests"
        (known,) = found.resource_logs[0].scope_logs[0].log_records
        assert known.body.string_value == TRACEBACK[-1]
        told = {each.key: each.value.string_value for each in known.attributes}
        assert told["errdex.title"] == "Basket {basket_id} is empty"
        assert told["errdex.fix"] == "Add an article before checkout."
        assert json.loads(told["errdex.values"]) == {"basket_id": "4711"}
        assert told["errdex.url"].startswith("http://testserver/errors/")
        whole = json.loads(body) if kind == JSON else json_format.MessageToDict(found)
        (back,) = whole["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
        assert back["traceId"] == record("x")["traceId"]
        again = post(client, body, kind)  # as when the endpoint leads back here
        assert again.status_code == 200
    assert received.empty()


def test_the_exporter_of_the_sdk_is_understood(tmp_path: Path) -> None:
    with (
        collector() as (endpoint, received),
        served(tmp_path, SHOP, otlp_endpoint=endpoint) as address,
    ):
        exporter = OTLPLogExporter(endpoint=f"{address}/v1/logs")
        provider = LoggerProvider(resource=Resource.create({"service.name": "shop"}))
        provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
        provider.get_logger("shop").emit(
            body="checkout failed",
            severity_text="ERROR",
            attributes={
                "exception.type": "ShopError",
                "exception.message": "Basket 4711 is empty",
                "exception.stacktrace": "\n".join(TRACEBACK),
            },
        )
        provider.shutdown()
        kind, body = received.get(timeout=60)
    assert kind == PROTOBUF
    (known,) = messages.parse_request(body, kind).resource_logs[0].scope_logs[0].log_records
    assert known.body.string_value == "checkout failed"
    assert "errdex.id" in {each.key for each in known.attributes}


def test_records_over_the_bound_are_counted_as_rejected(
    client_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "MOST_RECORDS", 3)
    answer = post(client_of(), encoded(request_of(*[record("x")] * 5), JSON), JSON)
    partial = answer.json()["partialSuccess"]
    assert partial["rejectedLogRecords"] == "2"
    assert "2 records" in partial["errorMessage"]


def test_who_gets_no_place_is_asked_to_come_again(client_of) -> None:
    client = client_of(waiting_matches=0, concurrent_matches=1)
    lane = client.app.state.context.matching.lanes.short
    lane._run["somebody"] = lane.running
    busy = post(client, encoded(request_of(record("x")), PROTOBUF), PROTOBUF)
    lane._run.clear()
    assert busy.status_code == 503
    assert int(busy.headers["retry-after"]) > 0
    assert "Try again" in message_of(busy.content, PROTOBUF)


def test_what_waits_to_be_handed_on_is_bounded(client_of, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Forwarder, "offer", lambda *_: False)
    client = client_of(otlp_endpoint="http://127.0.0.1:9/v1/logs")
    answer = post(client, encoded(request_of(record(TRACEBACK[-1])), JSON), JSON)
    assert answer.status_code == 200
    assert "too many wait" in answer.json()["partialSuccess"]["errorMessage"]
    monkeypatch.undo()
    monkeypatch.setattr(forwarding, "MOST_BYTES", 10)
    forwarder = Forwarder("http://127.0.0.1:9/")
    assert forwarder.offer(b"12345678", JSON)
    assert not forwarder.offer(b"123", JSON)
    assert forwarder.offer(b"12", JSON)


@pytest.mark.parametrize("status", [302, 500])
def test_an_endpoint_that_fails_is_logged_once_and_nothing_of_a_log_is(
    client_of, caplog: pytest.LogCaptureFixture, tmp_path: Path, status: int
) -> None:
    caplog.set_level(logging.DEBUG)
    with collector(status) as (endpoint, received):
        client = client_of(otlp_endpoint=endpoint)
        for _ in range(2):
            data = encoded(request_of(record(f"ShopError: Basket {SECRET} is empty")), JSON)
            assert post(client, data, JSON).status_code == 200
            received.get(timeout=60)
        post(client, encoded({"resourceLogs": [{"x": SECRET}]}, JSON)[:-2], JSON)
    client.__exit__(None, None, None)
    warnings = [each for each in caplog.records if "ERRDEX_OTLP_ENDPOINT" in each.getMessage()]
    assert len(warnings) == 1
    assert str(status) in warnings[0].getMessage()
    assert SECRET not in caplog.text
    kept = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert [file for file in kept if SECRET.encode() in file.read_bytes()] == []


def test_without_the_extra_there_is_no_such_address(
    client_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errdex.main.find_spec", lambda name: None)
    assert post(client_of(), b"{}", JSON).status_code == 404
