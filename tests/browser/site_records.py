"""A knowledge base for tests in a browser: a record with everything, one with nothing, one
with all that is hard to lay out, and enough others for a second page."""

from __future__ import annotations

from tests.knowledge_base import SHOP, record

WHOLE = record(
    "Cart {cart_id} is frozen while payment {payment!r} is under way",
    id="00000000000000aa",
    slug="cart-is-frozen",
    errorCode="E_FROZEN",
    httpStatus=409,
    errorType="state",
    severity="warning",
    language="python",
    filePath="shop/cart.py",
    lineNumber=41,
    function="Cart.add",
    raisedWhen="self.frozen",
    sourceCode='    def add(self, article):\n        """Put an article in."""\n'
    "        if self.frozen:  # while it is being paid\n            raise ShopError(\n"
    '                f"Cart {self.id} is frozen"\n            )\n        self.articles += 1',
    sourceCodeStart=38,
    sourceCodeEnd=44,
    githubUrl="https://github.com/acme/shop/blob/abcdef1234567890/shop/cart.py#L38-L44",
    documentation="A cart is frozen while it is being paid, so that `total()` stays true.\n\n"
    "Nothing can be added until the payment ends.",
    triggerScenarios="Adding an article during payment.",
    commonSituations="Two tabs of one shop.",
    solutions=["Wait for the payment to end.", "Thaw the cart first: `cart.thaw()`."],
    exampleFix="# Before\ncart.add(article)\n\n# After\ncart.thaw()\ncart.add(article)",
    handlingStrategy="retry-later",
    validationCode="assert not cart.frozen",
    typeGuard="def is_open(cart: Cart) -> bool:\n    return not cart.frozen",
    tryCatchPattern="try:\n    cart.add(article)\nexcept ShopError:\n    later(article)",
    preventionTips=["Ask `cart.frozen` before.", "Keep payments short."],
    samples=["ShopError: Cart 17 is frozen while payment 'P-4' is under way"],
    references=["https://example.com/carts"],
    tags=["cart", "checkout", "python"],
    backgroundTag="wrong-state",
    analyzedSha="abcdef1234567890",
    analyzedAt="2026-08-28T10:00:00Z",
)
BARE = record("Nothing else is known", id="00000000000000bb", errorClass=None)
_LONG = "Supercalifragilistic" * 8
WIDE = record(
    f"{_LONG} {{hole_{_LONG}}} <script>alert(1)</script> ünïcödé 🙂",
    id="00000000000000cc",
    repo=f"owner-{'x' * 60}/name-{'y' * 90}",
    errorClass=f"com.example.{_LONG}Exception",
    errorCode=f"E_{_LONG}",
    documentation=f"{_LONG} `{_LONG}` https://example.com/{_LONG}",
    solutions=[_LONG, f"Run `{_LONG} --{_LONG}`.", "```\n" + f"{_LONG} {_LONG}" + "\n```"],
    exampleFix=f"# Before\n{_LONG}()\n\n# After\n{_LONG}({_LONG})",
    filePath=f"src/{_LONG}/{_LONG}.py",
    lineNumber=3,
    sourceCode=f"def f():\n    {_LONG}\n    raise {_LONG}({_LONG})",
    sourceCodeStart=1,
    sourceCodeEnd=3,
    tags=[_LONG, "checkout"],
    backgroundTag=f"background-{_LONG}",
    references=[f"https://example.com/{_LONG}"],
    preventionTips=[_LONG],
)
MODULE = record(
    "No module named '{module}'",
    id="00000000000000dd",
    slug="no-module-named",
    repo="python/cpython",
    errorClass="ModuleNotFoundError",
    language="python",
    documentation="Python found no module of this name.",
    solutions=["Install it: `python -m pip install {{module}}`."],
)
TWINS = [
    record("The tap {tap} drips into {sink}", id=f"00000000000000e{n}", repo=f"acme/tap{n}")
    for n in (1, 2)
]
MANY = [
    record(f"Shelf {number} of {{warehouse}} holds no article", tags=["shelf", "checkout"])
    for number in range(1, 46)
]
CAUSE = {
    "tag": "empty-input",
    "title": "Nothing was put into it",
    "text": "The input is empty.\n\nEither it was never filled, or something emptied it.",
    "tell": "The message names the input: `basket`, `order`.",
    "checks": [
        "Print it before the call. `shop basket show --verbose --with-a-long-option=1`",
        "Who fills it? A-very-long-word-without-a-break-in-it-that-is-wider-than-a-narrow-screen.",
    ],
}
RECORDS = [CAUSE, *SHOP, WHOLE, BARE, WIDE, MODULE, *TWINS, *MANY]

PASTE = """2026-11-29 09:14:02,118 INFO worker started
Traceback (most recent call last):
  File "/srv/app/jobs.py", line 31, in run
    import requestz
ModuleNotFoundError: No module named 'requestz'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/app/worker.py", line 58, in work
    job.run()
app.jobs.JobError: job 7 went astray
2026-11-29 09:14:03,001 ERROR ShopError: The tap 7 drips into the blue sink
2026-11-29 09:14:04,201 ERROR ShopError: The tap 8 drips loudly beside the blue sink
"""
"""A cause, what came of it, two records that nothing tells apart, and a near miss."""

WHOLE_PAGE = "/errors/00000000000000aa/cart-is-frozen"
PAGES = {
    "home": "/",
    "search": "/search?q=basket",
    "search-filtered": "/search?q=shelf&tag=shelf&repo=acme/shop",
    "search-nothing": "/search?q=zzzzqqqq",
    "all": "/search",
    "record": WHOLE_PAGE,
    "record-bare": "/errors/00000000000000bb/nothing-else-is-known",
    "record-wide": "/errors/00000000000000cc",
    "match": "/match",
    "match-answer": "/match?example=python",
    "match-shared": "/match/shared?r=00000000000000dd#v=%5B%7B%22module%22%3A%22requestz%22%7D%5D",
    "draft": "/draft",
    "match-kept": "/match/kept?n=1",
    "repos": "/repos",
    "repo": "/repos/acme/shop",
    "classes": "/classes",
    "class": "/classes/ShopError",
    "tags": "/tags",
    "tag": "/tags/checkout",
    "causes": "/causes",
    "cause": "/causes/empty-input",
    "about": "/about",
    "about-data": "/about/data",
    "docs": "/docs",
    "manual": "/docs/records",
    "error": "/carts/basket-locked.html",
    "bad-question": "/search?cursor=x",
}
"""Each page of the site, and an address that shows it."""
