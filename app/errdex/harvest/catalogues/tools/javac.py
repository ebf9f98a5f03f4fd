"""javac's messages, asked of the Java that is installed."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from errdex.harvest.catalogues.tools.entries import Tool, ToolMessage
from errdex.harvest.catalogues.tools.programs import ask, find_program
from errdex.harvest.messages.placeholders import with_holes

_PROGRAM = """
import java.util.*;

public class Messages {
    public static void main(String[] arguments) throws Exception {
        ResourceBundle bundle = (ResourceBundle) Class
            .forName("com.sun.tools.javac.resources.compiler")
            .getDeclaredConstructor().newInstance();
        StringBuilder out = new StringBuilder("{\\"version\\":")
            .append(quoted(System.getProperty("java.version"))).append(",\\"messages\\":{");
        String comma = "";
        for (String key : new TreeSet<>(bundle.keySet())) {
            out.append(comma).append(quoted(key)).append(':').append(quoted(bundle.getString(key)));
            comma = ",";
        }
        System.out.print(out.append("}}"));
    }

    static String quoted(String text) {
        StringBuilder out = new StringBuilder("\\"");
        for (char each : text.toCharArray())
            out.append(String.format("\\\\u%04x", (int) each));
        return out.append('"').toString();
    }
}
"""
_PACKAGE = "jdk.compiler/com.sun.tools.javac.resources"
_KINDS = {"compiler.err.": "error", "compiler.warn.": "warning"}


def read(where: Path | None) -> tuple[Tool, Iterator[ToolMessage]]:
    """The errors and warnings of the compiler beside the `java` at `where` or on PATH."""
    java = find_program("java", where)
    kept = json.loads(_asked(java))
    tool = Tool(name="javac", repo="openjdk/jdk", version=kept["version"], language="java")
    return tool, _entries(kept["messages"])


def _asked(java: Path) -> str:
    with tempfile.TemporaryDirectory(prefix="errdex-") as folder:
        source = Path(folder) / "Messages.java"
        source.write_text(_PROGRAM, encoding="utf-8")
        return ask(java, f"--add-exports={_PACKAGE}=ALL-UNNAMED", str(source))


def _entries(messages: dict[str, str]) -> Iterator[ToolMessage]:
    """Each by its first line: what stands below are the symbols that it is about."""
    for key, text in messages.items():
        severity = next((kind for start, kind in _KINDS.items() if key.startswith(start)), None)
        first, _, rest = text.strip().partition("\n")
        if severity is not None and first:
            yield ToolMessage(
                message=first,
                parts=tuple(with_holes(first, java=True)),
                severity=severity,
                documentation=" ".join(rest.split()) or None,
            )
