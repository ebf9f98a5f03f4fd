"""The functions and macros of C and C++ that report errors, by their names."""

from __future__ import annotations

from collections.abc import Sequence

from errdex import lazy_re as re
from errdex.harvest.trees.syntax import Place, one_line

PRINTS_TO = re.compile(
    r"^(?:std::)?(?:fprintf|fprintf_s|vfprintf|fputs|fputs_unlocked|fprint|g_printerr|dprintf|write)$"
)
TO_STDERR = re.compile(r"\(\s*(?:STDERR_FILENO|2)\s*,|\bstderr\b|g_printerr")
"""In a call of one of them."""
_CAUSED = re.compile(r"^(?:perror|verr|err|warn|psignal)$")
"""They print the text of `errno` behind theirs."""
_CAUSED_BY = {"error": 1, "error_at_line": 1, "errc": 1, "verrc": 1, "warnc": 0, "vwarnc": 0}
"""They print the text of the error number that is this argument of theirs, unless it is 0."""
_ERROR_NUMBER = re.compile(
    r"-?(?:\w*errno\w*|E[A-Z0-9]+|e|en|err|error|rc|ret|r|res|result|s|status)"
)
"""How it is written. A project's own `error(parser, line, "…")` takes something else."""
EXITING = frozenset({"err", "verr", "errc", "verrc", "error", "error_at_line"})
"""They end the program, unless the status that they are given first is 0."""
_TROUBLE = frozenset(
    """
    err error errors fatal die panic abort fail failed failure failf bail warn warnx errx croak crit
    critical alert emerg severe usage seterr seterror emsg semsg iemsg errmsg errf errorf fatalf
    verr verrx errc invalid fatalx diex
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_BEHIND_TROUBLE = frozenset(
    """
    printf print fmt format formatted msg message str string text f v va ap at on with in exit ex
    internal log code no errno line loc location pos set vset add put push new create make throw
    raise report record append
    """.split()  # noqa: SIM905 - as above
)
"""Words that may stand behind: `addReplyErrorFormat`, `log_err_msg`, `die_with_code`."""
_ENDS_IN_TROUBLE = re.compile(
    r"(?<!^str)(?<!^on)(?<!^is)(?<!^no)(?<!^get)(?<!^has)(?:error|errorf|errf)$"
)
"""Words written as one: `runerror`, `typeerror`."""
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+\d*")
_SHOUTED = re.compile(
    r"^(?:LOG|PR|DEV|ABORT|FATAL|ERR|PANIC|DIE|FAIL|BAIL|REPORT|RAISE|THROW)\w*?"
    r"(?:ERR|ERROR|FATAL|CRIT)?\w*$|(?:^|_)(?:ERR|ERROR|FATAL|PANIC|CRITICAL|EMSG)(?:_|$)"
)
NOT_REPORTING = re.compile(
    r"LOG_?(?:INFO|DEBUG|WARN|TRACE|VERBOSE|NOTICE)|(?:^|_)(?:no|is|has|get|clear|free)_?err",
    re.IGNORECASE,
)
LEVELLED = re.compile(
    r"(?:^|_|::|->|\.)(?:\w*log|syslog|\w*print\w*|report|message|msg|ereport|elog|log_\w+)$",
    re.IGNORECASE,
)
LEVEL = re.compile(
    r"(?:^|_|::|k)(?:ERR|ERROR|FATAL|CRIT|CRITICAL|ALERT|EMERG|PANIC|SEVERE|Error|Fatal|err|critical)$"
)
STREAMS = re.compile(
    r"^(?:std::)?w?(?:cerr|clog)$|(?:^|_)LOG\w*\((?:\w+::)*_?(?:ERROR|FATAL|DFATAL|CRITICAL|ERR)\b"
)
OPPOSITES = {"EQ": "!=", "NE": "==", "GE": "<", "GT": "<=", "LE": ">", "LT": ">="}
"""What a macro that compares, such as CHECK_GE, complains of."""
CHECK_MACROS = re.compile(
    r"^(?:[A-Z]+_)*D?P?CHECK(?:_[A-Z]{2,})?$|^(?:[A-Z]+_)*(?:ASSERT|ENFORCE|REQUIRE|EXPECT|VERIFY)(?:_MSG|_ALWAYS)?$"
)
CONCATENATING = re.compile(
    r"^(?:TORCH_CHECK\w*|TORCH_INTERNAL_ASSERT\w*|AT_ERROR|AT_ASSERTM?|ORT_ENFORCE|ORT_THROW|PADDLE_THROW|ORT_MAKE_STATUS"
    r"|RAFT_EXPECTS|(?:\w+::)*errors::\w+|(?:arrow::)?Status::[A-Z]\w+|(?:\w+::)*[A-Z]\w+Error)$"
)
"""They print all their arguments, one behind the other."""
PYTHON = re.compile(
    r"^_?PyErr_(?:SetString|Format|FormatV|WarnEx|WarnFormat|SetStringf|FormatUnraisable)$"
)
PYTHON_CLASS = re.compile(r"\bPyExc_(\w+)")
RUBY_CLASS = re.compile(r"\brb_e(\w+)")
RUBY_NAMES = {
    "ArgError": "ArgumentError",
    "ZeroDiv": "ZeroDivisionError",
    "NotImpError": "NotImplementedError",
    "StandardError": "StandardError",
    "Fatal": "fatal",
    "SysStackError": "SystemStackError",
    "LocalJumpError": "LocalJumpError",
}
JAVA = re.compile(r"^JNU_Throw(?!ByName)(\w+)$")
PHP_CLASSES = {
    "zend_type_error": "TypeError",
    "zend_value_error": "ValueError",
    "zend_argument_type_error": "TypeError",
    "zend_argument_value_error": "ValueError",
    "zend_argument_count_error": "ArgumentCountError",
    "zend_throw_error": "Error",
}
ENDING = re.compile(r"(?:^|_|::)(?:die|fatal|panic|abort|bail)(?:_|f?$)", re.IGNORECASE)
LOGGING = re.compile(r"(?:^|_|::|\.|->)(?:\w*log|pr|dev)(?:_|::|\.|->)|^\w*LOG\w*$", re.IGNORECASE)
THROWS = re.compile(r"(?:^|_)(?:THROW|RAISE)(?:_|$)")
"""Macros that throw what they are given."""
MAKES = re.compile(r"::(?:create|make|from)\w*$", re.IGNORECASE)
"""Functions of a class that make one: `type_error::create`."""
NODE = re.compile(r"^THROW_(ERR_\w+)$")
ERROR_VARIABLE = re.compile(
    r"(?:^|[._>])(?:z|sz|psz|p|s|m_)?_?(?:err|error|Err|Error)_?(?:msg|Msg|message|Message|str|Str|string|String|text|buf|buffer"
    r"|desc|reason)?_?(?:\[0\])?$"
)
MACRO_NAME = re.compile(r"(?:^|_)(?:ERR|ERROR|EMSG|FATAL)(?:_|$)|^E_[A-Z]")
_NAMES_TROUBLE = re.compile(r"^(?:err|fault)|(?:err|errors?|errs)$")
_NAMES_MESSAGES = re.compile(r"^(?:messages?|msgs?)$")


def cause_of(function: str, arguments: Sequence[Place], first_text: int) -> str | None:
    """The error number whose text a call prints behind its own message: an expression of C.
    `first_text` is the argument that is the message."""
    if _CAUSED.match(function):
        return "errno"
    at = _CAUSED_BY.get(function)
    if at is None or first_text <= at:
        return None
    number = one_line(arguments[at].node)
    return number if _ERROR_NUMBER.fullmatch(number) else None


def class_of(arguments: str, function: str) -> str | None:
    """The class that a call of an interpreter's C interface raises."""
    if (found := PYTHON_CLASS.search(arguments)) is not None:
        return found[1]
    if not function.startswith("rb_define") and (found := RUBY_CLASS.search(arguments)):
        return RUBY_NAMES.get(found[1], found[1])
    if (found := JAVA.match(function)) is not None:
        return found[1]
    return PHP_CLASSES.get(function)


def prints_error(function: str, call: str) -> bool:
    """Whether a call prints to standard error."""
    return PRINTS_TO.match(function) is not None and TO_STDERR.search(call) is not None


def reports(function: str) -> bool:
    """Whether a function reports errors by its name: its last word, but for words that say
    how it is printed, is one of trouble."""
    if NOT_REPORTING.search(function) is not None:
        return False
    simple = re.split(r"::|->|\.", function)[-1]
    if _SHOUTED.search(simple):
        return True
    words = _words(simple)
    while len(words) > 1 and words[-1] in _BEHIND_TROUBLE and words[-1] not in _TROUBLE:
        words.pop()
    return bool(words) and (words[-1] in _TROUBLE or _ENDS_IN_TROUBLE.search(words[-1]) is not None)


def is_table_of_messages(name: str) -> bool:
    """Whether an array by this name holds messages of errors; `defaults` does not."""
    words = _words(name)
    return tells_error(name) or bool(words and _NAMES_MESSAGES.search(words[-1]))


def tells_error(function: str) -> bool:
    """Whether a function by this name returns the text of an error."""
    words = _words(function)
    return words[-1:] == ["what"] or any(map(_NAMES_TROUBLE.search, words))


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]
