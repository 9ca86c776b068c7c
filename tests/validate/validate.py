"""Writes the page that compares virtual machines with published figures of the parts that they stand
for. usage: validate.py [--quick] [--kept FILE] PAGE

--quick measures a small part, as a test that everything can be measured and the page written. With
--kept, what is measured is kept in FILE at once. A later run with the same command, programs and
measurements takes it from there, so a run that was interrupted goes on where it was."""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import sys
import threading
import tomllib

import machine as machines
import measure
import picture
import tables

HERE = pathlib.Path(__file__).parent
PARTS = {
    "i7-6700": "virtual:skl,part=i7-6700,pages=2M",
    "2 x E5-2680 v2": "virtual:ivbep,part=e5-2680v2,pages=2M",
    "4 x X7560": "virtual:nhmex,part=x7560,pages=2M",
}
FOOTPRINTS = ["4K", "8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M", "2M", "4M", "8M", "16M", "32M", "64M"]
CORES = {"i7-6700": [1, 2, 3, 4], "2 x E5-2680 v2": [1, 4, 10, 20], "4 x X7560": [1, 8, 32]}
PROGRAMS = [("gzip", 4096, "8M"), ("gzip", 4096, "256K"), ("sort", 4096, "8M"), ("sort", 4096, "1M")]

HEAD = """# How true the machine models are

`make validate` writes this page. It runs the workloads below on virtual machines and compares the
counts with figures that others published. No result is typed in: a change of a model changes the
page. `tests/validate/published.toml` and `tests/validate/tables/` have the published figures with their
sources, and `tests/validate/measure.py` has the measurements. An asterisk marks a figure that was read in a page
that quotes the source, not in the source itself.

Each figure is compared on a machine with the part and memory that it was measured with
(`boxscore info skl` lists them). The goal is an error of at most 10 % for latencies, 15 % for
bandwidths of memory, 25 % for those of caches and for loops, 2 % for traffic ratios and pages, 30 % for contended additions, and 50 % for locks.

- A *fitted* figure sets a key of the part: the part has the key's value from it, so it shows no more
  than that the part has been set.
- A figure *by hand* follows from what the program does, such as two bytes read for each byte written.
- All others are *predictions*: results of the model's mechanisms.

If sources contradict each other, both are shown and the nearer one is the goal. A table of a source is
compared as a whole, and each of its figures counts: [whole tables](validation-tables.md). What is left of a
source is [named](#what-is-not-compared), too.
"""

MEASURED = {
    "Latency": "The time from load to use in `chase`: each load waits for the one before, and the lines are in a random order. Memory: lines that no cache holds.",
    "NUMA": "The same for lines in memory, of the core's own package or of another one.",
    "Lines of other cores": "The time to get lines that another core has stored to, has loaded, or waits for (`transfer`), without prefetchers.",
    "Threads": "The time of an operation of one thread, while all of them fight for one line (`tests/validate/loops.c`), the time one way when two threads change a word by turns, and the lines that move.",
    "Loops": "Cycles of a round of a loop whose data are in L1 (`tests/validate/loops.c`).",
    "Cache bandwidth": "Bytes that a loop of 32-byte accesses loads and stores in a second, or in a cycle, without lines that are read because they are written (`tests/validate/loops.c`).",
    "Bandwidth": "Bytes that a traced program's loop loads and stores in a second (`tests/validate/loops.c`), with one thread per core.",
    "Traffic": "Bytes that go to and from memory for each byte that a loop loads or stores. The arrays are larger than the caches.",
    "Pages": "Where Linux puts pages, and what clearing them moves (`tests/validate/pages.c`), beside counts made by hand: 16 MiB are 262,144 lines of 64 bytes, and 8 bytes of the page table for each of their 4,096 pages are 512 lines.",
}


