"""Starts Spark for a command."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from errdex.records.problems import Trouble
from errdex.workers.import_path import no_current_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OLDEST_JAVA = 17
_TRIES = 4
"""How often a task is tried, as on a cluster. By default a local Spark tries it once."""
_LOOPBACK = "127.0.0.1"
_LOGGING = Path(__file__).with_name("log4j2.properties")
_LOCAL = re.compile(r"local(\[(\*|\d+)\])?")
_ERROR = re.compile(r"[\w.]+(Error|Exception|Damaged|Missing): ")
_PATTERN = re.compile(r"[\\*?\[\]{}]")
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')


class SparkTrouble(Trouble):
    """Spark cannot be started or cannot do the work; the message says why."""


def check_java() -> None:
    """Raises SparkTrouble when there is no Java that Spark can run on."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home, "bin")) if home else None)
    if java is None:
        where = f"in JAVA_HOME ({home})" if home else "on the PATH, and JAVA_HOME is not set"
        raise SparkTrouble(
            f"Spark needs Java {_OLDEST_JAVA} or newer, and there is none {where}: install it, "
            "such as with `apt install openjdk-17-jre-headless`."
        )
    said = subprocess.run(  # noqa: S603 -- the program that Spark starts too
        [java, "-version"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    ).stderr
    found = _VERSION.search(said)
    if found and int(found[1]) < _OLDEST_JAVA:
        raise SparkTrouble(
            f"Spark needs Java {_OLDEST_JAVA} or newer, and {java} is Java {found[1]}: set "
            "JAVA_HOME to the folder of a newer one."
        )


@contextmanager
def opened_spark(master: str, settings: Mapping[str, str]) -> Iterator[SparkSession]:
    """A session at a master such as `local[*]` or `spark://host:7077`, stopped at the end.
    `settings` are Spark's own. Raises SparkTrouble; so does the work in it that fails."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    check_java()
    builder = SparkSession.builder.appName("errdex bulk").master(_retrying(master))
    for key, value in {**_defaults(master), **settings}.items():
        builder = builder.config(key, value)
    try:
        with no_current_folder():
            spark = builder.getOrCreate()
        try:
            yield spark
        finally:
            spark.stop()
    except (PySparkException, Py4JError) as error:
        raise SparkTrouble(f"Spark failed: {_said(error)}") from error


def literal_path(path: str) -> str:
    """A path to read as Spark takes it literally, and not as a pattern of names."""
    return _PATTERN.sub(r"\\\g<0>", path)


def _retrying(master: str) -> str:
    """A local master that tries a failed task again, such as one whose Python worker was killed."""
    local = _LOCAL.fullmatch(master)
    return f"local[{local[2] or 1},{_TRIES}]" if local else master


def _defaults(master: str) -> dict[str, str]:
    settings = {
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={_LOGGING.as_uri()}",
        "spark.executorEnv.PYTHONSAFEPATH": "1",
        "spark.ui.showConsoleProgress": "true" if sys.stderr.isatty() else "false",
    }
    if master.startswith("local"):
        # Nothing else connects to it, and its workers are of this installation.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)
        settings |= {
            "spark.driver.host": _LOOPBACK,
            "spark.driver.bindAddress": _LOOPBACK,
            "spark.ui.enabled": "false",
        }
    return settings


def _said(error: Exception) -> str:
    """The reason in a failure that Spark reports, without the stacks of two languages."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    errors = [
        line for line in lines if re.match(r"[\w.]+(Error|Exception|Damaged|Missing): ", line)
    ]
    return (errors or lines or [type(error).__name__])[-1]
