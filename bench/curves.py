"""Draws curves of growth as SVG, light enough to read as text and to follow a theme."""

from __future__ import annotations

import math
from xml.sax.saxutils import escape

from bench.figures import Curve

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 90, 20, 40, 50
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#555}.t{font-weight:600}.g{stroke:#8884}"
    ".c{fill:none;stroke:#2a6fdb;stroke-width:2}.d{fill:#2a6fdb}"
)


def spoken(value: float) -> str:
    """A number as a person writes it: 1,200 or 0.35."""
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def draw(curve: Curve) -> str:
    """The curve over a logarithmic axis of sizes and a linear one of values from 0."""
    sizes = [size for size, _ in curve.points]
    top = max(value for _, value in curve.points) * 1.1 or 1.0
    low, high = math.log10(min(sizes)), math.log10(max(sizes))

    def across(size: float) -> float:
        share = (math.log10(size) - low) / (high - low) if high > low else 0.5
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def down(value: float) -> float:
        return HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(curve.what)}</title><style>{_STYLE}</style>",
        f'<text class="t" x="{LEFT}" y="24">{escape(curve.what)} ({escape(curve.unit)})</text>',
    ]
    for step in range(5):
        value = top * step / 4
        y = f"{down(value):.1f}"
        parts.append(f'<path class="g" d="M{LEFT} {y}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y}" text-anchor="end">{spoken(value)}</text>')
    for size in sizes:
        label = f'<text x="{across(size):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">'
        parts.append(f"{label}{spoken(size)}</text>")
    points = [f"{across(size):.1f} {down(value):.1f}" for size, value in curve.points]
    parts.append(f'<path class="c" d="M{" L".join(points)}"/>')
    for size, value in curve.points:
        said = f"{spoken(size)} {curve.by}: {spoken(value)} {curve.unit}"
        place = f'cx="{across(size):.1f}" cy="{down(value):.1f}"'
        parts.append(f'<circle class="d" {place} r="4"><title>{escape(said)}</title></circle>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{curve.by}</text>')
    return "\n".join([*parts, "</svg>", ""])
