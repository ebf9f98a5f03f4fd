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
_KOTLIN = {
    name: f"{package}.{name}"
    for package, names in {
        "kotlin": """
            KotlinNothingValueException KotlinNullPointerException NoWhenBranchMatchedException
            NotImplementedError TypeCastException UninitializedPropertyAccessException
            """,
        "java.util": "ConcurrentModificationException NoSuchElementException",
    }.items()
    for name in names.split()
}
"""What each Kotlin file knows besides."""
_STARRED = {
    "java.io": """
        CharConversionException EOFException FileNotFoundException IOException InvalidClassException
        InvalidObjectException NotSerializableException ObjectStreamException
        StreamCorruptedException SyncFailedException UTFDataFormatException UncheckedIOException
        UnsupportedEncodingException
        """,
    "java.net": """
        BindException ConnectException MalformedURLException NoRouteToHostException
        ProtocolException SocketException SocketTimeoutException URISyntaxException
        UnknownHostException
        """,
    "java.nio": "BufferOverflowException BufferUnderflowException ReadOnlyBufferException",
    "java.nio.file": """
        AccessDeniedException DirectoryNotEmptyException FileAlreadyExistsException
        FileSystemException InvalidPathException NoSuchFileException NotDirectoryException
        """,
    "java.sql": """
        BatchUpdateException SQLDataException SQLException SQLFeatureNotSupportedException
        SQLIntegrityConstraintViolationException SQLInvalidAuthorizationSpecException
        SQLNonTransientConnectionException SQLNonTransientException SQLRecoverableException
        SQLSyntaxErrorException SQLTimeoutException SQLTransactionRollbackException
        SQLTransientConnectionException SQLTransientException
        """,
    "java.text": "ParseException",
    "java.time": "DateTimeException",
    "java.util": """
        ConcurrentModificationException DuplicateFormatFlagsException EmptyStackException
        IllegalFormatException InputMismatchException InvalidPropertiesFormatException
        MissingResourceException NoSuchElementException UnknownFormatConversionException
        """,
    "java.util.concurrent": """
        BrokenBarrierException CancellationException CompletionException ExecutionException
        RejectedExecutionException TimeoutException
        """,
}
"""Classes of errors in packages of which all is often imported: `import java.io.*;`."""


@dataclass(slots=True)
class PrintedClasses:
    """The classes that a file has or imports."""

    package: str = ""
    is_kotlin: bool = False
    imports_all: bool = False
    """Whether a class may come from a package of which all is imported."""
    known: dict[str, str] = field(default_factory=dict)
    starred: dict[str, str] = field(default_factory=dict)
    """Of packages of which all is imported. A class of the file itself comes first."""

    def note_import(self, name: str) -> None:
        """Note a class that is imported by its full name."""
        self.known.setdefault(name.rpartition(".")[2], name)

    def note_all(self, package: str) -> None:
        """Note a package of which all is imported."""
        self.imports_all = True
        for name in _STARRED.get(package, "").split():
            self.starred.setdefault(name, f"{package}.{name}")

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
        known = self.known.get(name) or self.starred.get(name)
        if known is None and self.is_kotlin and name in _KOTLIN:
            return _KOTLIN[name]
        if known is None and name in _LANG:
            return f"java.lang.{name}"
        if known is None and self.package and not self.imports_all:
            return f"{self.package}.{name}"
        return known or name


def simple_name(name: str) -> str:
    """A class without its package and the classes around it."""
    return name.replace("$", ".").rpartition(".")[2]
