"""Draws curves as SVG, which browsers and GitHub show beside the tables."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 60, 20, 40, 50
COLOURS = ["#1f5fa8", "#c2571a", "#2e7d4f", "#7b3f98", "#8a6d1a", "#444444"]


class Axis:
    """Maps values to positions; logarithmically if `doubling`, between powers of two."""

    def __init__(self, values, begin, end, doubling):
        self.doubling = doubling
        self.low = 2.0 ** math.floor(math.log2(min(values))) if doubling else 0
        self.high = 2.0 ** math.ceil(math.log2(max(values))) if doubling else max(values)
        self.begin, self.end = begin, end

    def place(self, value):
        if self.doubling:
            share = math.log(value / self.low) / (math.log(self.high / self.low) or 1)
        else:
            share = value / (self.high or 1)
        return self.begin + share * (self.end - self.begin)

    def ticks(self):
        if self.doubling:
            return [self.low * 2.0**i for i in range(round(math.log2(self.high / self.low)) + 1)]
        step = 10 ** math.floor(math.log10(self.high or 1))
        step = next(step * m for m in (0.1, 0.2, 0.5, 1, 2, 5) if self.high / (step * m) <= 8)
        return [step * i for i in range(int(self.high / step + 1e-9) + 1)]


def text(x, y, words, anchor="middle", colour="#222"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'


def line(x1, y1, x2, y2):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#ddd"/>'


def grid(x, y, name_of):
    parts = []
    for tick in x.ticks():
        parts += [line(x.place(tick), TOP, x.place(tick), HEIGHT - BOTTOM)]
        parts += [text(x.place(tick), HEIGHT - BOTTOM + 16, name_of(tick))]
    for tick in y.ticks():
        parts += [line(LEFT, y.place(tick), WIDTH - RIGHT, y.place(tick))]
        parts += [text(LEFT - 6, y.place(tick) + 4, f"{tick:g}", "end")]
    return parts


def curve(x, y, points, colour):
    places = [(x.place(a), y.place(b)) for a, b in points]
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    dots = [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.5" fill="{colour}"/>' for a, b in places]
    return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>', *dots]


def level(y, value, colour):
    return (f'<line x1="{LEFT}" y1="{y.place(value):.1f}" x2="{WIDTH - RIGHT}" y2="{y.place(value):.1f}" '
            f'stroke="{colour}" stroke-dasharray="6 4"/>')


def draw(title, across, up, curves, levels=(), doubling=(True, False), name_of=lambda n: f"{n:g}"):
    """The text of a picture; both axes may be logarithmic. curves: names and points. levels: names
    of curves and published values, drawn as broken lines in the curve's colour."""
    xs = [a for points in curves.values() for a, _ in points]
    ys = [b for points in curves.values() for _, b in points] + [value for _, value in levels]
    x = Axis(xs, LEFT, WIDTH - RIGHT, doubling[0])
    y = Axis(ys, HEIGHT - BOTTOM, TOP, doubling[1])
    colour_of = dict(zip(curves, COLOURS))
    parts = [text(WIDTH / 2, 20, title), text(WIDTH / 2, HEIGHT - 10, across), text(LEFT, TOP - 8, up)]
    parts += grid(x, y, name_of)
    for name, points in curves.items():
        parts += curve(x, y, points, colour_of[name])
    parts += [level(y, value, colour_of[name]) for name, value in levels]
    parts += [text(LEFT + 10, TOP + 16 * (i + 1), name, "start", colour_of[name]) for i, name in enumerate(curves)]
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'font-family="sans-serif" font-size="12">\n<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n')
    return head + "\n".join(parts) + "\n</svg>\n"