def each(function, items):
    """The function's result for each item; as many at once as there are CPUs."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))


def curves_of(function, places):
    """places: (curve, place, ...). By curve, the places and the function's results there."""
    curves = {}
    for (curve, place, *_), value in zip(places, each(lambda item: function(*item[1:]), places)):
        curves.setdefault(curve, []).append((place, value))
    return curves


# ---- what has been measured ----


def identity():
    """Of all that a measured value depends on, besides its arguments."""
    whole = hashlib.sha256()
    command = pathlib.Path(machines.BOXSCORE)
    tracer = command.parent / "tracer" / "boxscore-tracer-amd64-linux"
    for path in (command, tracer, pathlib.Path(measure.LOOPS), pathlib.Path(measure.PAGES), HERE / "measure.py", HERE / "machine.py"):
        if path.exists():
            whole.update(path.read_bytes())
    return whole.hexdigest()


class Kept:
    """Values in a file, a line each. A line that is not whole, or of another command, is passed over."""

    def __init__(self, path, of):
        self.path, self.of, self.lock, self.values = pathlib.Path(path), of, threading.Lock(), {}
        text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
        if text and not text.endswith("\n"):
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\n")
        for line in text.splitlines():
            try:
                kept = json.loads(line)
            except json.JSONDecodeError:
                continue
            if kept["of"] == of:
                self.values[json.dumps(kept["measure"])] = kept["value"]

    def keeping(self, function):
        @functools.wraps(function)
        def measured_once(*arguments):
            key = json.dumps([function.__name__, *arguments])
            if key not in self.values:
                value = function(*arguments)
                with self.lock, self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"of": self.of, "measure": json.loads(key), "value": value}) + "\n")
                self.values[key] = value
            return self.values[key]

        return measured_once


def keep_in(path, figures):
    kept = Kept(path, identity())
    for name in {figure["measure"][0] for figure in figures} | {"contended", "remote_transfer", "link_bandwidth", "loop_bandwidth", "node_latency", "latency", "memory_latency", "hits", "bandwidth", "transfer", "page_hits", "program"}:
        setattr(measure, name, kept.keeping(getattr(measure, name)))


# ---- published figures ----


def read_figures():
    single = tomllib.loads((HERE / "published.toml").read_text(encoding="utf-8"))["figure"]
    return single + [figure for table in tables.read() for figure in tables.figures(table)]


def in_unit(figure, value):
    return value * figure["ghz"] if figure["unit"] == "cycles" else value


def measured(figure):
    name, *arguments = figure["measure"]
    return in_unit(figure, getattr(measure, name)(figure["machine"], *arguments))


def is_reached(figure):
    """Whether the measured value is as near as the goal wants, or rounds to the published one."""
    near = abs(figure["measured"] - figure["value"]) <= figure.get("rounded", 0)
    return near or abs(figure["error"]) <= figure["goal"]


def compare(figures):
    """Adds to each figure the measured value, the error in per cent, and whether the goal is reached.
    Of rivals, only the nearest counts. A figure of a table that is one of published.toml counts there."""
    for figure, value in zip(figures, each(measured, figures)):
        figure["measured"] = value
        figure["error"] = 100 * (figure["measured"] / figure["value"] - 1)
    for figure in figures:
        rivals = [other for other in figures if figure.get("rival") and other.get("rival") == figure["rival"]]
        figure["counts"] = "shown_only" not in figure and figure is min(rivals or [figure], key=lambda other: abs(other["error"]))
        figure["reached"] = is_reached(figure)


KINDS = {"predictions": "Predictions", "predictions in whole tables": None, "fitted": "Fitted: each sets a key", "by hand": "By hand"}


def kind(figure):
    if "sets" in figure:
        return "fitted"
    if "table" in figure:
        return "predictions in whole tables"
    by_hand = figure["source"].startswith("by hand") or figure["section"] == "Traffic"
    return "by hand" if by_hand else "predictions"


