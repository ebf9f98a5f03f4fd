"""Lines that programs and people write about something else than an error above them.

Nothing marks the end of a message, and what stands below is often the next line of a log that
has no header, or what someone wrote below a paste. Only beginnings are taken that a message's
second line hardly has.
"""

from __future__ import annotations

from collections.abc import Collection

from errdex import lazy_re as re

_LEVEL = "(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)"
_ACTIVITY = (
    "Accept|Attach|Boot|Build|Cach|Clean|Clos|Compil|Connect|Deploy|Disconnect|Download|Exit|Fetch"
    "|Finish|Flush|Initiali[sz]|Install|Launch|Listen|Load|Migrat|Monitor|Poll|Publish|Reconnect"
    "|Register|Reload|Restart|Restor|Resum|Retry|Sav|Schedul|Serv|Shutt|Skipp|Sleep|Spawn|Start"
    "|Stopp|Subscrib|Sync|Terminat|Upload|Wait|Watch"
)
"""What programs say that they do, without its ending."""

_NO_ACTIVITY = (
    "(?:Missing|Expecting|Existing|Remaining|Following|Including|Conflicting|Corresponding|During"
    "|Offending|Underlying|Pending|Nothing|Anything|Something|Everything|String|Setting|Warning"
    "|According|Depending|Considering|Duplicating|Passing|Mapping|Meaning) "
)
"""Words with the same ending that a message goes on with."""

_OWN_LINE = re.compile(
    r"(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4}:[0-9a-f:]{2,38}|localhost)(?::\d{1,5})? - "  # access
    r"|[^\s\"':=]{1,40} [\[(]?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d[\], ])"  # a time
    r"|(?:time|ts|level|lvl)=\S"
    rf"|[^\s\"']{{1,40}}[ |]{{1,4}}[\[(]?{_LEVEL}(?:[\])|:]| [-|:]|  )"
    r"|\[?(?:trace|debug|info|notice|warn)(?:\]|:| -) "
    r"|\[[A-Za-z][\w:.-]{0,30}\] \S"  # a component
    r"|[a-z][\w.-]{0,30}\[\d{1,7}\]: "  # a process
    r"|(?:worker|rank|client|server|consumer|replica|shard|executor) ?[#-]?\d{1,6}\b[:\]|]* \S"
    r"|(?:Epoch|Step|Iteration|Iter|Batch)[ :\[]{1,2}\d"  # progress
    r"|[^\n%]{0,60}\b\d{1,3}%(?:\||[ \[]{1,3}[█━#=▏▎▍▌▋▊▉╸>-])"
    r"|\[\d{1,6}/\d{1,6}\] \S"
    rf"|(?:{_ACTIVITY})(?:ing|ed)(?:[ :]|\.\.\.|$)"
    rf"|(?!{_NO_ACTIVITY})[A-Z][a-z]{{2,14}}ing(?: \S{{1,60}}){{1,8}}(?<![\w)]\.)\s*$"
    r"|(?:start|restart|stopp|shutt|listen|connect|load|retry|wait|clean|serv|exit)ing "
    r"(?:on|to|for|from|up|down|over|in|the|again|server|worker|service|with|at) ?\S*"
    r"|Sentry is attempting to send|Press (?:Ctrl|CTRL|\^C)|Done(?:[.! ]|$)|[✓✔] \S"
    r"|(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) /\S* (?:HTTP/\d|\d{3}\b)"
    r"|[\w.-]{1,80} exited with code \d|\d{1,6} (?:passed|failed|skipped|tests?|jobs?)\b"
    r"|\d{1,7}:[MSCX] \d\d [A-Z][a-z]{2} \d{4} "  # redis
    r"|[^\s:]{1,300}:\d{1,7}: \w{0,60}Warning: "
    r"|> [@\w./-]{1,100}@\d\S* |\s{1,4}-{6,} | {2}[A-Z]+ v\d[\d.]* +ready in"
    r"|Using (?:cached|device|backend|default)\b"
    # what a server answered, what a job came to
    r"|(?:[A-Z][a-z']{1,20} ?){1,4}(?:\([^()\n]{0,80}\))?: /[^\s:]{0,300}$"
    r"|Task [\w.]{1,120}\[[^\]\n]{1,80}\] "
    r"|[^\n]{0,80}\bexit(?:ed)?(?: with)? (?:code|status):? -?\d"
    r"|[EWN]: [A-Z]|[.EFsSxXpP]{1,200}(?:\s{1,80}\[ {0,2}\d{1,3}%\])?$"  # apt, a runner's progress
    # a prompt
    r"|(?:\([\w.-]{1,40}\) )?(?:\[?[\w.-]{1,40}@[\w.-]{1,60}[: ][^\n$#%]{0,200}?\]?[$#%](?: |$)"
    r"|(?:PS )?[A-Z]:\\[^<>\n]{0,200}>|[❯➜λ] )"
    # what people add
    r"|(?:Any (?:idea|help|hint|suggestion|advice)|Does any(?:one|body)"
    r"|Can (?:any|some)(?:one|body)|[Pp]lease help|Thank(?:s| you)\b"
    r"|I(?:'m|'ve| have| am| get| got| tried| think| also| use)\b"
    r"|How (?:can|do|should) I|What (?:am I|is wrong|could be|should I)|Why (?:is|does|do)\b|My )"
)
_CLOSING = re.compile(r"(?P<quote>['\"])(?P=quote){0,2}\s*(?:$|[,)\]}])")
_GOES_ON = tuple(":,;([{\\-=")


def is_own_line(head: str, above: Collection[str]) -> bool:
    """Whether a line below the lines `above` of a message surely does not go on with it: it
    begins so, and none of them announces more; or it closes a quotation that the whole error
    stands in."""
    if head[:1] in ("'", '"') and _CLOSING.match(head):
        return sum(line.count(head[0]) for line in above) % 2 == 0
    return _OWN_LINE.match(head) is not None and not any(
        line.rstrip().endswith(_GOES_ON) for line in above
    )
