"""What each template is given, one dataclass a page. A test holds the fields against the
names that the template uses, both ways."""

from __future__ import annotations

from collections.abc import Sequence

from errdex.web.pages.contexts.docs import (
    DocsBody,
    DocsField,
    DocsForm,
    DocsPage,
    DocsParameter,
    DocsRoute,
    ManualLink,
    ManualPage,
)
from errdex.web.pages.contexts.lists import (
    AboutDataPage,
    AboutPage,
    CausePage,
    CausesPage,
    Common,
    FacetGroup,
    FacetLink,
    HomePage,
    RepoPage,
    SearchPage,
    ValuePage,
    ValuesPage,
)
from errdex.web.pages.contexts.match import DraftPage, KeptAnswerPage, MatchPage, SharedPage
from errdex.web.pages.contexts.page import Crumb, ErrorPage, PageContext
from errdex.web.pages.contexts.record import (
    Excerpt,
    MessagePiece,
    PatternTest,
    PlaceView,
    RecordPage,
)

__all__ = [
    "PAGES", "AboutDataPage", "AboutPage", "CausePage", "CausesPage", "Common", "Crumb",
    "DocsBody", "DocsField", "DocsForm", "DocsPage", "DocsParameter", "DocsRoute", "DraftPage",
    "ErrorPage", "Excerpt", "FacetGroup", "FacetLink", "HomePage", "KeptAnswerPage",
    "ManualLink", "ManualPage", "MatchPage", "MessagePiece", "PageContext", "PatternTest",
    "PlaceView", "RecordPage", "RepoPage", "SearchPage", "SharedPage", "ValuePage", "ValuesPage",
]  # fmt: skip

PAGES: Sequence[type[PageContext]] = (
    HomePage,
    RecordPage,
    SearchPage,
    MatchPage,
    SharedPage,
    KeptAnswerPage,
    DraftPage,
    ValuesPage,
    ValuePage,
    CausesPage,
    CausePage,
    RepoPage,
    AboutPage,
    AboutDataPage,
    DocsPage,
    ManualPage,
    ErrorPage,
)