def summary(figures):
    """How many figures of each kind there are, and how many of them are within their goals."""
    rows = []
    for name in KINDS:
        own = [figure for figure in figures if kind(figure) == name and figure["counts"]]
        rivals = sum(kind(figure) == name and not figure["counts"] for figure in figures if "shown_only" not in figure)
        of_p6 = sum(machines.model(figure["machine"]) == "p6" for figure in own)
        rows.append([name, str(len(own)), str(sum(figure["reached"] for figure in own)), str(of_p6), str(rivals)])
    left = sum(tables.not_compared(one)[0] for one in tables.read())
    return ("\n" + table(["figures", "number", "within their goals", "of the P6 family", "and of sources that another one contradicts"], rows)
            + f"\nThe tables have {left} more figures, which are [not compared](#what-is-not-compared).\n")


def verdict(figure):
    if not figure["counts"]:
        return "another source is nearer"
    taken = f"; sets `{figure['sets']}`" if "sets" in figure else ""
    return ("yes" if figure["reached"] else "**no**") + taken


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def table(head, rows):
    return row(head) + row(["---"] * len(head)) + "".join(row(cells) for cells in rows)


def figure_cells(figure):
    star = "" if figure["read"] else "\\*"
    unit = "" if figure["unit"] == "ratio" else f" {figure['unit']}"
    digits = 3 if figure["unit"] == "ratio" else 1
    return [figure["quantity"], f"`{figure['machine']}`", f"{figure['value']:g}{unit}{star}",
            f"{figure['measured']:.{digits}f}{unit}", f"{figure['error']:+.1f} %", f"{figure['goal']} %",
            verdict(figure), figure["source"]]


def figure_table(figures):
    head = ["quantity", "machine", "published", "here", "error", "goal", "within", "source"]
    return table(head, [figure_cells(figure) for figure in figures])


def reason(figure):
    """Why a goal is not reached, as far as it is known."""
    missing = [key for key in figure.get("needs", []) if machines.lacks(figure["machine"], key)]
    reasons = [f"the machine's part has nothing for {', '.join(f'`{key}`' for key in missing)} yet"] if missing else []
    reasons += [figure["remark"]] if "remark" in figure else []
    return "; ".join(reasons) or "not known"


def median_error(figures):
    return f"{sorted(figure['error'] for figure in figures)[len(figures) // 2]:+.1f} %"


def outside(figures):
    missed = [figure for figure in figures if figure["counts"] and not figure["reached"]]
    single = [figure for figure in missed if "table" not in figure]
    text = f"\n## What is outside\n\n{len(missed)} of {sum(f['counts'] for f in figures)} figures are not within their goals.\n\n"
    rows = [[f["section"], f["quantity"], f"`{f['machine']}`", f"{f['error']:+.1f} %", reason(f)] for f in single]
    for title, own in by_table(missed).items():
        of = sum(f["counts"] for f in figures if f.get("table") == title)
        rows.append([own[0]["section"], f"{title}: {len(own)} of {of}", f"`{own[0]['machine']}`", median_error(own), reason(own[0])])
    return text + (table(["section", "quantity", "machine", "error", "reason"], rows) if rows else "")


def remarks(figures):
    texts = {}
    for figure in figures:
        if "remark" in figure:
            names = texts.setdefault((figure["machine"], figure["remark"]), [])
            names += [figure["quantity"]] if figure["quantity"] not in names else []
    return "".join(f"- `{machine}`, {', '.join(names)}: {remark}.\n" for (machine, remark), names in texts.items())


def section(name, figures):
    own = [figure for figure in figures if figure["section"] == name and "table" not in figure]
    text = f"\n## {name}\n\n{MEASURED[name]}\n"
    for of_kind, title in KINDS.items():
        of = [figure for figure in own if kind(figure) == of_kind]
        text += f"\n{title}:\n\n{figure_table(of)}" if of else ""
    text += "\n" + remarks(own) if remarks(own) else ""
    whole = by_table(figure for figure in figures if figure["section"] == name)
    if whole:
        head = ["table", "figures", "within their goal", "median error", "goal", "source"]
        text += f"\n[Whole tables](validation-tables.md), predictions if they set no key:\n\n{table(head, [tables.summary_row(*one) for one in whole.items()])}"
    return text


