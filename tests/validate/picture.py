"""Curves as SVG: what a browser and GitHub show beside the tables.

Pictures are 480 units wide, and their letters 15 units high. A phone whose window is 360 pixels wide
shows a picture about 328 pixels wide, so its letters are 10 pixels high. Larger windows show a picture
in its own width of 600 pixels."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 480, 360  # HEIGHT is without the names of curves
LEFT, RIGHT, TOP, BOTTOM = 62, 22, 54, 52
LETTER, LINE = 15, 20
SHOWN = 600 / WIDTH  # pixels a unit, where a window has room
COLOURS = ["#1f5fa8", "#c2571a", "#2e7d4f", "#7b3f98", "#8a6d1a", "#444444"]


class Axis:
    """Values to places; logarithmic where `doubling`, between powers of two."""

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


def frame(height, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH * SHOWN:.0f}" height="{height * SHOWN:.0f}" '
            f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="{LETTER}">\n'
            f'<rect width="{WIDTH}" height="{height}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")


def text(x, y, words, anchor="middle", colour="#222"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'


def key(x, y, colour, words):
    """A colour and what it stands for; y is the top."""
    return [f'<rect x="{x}" y="{y}" width="14" height="14" fill="{colour}"/>', text(x + 22, y + 12, words, "start")]


def line(x1, y1, x2, y2):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#ddd"/>'


def grid(x, y, name_of):
    """Lines and their values. Across, only every second or third line has its value if there is no room."""
    parts, ticks = [], x.ticks()
    widest = max(len(name_of(tick)) for tick in ticks) * 0.65 * LETTER + 6
    every = math.ceil(widest * len(ticks) / (WIDTH - LEFT - RIGHT))
    for i, tick in enumerate(ticks):
        parts += [line(x.place(tick), TOP, x.place(tick), HEIGHT - BOTTOM)]
        parts += [text(x.place(tick), HEIGHT - BOTTOM + 18, name_of(tick))] if i % every == 0 else []
    for tick in y.ticks():
        parts += [line(LEFT, y.place(tick), WIDTH - RIGHT, y.place(tick))]
        parts += [text(LEFT - 6, y.place(tick) + 5, f"{tick:g}", "end")]
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
    """The text of a picture, whose axes across and up are logarithmic or not. curves: names and points; levels:
    names of curves and values that were published, drawn as broken lines in the curve's colour. The names
    are below, where no curve crosses them; that of a single curve stands at its axis."""
    xs = [a for points in curves.values() for a, _ in points]
    ys = [b for points in curves.values() for _, b in points] + [value for _, value in levels]
    x = Axis(xs, LEFT, WIDTH - RIGHT, doubling[0])
    y = Axis(ys, HEIGHT - BOTTOM, TOP, doubling[1])
    colour_of = dict(zip(curves, COLOURS))
    keys = list(curves) if len(curves) > 1 else []
    up = up if keys else f"{up} {next(iter(curves))}"
    parts = [text(WIDTH / 2, 22, title)] if title else []
    parts += [text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, across), text(8, TOP - 12, up, "start")]
    parts += grid(x, y, name_of)
    for name, points in curves.items():
        parts += curve(x, y, points, colour_of[name])
    parts += [level(y, value, colour_of[name]) for name, value in levels]
    for i, name in enumerate(keys):
        parts += key(LEFT, HEIGHT + 4 + LINE * i, colour_of[name], name)
    return frame(HEIGHT + LINE * len(keys) + 8, parts)
