"""Performs a Dockerfile's steps in a clean folder, where there is no Docker engine.

Each stage gets an empty root folder; absolute paths that the Dockerfile itself
introduces (WORKDIR, VOLUME and the targets of RUN) are moved below it, and the
commands run with an environment that holds only what the Dockerfile sets. What
cannot be had without an engine is not pretended: the base image is the
machine's own Python, and USER is applied only when the test runs as root.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

PLACED = ("/srv/errdex", "/var/lib/errdex")
"""The only absolute paths that the image owns; all else belongs to the base image."""


@dataclass(frozen=True)
class Instruction:
    word: str
    rest: str


def parse(text: str) -> Iterator[Instruction]:
    """The instructions of a Dockerfile, continuation lines joined, comments left out."""
    joined = re.sub(r"\\\n", " ", "\n".join(x for x in text.splitlines() if x[:1] != "#"))
    for line in joined.splitlines():
        if line.strip():
            word, _, rest = line.strip().partition(" ")
            yield Instruction(word.upper(), rest.strip())


@dataclass
class Stage:
    """One image being made: its root folder, its variables and its working directory."""

    root: Path
    name: str = ""
    workdir: str = "/"
    env: dict[str, str] = field(default_factory=dict)
    user: str | None = None
    command: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)

    def move(self, text: str) -> str:
        """The same text with the image's own paths moved below this stage's root."""
        for path in PLACED:
            text = re.sub(rf"(?<![\w.]){re.escape(path)}(?![\w-])", f"{self.root}{path}", text)
        return text

    def path(self, name: str) -> Path:
        absolute = name if name.startswith("/") else f"{self.workdir}/{name}"
        return Path(f"{self.root}{absolute}")

    def environment(self) -> dict[str, str]:
        """What a command of this image sees."""
        base = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(self.root)}
        for name in ("PIP_CONFIG_FILE", "PIP_INDEX_URL", "PIP_FIND_LINKS", "SSL_CERT_FILE"):
            if name in os.environ:
                base[name] = os.environ[name]
        for name, value in self.env.items():
            base[name] = self.move(value.replace("$PATH", base["PATH"]))
        return base

    def run(self, argv: list[str]) -> None:
        subprocess.run(
            [self.move(arg) for arg in argv],
            cwd=self.path("."),
            env=self.environment(),
            check=True,
            stdin=subprocess.DEVNULL,
            timeout=600,
        )


def build(dockerfile: Path, context: Path, folder: Path) -> Stage:
    """Perform every step; the last stage is the image.

    Raises ValueError for an instruction that this script does not know, so that
    a new one cannot go unchecked.
    """
    finished: dict[str, Stage] = {}
    stage: Stage | None = None
    here = folder / "image"
    for number, step in enumerate(parse(dockerfile.read_text())):
        if step.word == "FROM":
            if stage:
                finished[stage.name] = stage
                aside = folder / f"stage-{stage.name}"
                stage.root.rename(aside)
                stage.root = aside
            stage = Stage(here, step.rest.partition(" AS ")[2] or str(number))
            here.mkdir()
            continue
        assert stage, "a Dockerfile begins with FROM"
        perform(step, stage, context, finished)
    assert stage
    return stage


def perform(step: Instruction, stage: Stage, context: Path, finished: dict[str, Stage]) -> None:
    """Do one step. Raises ValueError when its kind is unknown."""
    match step.word:
        case "WORKDIR":
            stage.workdir = step.rest
            stage.path(".").mkdir(parents=True, exist_ok=True)
        case "ENV":
            for name, quoted, bare in re.findall(r'(\w+)=(?:"([^"]*)"|(\S+))', step.rest):
                stage.env[name] = quoted or bare
        case "COPY":
            copy(step.rest.split(), stage, context, finished)
        case "RUN":
            stage.run(["sh", "-euc", step.rest])
        case "USER":
            stage.user = step.rest
        case "CMD":
            stage.command = json.loads(step.rest)
        case "HEALTHCHECK":
            stage.health = json.loads(step.rest.partition("CMD ")[2])
        case "LABEL" | "EXPOSE" | "VOLUME":
            pass  # They say something of the image and do nothing to its files.
        case _:
            raise ValueError(f"this script does not know the instruction {step.word}")


def copy(words: list[str], stage: Stage, context: Path, finished: dict[str, Stage]) -> None:
    """COPY, from the context or from an earlier stage."""
    source_stage = None
    if words[0].startswith("--from="):
        source_stage = finished[words.pop(0).partition("=")[2]]
    *sources, target = words
    for source in sources:
        found = source_stage.path(source) if source_stage else context / source
        to = stage.path(target)
        if target.endswith("/"):
            to = to / found.name
        to.parent.mkdir(parents=True, exist_ok=True)
        if found.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(found, to, symlinks=True, dirs_exist_ok=True, ignore=ignored)
        else:
            shutil.copy2(found, to)
