"""How classes of the Java virtual machine are printed: with their packages."""

from __future__ import annotations

from dataclasses import dataclass, field

_LANG = frozenset(
    """
    ArithmeticException ArrayIndexOutOfBoundsException ArrayStoreException AssertionError
    ClassCastException ClassNotFoundException CloneNotSupportedException Error Exception
    ExceptionInInitializerError IllegalAccessException IllegalArgumentException
    IllegalCallerException IllegalMonitorStateException IllegalStateException
    IllegalThreadStateException IncompatibleClassChangeError IndexOutOfBoundsException
    InstantiationException InternalError InterruptedException LinkageError
    NegativeArraySizeException NoClassDefFoundError NoSuchFieldException NoSuchMethodException
    NullPointerException NumberFormatException OutOfMemoryError ReflectiveOperationException
    RuntimeException SecurityException StackOverflowError StringIndexOutOfBoundsException Throwable
    TypeNotPresentException UnsatisfiedLinkError UnsupportedOperationException VerifyError
    VirtualMachineError
    """.split()  # noqa: SIM905 - a list of words reads best as words
)


@dataclass(slots=True)
class PrintedClasses:
    """The classes that a file has or imports."""

    package: str = ""
    imports_all: bool = False
    """Whether a class may come from a package of which all is imported."""
    known: dict[str, str] = field(default_factory=dict)

    def note_import(self, name: str) -> None:
        """Note a class that is imported by its full name."""
        self.known.setdefault(name.rpartition(".")[2], name)

    def note_class(self, outer: list[str], name: str) -> None:
        """Note a class of the file, in the classes around it."""
        package = f"{self.package}." if self.package else ""
        self.known[name] = package + "$".join([*outer, name])

    def full_name(self, name: str) -> str:
        """A class as a stack trace prints it, where the file tells its package."""
        outer, dot, inner = name.partition(".")
        if dot and outer[:1].isupper():
            return f"{self.full_name(outer)}${inner.replace('.', '$')}"
        if dot:
            return name
        known = self.known.get(name)
        if known is None and name in _LANG:
            return f"java.lang.{name}"
        if known is None and self.package and not self.imports_all:
            return f"{self.package}.{name}"
        return known or name


def simple_name(name: str) -> str:
    """A class without its package and the classes around it."""
    return name.replace("$", ".").rpartition(".")[2]