def by_table(figures):
    """The figures of each table, by its title."""
    of = {}
    for figure in figures:
        if "table" in figure:
            of.setdefault(figure["table"], []).append(figure)
    return of


def left_out():
    rows = []
    for one in tables.read():
        n, why = tables.not_compared(one)
        rows += [[one["source"], f"{n} of {tables.link(one['title'])}", why]] if n else []
    rows += [[one["source"], one["figures"], one["reason"]] for one in tables.left_out()]
    return ("\n## What is not compared\n\nFigures that these sources have beside those above.\n\n"
            + table(["source", "figures", "why not"], rows) + "\n" + tables.LOOKED_UP)


# ---- curves ----


def small_pages(parts):
    return {part: name.removesuffix(",pages=2M") for part, name in parts.items()}


def size_name(n):
    n = int(n)
    return f"{n >> 20}M" if n >= 1 << 20 else f"{n >> 10}K"


class Page:
    """The page's text, and the pictures beside it."""

    def __init__(self, path, parts):
        self.path = pathlib.Path(path)
        self.parts = parts
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.text = HEAD

    def picture(self, name, drawn):
        file = self.path.with_name(f"{self.path.stem}-{name}.svg")
        file.write_text(drawn, encoding="utf-8")
        self.text += f"\n![{name}]({file.name})\n"

    def curves(self, name, title, across, up, curves, **more):
        self.picture(name, picture.draw(title, across, up, curves, **more))
        name_of = more.get("name_of", str)
        places = sorted({a for points in curves.values() for a, _ in points})
        values = {curve: dict(points) for curve, points in curves.items()}
        cells = [[name_of(a)] + [f"{values[curve][a]:.1f}" if a in values[curve] else "" for curve in curves] for a in places]
        self.text += "\n" + table([across, *(f"{curve}, {up}" for curve in curves)], cells)


def latency_curves(page, figures, footprints):
    places = [(part, measure.in_bytes(size), name, size) for part, name in page.parts.items() for size in footprints]
    curves = curves_of(lambda _, name, size: measure.latency(name, size), places)
    levels = [(part, f["value"] / f.get("ghz", 1)) for f in figures for part, name in page.parts.items()
              if f["section"] == "Latency" and f["machine"] == name]
    page.text += "\n### Over the footprint\n\nBroken lines are published figures.\n"
    page.curves("latency", "from load to use", "footprint", "ns", curves, levels=levels, doubling=(True, True), name_of=size_name)


def page_sizes(page, size):
    rows = [[part] + [f"{measure.memory_latency(f'{name},pages={pages}', size):.1f}" for pages in ("4K", "2M")]
            for part, name in small_pages(page.parts).items()]
    page.text += f"\n### With and without huge pages\n\nThe first pass over {size}, in ns per load.\n\n"
    page.text += table(["part", "pages of 4 KiB", "pages of 2 MiB"], rows)


def hit_curves(page, footprints):
    hits = list(zip(map(measure.in_bytes, footprints), each(lambda size: measure.hits(PARTS["i7-6700"], size), footprints)))
    page.text += "\n## Hits over the footprint\n\nShares of loads in a random order, on the i7-6700 without prefetchers. L1D and L2: the share that the private caches have. L3: of the other loads, the share that the last-level cache has.\n"
    curves = {"L1D and L2": [(size, 100 * own) for size, (own, _) in hits], "L3": [(size, 100 * shared) for size, (_, shared) in hits]}
    page.curves("hits", "hits, i7-6700", "footprint", "per cent", curves, name_of=size_name)


def bandwidth_curves(page, cores):
    page.text += "\n### Over the cores\n\nBytes of its arrays that the workload `stream` uses in a second.\n"
    places = [(part, n, name) for part, name in page.parts.items() for n in cores[part]]
    curves = curves_of(lambda n, name: measure.bandwidth(name, "stream", n), places)
    page.curves("bandwidth", "stream", "cores", "GB/s", curves)


