"""Which parser looks at a line, and in which order: the first that knows it has it.

A parser module has TRIGGERS (literals, one of which each of its errors' first line contains)
and `parse(stream, at) -> Parsed | None`. Special forms come before general ones.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from errdex.matching.events import generic
from errdex.matching.events.draft import Parsed, Stream
from errdex.matching.events.languages import (
    dart,
    dotnet,
    elixir,
    go,
    java,
    lua,
    node,
    perl,
    php,
    ruby,
    rust,
    typescript,
)
from errdex.matching.events.languages.python import tracebacks
from errdex.matching.events.tools import (
    builds,
    commands,
    compilers,
    databases,
    docker_build,
    infra,
    jest,
    json_fields,
    kernel,
    packages,
    powershell,
    pytest_output,
    shell,
    tap,
)
from errdex.matching.model import Role

_MODULES: tuple[ModuleType, ...] = (
    docker_build,
    powershell,
    json_fields,
    dart,
    tracebacks,
    pytest_output,
    java,
    php,
    dotnet,
    jest,
    tap,
    node,
    ruby,
    elixir,
    lua,
    go,
    builds,
    rust,
    typescript,
    packages,
    databases,
    compilers,
    infra,
    kernel,
    perl,
    commands,
    shell,
    generic,
)

PARSERS: tuple[tuple[int, Callable[[Stream, int], Parsed | None]], ...] = tuple(
    (1 << number, module.parse) for number, module in enumerate(_MODULES)
)

_BITS: dict[str, int] = {}
for _number, _module in enumerate(_MODULES):
    for _trigger in _module.TRIGGERS:
        _BITS[_trigger] = _BITS.get(_trigger, 0) | 1 << _number

TRIGGERS: tuple[str, ...] = tuple(_BITS)
MASKS: tuple[int, ...] = tuple(_BITS.values())
LOUD_MASK = 1 << (len(_MODULES) - 1)
"""The parser of lines whose log header names a level of an error: the general one."""
UNDECIDED = Role.ALONE
