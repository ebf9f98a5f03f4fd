"""What can be done about an error by its class and its stack alone.

An error that no record matches still has a class, whose cause is explained, and a stack, which
says whether the program's own code or an installed package raised it. A known error that a
package raised may be a fault of that package, which no record of the message can know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from errdex import lazy_re as re
from errdex.formats.answer import FirstSteps
from errdex.matching.installed_packages import InstalledPackage, installed_package
from errdex.matching.model import Event, Frame, Role
from errdex.matching.own_code import is_own
from errdex.records.causes import Cause
from errdex.records.messages.filling import fill_prose, joined

_UPDATES = {
    "pip": "python -m pip install --upgrade {{package}}",
    "npm": "npm install {{package}}@latest",
    "gem": "bundle update {{package}}",
    "composer": "composer update {{package}}",
    "cargo": "cargo update -p {{package}}",
    "go": "go get {{package}}@latest",
    "pub": "dart pub upgrade {{package}}",
    "hex": "mix deps.update {{package}}",
}
_OWN = (
    "{{package}} raised it, called from your own code in {{file}} line {{line}}: see first what "
    "that line passes to it."
)
_OWN_ALONE = "Your own code raised it, in {{file}} line {{line}}: see there what it checks for."
_UPDATE = (
    "If your call is right, the fault may be in {{release}}. See whether a newer release "
    "fixes it, and search its issues:\n```sh\n%s\n```"
)
_BACK = (
    "If it began with an upgrade, go back to the versions that worked; the history of your lock "
    "file has them."
)
_NAMED_ONLY = (
    "Find the first line of the stack that is of your own packages: what that call passes is "
    "where to look first."
)

_PLAIN_END = re.compile(r"(?:[\w@.+-]{1,60}/)?[\w@.+-]{1,80}$")
"""The end of a path that neither is a link nor marks code, whatever a paste has in it."""


def first_steps(event: Event, cause: Cause | None, repo: str | None) -> FirstSteps | None:
    """The steps, the most likely to help first; None where nothing can be said. `repo` is that of
    the record that matches, which says the rest: then only another package that raised the error
    is spoken of."""
    if event.role is Role.SYMPTOM:
        return None
    package = installed_package(event.frames[-1]) if event.frames else None
    where = _where_to_look(event.frames, package)
    update = _update(package) if package else []
    if repo is not None:
        other = package and not _is_of(package, repo)
        steps = [*where, *update] if other else []
        cause = None
    else:
        steps = [*where, *update, *(cause.checks if cause else ()), *([_BACK] if package else ())]
    if not (steps or cause):
        return None
    return FirstSteps(
        cause_tag=cause.tag if cause else None,
        cause_title=cause.title if cause else None,
        explanation=cause.text if cause else None,
        package=package.name if package else None,
        package_version=package.version if package else None,
        steps=steps,
    )


def _is_of(package: InstalledPackage, repo: str) -> bool:
    """Whether the package is what the repository makes, as far as their names say."""
    return _letters(package.name.rpartition("/")[2]) == _letters(repo.rpartition("/")[2])


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]|py$|js$", "", name.lower())


def _where_to_look(frames: Sequence[Frame], package: InstalledPackage | None) -> list[str]:
    own = next(filter(is_own, reversed(frames)), None)
    if own is None or own.line is None:
        return []
    file = own.file or ""
    plain = _PLAIN_END.search(file.replace("\\", "/"))
    values = {
        "package": package.name if package else "",
        "file": plain[0] if plain else "the file that the stack names,",
        "line": str(own.line),
    }
    if package:
        return [_filled(_OWN, values)]
    if "/" in file or "\\" in file:
        return [_filled(_OWN_ALONE, values)] if own is frames[-1] else []
    return [_NAMED_ONLY] if len(frames) > 1 else []  # as Java and .NET write stacks


def _update(package: InstalledPackage) -> list[str]:
    release = f"{package.name} {package.version}" if package.version else package.name
    values = {"package": package.name, "release": release}
    return [_filled(_UPDATE % _UPDATES[package.manager], values)]


def _filled(text: str, values: Mapping[str, str]) -> str:
    return joined(fill_prose(text, values, values))
