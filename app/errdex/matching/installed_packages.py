"""The installed package that a frame's file belongs to, and what installed it.

Package managers unpack into folders of a known shape, most of which name the package and some its
version.
"""

from __future__ import annotations

from typing import NamedTuple

from errdex import lazy_re as re
from errdex.matching.own_code import FrameLike


class InstalledPackage(NamedTuple):
    """A package as its manager names it."""

    manager: str
    """`pip`, `npm`, `gem`, `composer`, `cargo`, `go`, `pub` or `hex`."""
    name: str
    version: str | None


_NAME = r"(?P<name>[A-Za-z][\w-]{0,80}?)"
_VERSION = r"(?P<version>v?\d[\w.+~-]{0,60})"
_SCOPED = r"(?:@[\w.-]{1,80}/)?[A-Za-z][\w.-]{0,80}"
_FOLDERS = (
    ("pip", rf"(?:site|dist)-packages/{_NAME}(?=/|\.py|\.[\w.-]{{1,60}}\.(?:so|pyd))"),
    ("npm", rf"node_modules/(?P<name>{_SCOPED})/"),
    ("gem", rf"/gems/{_NAME}-{_VERSION}/"),
    ("composer", r"(?:^|/)vendor/(?P<name>[a-z0-9][\w.-]{0,80}/[a-z0-9][\w.-]{0,80})/.*\.php$"),
    ("cargo", rf"registry/src/[^/]{{1,120}}/{_NAME}-{_VERSION}/"),
    ("go", rf"pkg/mod/(?P<name>[\w.-]{{1,80}}(?:/[\w.!-]{{1,80}}){{0,8}})@{_VERSION}/"),
    ("go", r"(?:^|/)vendor/(?P<name>[\w-]{1,40}\.[\w.-]{1,40}(?:/[\w.-]{1,80}){1,2})/.*\.go$"),
    ("pub", rf"\.pub-cache/hosted/[^/]{{1,120}}/{_NAME}-{_VERSION}/"),
    ("pub", r"^package:(?P<name>[a-z]\w{0,80})/"),
    ("hex", r"(?:^|/)deps/(?P<name>[a-z]\w{0,80})/(?:lib|src)/.*\.(?:exs?|erl|hrl)$"),
)
_PATHS = tuple((manager, re.compile(shape)) for manager, shape in _FOLDERS)
_INNERMOST = "node_modules/"
_IMPORTED_AS = {
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "fitz": "PyMuPDF",
    "git": "GitPython",
    "jose": "python-jose",
    "jwt": "PyJWT",
    "MySQLdb": "mysqlclient",
    "OpenSSL": "pyOpenSSL",
    "PIL": "Pillow",
    "pkg_resources": "setuptools",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "telegram": "python-telegram-bot",
    "usb": "pyusb",
    "win32com": "pywin32",
    "yaml": "PyYAML",
    "zmq": "pyzmq",
}
"""Python packages that are imported by another name than they are installed by."""
_LONGEST = 1_000


def installed_package(frame: FrameLike) -> InstalledPackage | None:
    """The package, or None where the path shows none."""
    path = (frame.file or "").replace("\\", "/")
    if not path or len(path) > _LONGEST:
        return None
    inner = path[max(path.rfind(_INNERMOST), 0) :]  # packages have packages of their own
    for manager, shape in _PATHS:
        if found := shape.search(inner):
            return _package(manager, found.groupdict())
    return None


def _package(manager: str, found: dict[str, str | None]) -> InstalledPackage:
    name, version = found["name"] or "", found.get("version")
    if manager == "pip":
        name = _IMPORTED_AS.get(name, name)
    elif manager == "go":
        name = re.sub(r"!([a-z])", lambda each: each[1].upper(), name)
    return InstalledPackage(manager, name, version)
