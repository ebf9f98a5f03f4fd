"""How much a message says: nothing but that something failed, or which activity did.

A wrapper says that it could not do its work; why, an error beside it says. Both are known by
the words: a message of none but words for errors says nothing, and one that begins with a
failed activity and gives no reason behind it says only what was being done.
"""

from __future__ import annotations

from errdex import lazy_re as re

_SHORTEST, _LONGEST = 5, 300
_EMPTY = frozenset(
    """
    a an the this that these those of in to for at on from with by as and or it its there which
    is was were be been being has have had will would did does do not never no now while during
    when after before more some any one other another following previous above below see error
    errors exception exceptions fault failure failures failed fail failing fails fatal critical
    severe unhandled uncaught unexpected unknown internal general generic server application app
    issue issues problem problems identified
    system check some program process processing task tasks thread event loop main future promise
    rejection
    callback handler
    request response run running occurred occurs happened encountered raised thrown threw caught
    catched handled retrieved reported detected got something went wrong please try again later
    oops sorry details detail log logs stack trace traceback information info
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_WORD = re.compile(r"[^\W\d_]+(?:'\w+)?")
_PATH = re.compile(r"\S*[/\\]\S*|\(\w{0,20}\)")
_LEVEL = re.compile(r"(?:\[?(?:[Ee]rror|ERROR|[Ff]atal|FATAL|failure)\]?:? +|[\w.-]{1,40}: +){0,3}")
_ACTIVITY = (
    "build|install|instal|compil|execut|run|process|render|prepar|bundl|generat|complet|initiali[sz]"
    "|evaluat|deploy|publish|packag|link|configur|migrat|import|load|creat|instantiat|invok|apply"
    "|perform|updat|upgrad|instantiat|start|launch|boot|setup|set up|transform|transpil|collect"
    "|prerender|execut|submit|handl|finaliz|bootstrap|provision|sync|synchroniz|test|lint|call"
)
_WORK = (
    "build|compil|install|complet|deploy|publish|packag|bundl|render|generat|start|launch|proceed"
)
"""What one cannot do for a reason; one cannot load or find a thing that is not there."""
_OUTER = re.compile(
    rf"(?:(?i:failed to (?:{_ACTIVITY})|(?:unable to|could not|couldn't|cannot|can't) (?:{_WORK}))"
    rf"(?:e|y|ify)?\b"
    rf"|(?i:(?:an? )?(?:unexpected |unknown |internal |fatal )?(?:error|exception|failure)"
    rf"(?: has)?(?: (?:occurred|encountered|thrown|raised))?"
    rf"(?: (?:while|when|during|in|on|at|occurred|trying to))* (?:the )?(?:{_ACTIVITY})\w{{0,8}}\b)"
    rf"|(?i:failed (?:{_ACTIVITY})(?:ing|ation)\b))"
    r"(?P<rest>[^\n]*)",
)
_REASON = re.compile(r"(?:: | - | -> |; )\S|\b(?:because|due to|since)\b|\([^)\n]{0,40}E[A-Z]{3,}")


_HEADING = re.compile(r"\s*Invalid `[^`\n]{1,200}` invocation(?: in)?:?(?:\s+\S+:\d+:\d+)?\s*$")
"""What Prisma writes above the source and the reason."""
_ADVICE = re.compile(
    r"If you [^\n,]{1,120}, (?:please |you (?:can|may|must|should|need)|remember |make sure |try "
    r"|use |run |see |check |set |consider )"
    r"|For (?:more|further|additional|detailed) (?:information|details|help)\b"
    r"|(?:Please )?(?:include|attach|report|submit|provide|refer|consult|contact|visit) "
    r"[^\n]{0,80}\b(?:bug|report|request|support|issue|file|log|documentation|manual)s?\b",
    re.IGNORECASE,
)


def is_advice(message: str) -> bool:
    """Whether a message says what the reader may do, and not what failed: `For more information,
    …`."""
    head = message[:_LONGEST]
    level = _LEVEL.match(head)
    return _ADVICE.match(head, level.end() if level else 0) is not None


def says_nothing(message: str) -> bool:
    """Whether a message has no words but those for errors: `Unhandled exception in event loop`."""
    if not _SHORTEST <= len(message) <= _LONGEST:
        return False
    words = _WORD.findall(_PATH.sub(" ", message))
    return bool(words) and all(word.lower() in _EMPTY for word in words)


def is_outer(message: str) -> bool:
    """Whether a message says which activity failed, and not why: `Failed to build gem native
    extension.`"""
    head = message[:_LONGEST]
    level = _LEVEL.match(head)
    if _HEADING.match(head):
        return True
    # The word for a level may as well begin the message: `Error applying plan:`.
    found = _OUTER.match(head, level.end() if level else 0) or _OUTER.match(head)
    return found is not None and _REASON.search(found.group("rest").rstrip(": ")) is None