def transfers(page):
    rows = [[part] + [f"{measure.transfer(name, state):.1f}" for state in "MES"] for part, name in page.parts.items()]
    page.text += "\n### By the line's state\n\nThe time from load to use, in ns, of lines that another core has stored to (M) or loaded (E), or that two others have loaded (S).\n\n"
    page.text += table(["part", "M", "E", "S"], rows)


def page_hits(page, size):
    page.text += "\n## Rows of the memory\n\nThe share of accesses of the X7560's M-Boxes that find their row open.\n\n"
    works = {"stream": f"stream,size={size},stride=64", "random": f"random,size={size},iterations=100000"}
    page.text += table(["workload", "open"], [[f"`{work}`", f"{100 * measure.page_hits(PARTS['4 x X7560'], work):.1f} %"] for work in works.values()])


def programs(page, list_of_programs):
    rows = []
    machine = small_pages(PARTS)["i7-6700"]
    counts = each(lambda program: measure.program(machine, *program), list_of_programs)
    for (name, kilobytes, llc), (ours, theirs) in zip(list_of_programs, counts):
        rows.append([" ".join(measure.PROGRAMS[name]), f"{kilobytes} KiB", llc, f"{ours:,.0f}", f"{theirs:,}", f"{100 * (ours / theirs - 1):+.1f} %"])
    page.text += ("\n## Real programs\n\nLines that the i7-6700 reads from memory for a program, beside cachegrind's misses of its last-level cache."
                  " Both have the same sizes, ways and input, and neither has the kernel's accesses. Cachegrind has no second level, no prefetchers and no"
                  " page frames, and evicts the line used least recently. So it is a check of the order of magnitude, not a goal.\n\n")
    page.text += table(["program", "input", "last-level cache", "lines read", "cachegrind's misses", "difference"], rows)


# ---- the page ----


def main(arguments):
    quick = "--quick" in arguments
    kept = arguments[arguments.index("--kept") + 1] if "--kept" in arguments[:-1] else None
    paths = [a for a in arguments if not a.startswith("-") and a is not kept]
    if len(paths) != 1:
        sys.exit(__doc__)
    figures = read_figures()
    if kept:
        keep_in(kept, figures)
    if quick:
        figures = [f for f in figures if f["machine"].startswith("virtual:skl") and f["measure"] in (["latency", "16K"], ["handover"], ["round_time", "loads_30"], ["bytes_per_cycle", "load_only", "128K"], ["contended", "shared", 2], ["loop_traffic", "read"], ["lines_of_pages", "zeros", "reads"]) or f["measure"] == ["order_latency", "up", "64K", "64"]]
    compare(figures)
    page = Page(paths[0], dict(list(PARTS.items())[:1]) if quick else PARTS)
    footprints = FOOTPRINTS[:3] if quick else FOOTPRINTS
    steps = {
        "Latency": lambda: latency_curves(page, figures, footprints),
        "NUMA": lambda: page_sizes(page, "1M" if quick else "64M"),
        "Lines of other cores": lambda: transfers(page),
        "Threads": lambda: None,
        "Loops": lambda: None,
        "Cache bandwidth": lambda: None,
        "Bandwidth": lambda: bandwidth_curves(page, {part: n[:1] for part, n in CORES.items()} if quick else CORES),
        "Traffic": lambda: None,
        "Pages": lambda: None,
    }
    page.text += summary(figures) + outside(figures)
    for name, curves in steps.items():
        page.text += section(name, figures)
        curves()
    hit_curves(page, footprints)
    page_hits(page, "1M" if quick else "64M")
    programs(page, [("gzip", 64, "256K")] if quick else PROGRAMS)
    page.text += left_out()
    page.path.write_text(page.text, encoding="utf-8")
    page.path.with_name(f"{page.path.stem}-tables.md").write_text(tables.page(by_table(figures), table), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
