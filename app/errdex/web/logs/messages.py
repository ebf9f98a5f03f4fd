"""OTLP's messages: records out of a request, known ones into another, and answers.

Requests are protobuf messages in either encoding. The ids of traces, which OTLP writes in JSON as
hexadecimal digits where protobuf's JSON has base64, come out as they went in, since every string
of such digits is base64 as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import orjson
from google.protobuf import json_format
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from errdex.matching.reading.record_streams import MOST_RECORDS

JSON = "application/json"
PROTOBUF = "application/x-protobuf"
PREFIX = "errdex."
"""Of the attributes that known records get."""
_WRITER = (
    "service.namespace", "service.name", "service.instance.id", "host.name", "host.id",
    "container.id", "k8s.namespace.name", "k8s.pod.uid", "k8s.pod.name", "k8s.container.name",
    "process.pid", "log.file.path", "log.file.name", "log.iostream", "thread.id",
)  # fmt: skip
"""Attributes of a resource or a record that tell writers apart."""
_LONGEST = 200


class BadRequest(ValueError):
    """The body is no request of OTLP."""


def parse_request(data: bytes, kind: str) -> ExportLogsServiceRequest:
    """The request in a body. Raises BadRequest."""
    request = ExportLogsServiceRequest()
    try:
        if kind == PROTOBUF:
            request.ParseFromString(data)
        else:
            json_format.Parse(data, request, ignore_unknown_fields=True)
    except (DecodeError, json_format.ParseError, ValueError, RecursionError):
        raise BadRequest("The body is no ExportLogsServiceRequest.") from None
    return request


def write_message(message: Any, kind: str) -> bytes:  # noqa: ANN401 (any of protobuf's)
    """A message in an encoding."""
    if kind == PROTOBUF:
        return bytes(message.SerializeToString())
    return str(json_format.MessageToJson(message, indent=None)).encode()


def list_records(request: ExportLogsServiceRequest) -> list[tuple[str, LogRecord]]:
    """The first MOST_RECORDS records, each with its writer."""
    return list(islice(_records(request), MOST_RECORDS))


def _records(request: ExportLogsServiceRequest) -> Iterator[tuple[str, LogRecord]]:
    for resource_logs in request.resource_logs:
        resource = _names(resource_logs.resource.attributes)
        for scope_logs in resource_logs.scope_logs:
            for record in scope_logs.log_records:
                yield resource + _names(record.attributes), record


def _names(attributes: Any) -> str:  # noqa: ANN401 (a repeated field)
    values = {each.key: each.value for each in attributes if each.key in _WRITER}
    return "".join(
        f"{key}={str(value_of(values[key]))[:_LONGEST]}\x1f" for key in _WRITER if key in values
    )


def count_records(request: ExportLogsServiceRequest) -> int:
    """How many records there are."""
    return sum(
        len(scope.log_records)
        for resource in request.resource_logs
        for scope in resource.scope_logs
    )


def line_of(record: LogRecord) -> str:
    """A record on one line, as the reader of pastes knows JSON records."""
    fields: dict[str, Any] = {
        "level": record.severity_text or _severity(record.severity_number),
        "message": value_of(record.body),
    }
    own = {each.key: each.value for each in record.attributes}
    if (stack := own.get("exception.stacktrace")) is not None:
        fields["stacktrace"] = value_of(stack)
    elif "exception.message" in own:
        kind = own.get("exception.type")
        error = {"type": value_of(kind) if kind is not None else None}
        fields["error"] = error | {"message": value_of(own["exception.message"])}
    return orjson.dumps(fields, option=orjson.OPT_NON_STR_KEYS, default=str).decode()


def _severity(number: int) -> str:
    """OTLP's numbers: 17 and more are errors, 21 and more fatal."""
    names = ((21, "fatal"), (17, "error"), (13, "warning"), (9, "info"), (1, "debug"))
    return next((name for least, name in names if number >= least), "")


def value_of(value: AnyValue) -> Any:  # noqa: ANN401 (any of JSON's)
    """A value as JSON has it. Protobuf bounds how deep it is."""
    match value.WhichOneof("value"):
        case None:
            return None
        case "array_value":
            return [value_of(each) for each in value.array_value.values]
        case "kvlist_value":
            return {each.key: value_of(each.value) for each in value.kvlist_value.values}
        case "bytes_value":
            return value.bytes_value.decode("utf-8", "replace")
        case kind:
            return getattr(value, kind)


def known_records(
    request: ExportLogsServiceRequest, known: Mapping[int, Mapping[str, Any]]
) -> ExportLogsServiceRequest:
    """A request with the known records alone, by their numbers, each with what is known as
    attributes; resources and scopes are kept."""
    found = ExportLogsServiceRequest()
    number = 0
    for resource_logs in request.resource_logs:
        chosen = type(resource_logs)()
        for scope_logs in resource_logs.scope_logs:
            kept = type(scope_logs)()
            for record in scope_logs.log_records:
                if number in known:
                    copy = kept.log_records.add()
                    copy.CopyFrom(record)
                    copy.attributes.extend(_attributes(known[number]))
                number += 1
            if kept.log_records:
                kept.scope.CopyFrom(scope_logs.scope)
                kept.schema_url = scope_logs.schema_url
                chosen.scope_logs.append(kept)
        if chosen.scope_logs:
            chosen.resource.CopyFrom(resource_logs.resource)
            chosen.schema_url = resource_logs.schema_url
            found.resource_logs.append(chosen)
    return found


def _attributes(known: Mapping[str, Any]) -> Iterator[KeyValue]:
    for key, value in known.items():
        text = value if isinstance(value, str) else orjson.dumps(value).decode()
        yield KeyValue(key=f"{PREFIX}{key}", value=AnyValue(string_value=text))


def is_marked(record: LogRecord) -> bool:
    """Whether a record was handed on by Errdex before."""
    return any(each.key.startswith(PREFIX) for each in record.attributes)


def success(kind: str, rejected: int, sentence: str) -> bytes:
    """The answer to a request that was read, of which so many records were not looked at."""
    response = ExportLogsServiceResponse()
    if rejected or sentence:
        response.partial_success.rejected_log_records = rejected
        response.partial_success.error_message = sentence
    return write_message(response, kind)


def failure(kind: str, sentence: str) -> bytes:
    """The answer to one that was not: a google.rpc.Status, whose field 2 is its message."""
    if kind == JSON:
        return orjson.dumps({"message": sentence})
    text = sentence.encode()
    length, size = b"", len(text)
    while size > 0x7F:
        length += bytes([size & 0x7F | 0x80])
        size >>= 7
    return b"\x12" + length + bytes([size]) + text
