"""Draws the pictures of docs/tutorial from runs of boxscore, one picture a lesson.

usage: pictures.py SOURCE_ROOT COMMAND           writes them into docs/tutorial
       pictures.py SOURCE_ROOT COMMAND --check   compares them with those that are there, if BX_LONG is set

Pictures of built-in workloads have to be equal. Counts of compiled programs depend on compiler and C
library: their pictures have to be equal but for numbers."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
COMMAND = str(Path(sys.argv[2]).resolve())
sys.path[:0] = [str(ROOT / "tests" / "validate"), str(ROOT / "tests" / "tutorial")]
import blocks  # noqa: E402  (beside this file)
import picture  # noqa: E402  (beside validate.py, which draws curves, too)
from picture import LINE, frame, key  # noqa: E402

# By hand, or of real parts, which the machines without `part=` are.
SKL, TWO_SOCKETS = "virtual:skl,part=plain", "virtual:nhmex,part=plain,packages=2"
I7_6700K = "virtual:skl"
SLICE_COLOURS = ["#1f5fa8", "#e08a3c", "#5aa36f", "#c9b037"]
WIDTH = picture.WIDTH


def run(*arguments):
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"boxscore {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def rows(machine, *arguments):
    """The rows of a measurement, as boxscore stat -j writes them."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "counts")
        run("stat", "--machine", machine, "-j", "-o", file, *arguments)
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if "event" in row]


def counts(machine, *arguments):
    return [row["value"] for row in rows(machine, *arguments)]


def metric(name, found):
    """A metric's value, whichever row has it."""
    return next(m["value"] for row in found for m in row["metrics"] if m["name"] == name)


class Programs:
    """The lessons' programs, compiled."""

    def __init__(self, folder):
        self.folder = folder

    def build(self, name, *options):
        program = os.path.join(self.folder, re.sub(r"\W", "", name + "".join(options)))
        subprocess.run(["cc", "-O2", "-pthread", f"-I{ROOT}/include", *options, "-o", program,
                        ROOT / "docs" / "tutorial" / "programs" / name], check=True)
        return program


def box(x, y, width, height, colour, *lines, ink="#222"):
    parts = [f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}" stroke="#888"/>']
    top = y + height / 2 - LINE / 2 * (len(lines) - 1) + 5
    return parts + [picture.text(x + width / 2, top + LINE * i, words, colour=ink) for i, words in enumerate(lines)]


def arrow(x, y1, y2):
    return [f'<line x1="{x:.1f}" y1="{y1:.1f}" x2="{x:.1f}" y2="{y2 - 7:.1f}" stroke="#444" stroke-width="1.5"/>',
            f'<polygon points="{x - 4:.1f},{y2 - 8:.1f} {x + 4:.1f},{y2 - 8:.1f} {x:.1f},{y2:.1f}" fill="#444"/>']


def stack(*drawings):
    """Pictures below each other."""
    parts, y = [], 0
    for drawn in drawings:
        parts += [f'<g transform="translate(0,{y})">', *drawn.splitlines()[1:-1], "</g>"]
        y += int(re.search(r'viewBox="0 0 \d+ (\d+)"', drawn)[1])
    return frame(y, parts)


def bars(title, unit, groups):
    """groups: names and parts (name, value, colour) of a bar, put one after the other. A bar's name is above it;
    names of parts are below all bars."""
    longest = max(sum(value for _, value, _ in parts) for _, parts in groups)
    left, right, top, step = 16, 88, 60, 50
    out = [picture.text(WIDTH / 2, 22, title), picture.text(WIDTH / 2, 22 + LINE, unit, colour="#666")]
    for i, (name, parts) in enumerate(groups):
        x, y = left, top + i * step
        out.append(picture.text(left, y + 13, name, "start"))
        for words, value, colour in parts:
            width = value / longest * (WIDTH - left - right)
            out.append(f'<rect x="{x:.1f}" y="{y + 18}" width="{width:.1f}" height="22" fill="{colour}"/>')
            x += width
        total = sum(value for _, value, _ in parts)
        out.append(picture.text(x + 6, y + 34, f"{total:,.0f}", "start"))
    named = [part for _, parts in groups for part in parts if part[0]]
    y = top + len(groups) * step + 4
    for i, (words, value, colour) in enumerate(named):
        out += key(left, y + LINE * i, colour, f"{value:,.0f} {words}")
    return frame(y + LINE * len(named) + 8, out)


def machine(_programs):
    work = ["-w", "stream,size=1M"]
    misses = counts(SKL, *work, "--per-unit", "-e", "UNC_CBO_CACHE_LOOKUP:ANY_I")
    requests, reads, writes = counts(SKL, *work, "-e", "UNC_ARB_TRK_REQUESTS:ALL,DRAM_DATA_READS,DRAM_DATA_WRITES")
    parts = [picture.text(WIDTH / 2, 22, "virtual:skl,part=plain; core 0 runs stream,size=1M")]
    left, wide, column = 20, 412, 104  # of all boxes, and from one core or slice to the next
    for i, count in enumerate(misses):
        x, middle = left + column * i, left + column * i + 50
        parts += box(x, 40, 100, 68, "#dbe6f4" if i == 0 else "#f2f2f2", f"core {i}", "L1, L2", "stream" if i == 0 else "idle")
        parts += box(x, 178, 100, 88, "#fbe8d6", f"slice {i}", "2 MiB", f"{count:,}", "misses")
        parts += arrow(middle, 158, 178) + arrow(middle, 266, 296)
    parts += box(left, 134, wide, 24, "#ffffff", "ring") + arrow(left + 50, 108, 134)
    parts += box(left, 296, wide, 34, "#e4f1e8", f"ARB: {requests:,} requests") + arrow(left + wide / 2, 330, 360)
    parts += box(left, 360, wide, 52, "#efe6f5", "memory controller", f"{reads:,} lines read, {writes:,} written")
    parts += arrow(left + wide / 2, 412, 448) + box(left, 448, wide, 34, "#eeeeee", "memory")
    parts += ['<path d="M10,124 H442 V422 H10 Z" fill="none" stroke="#c2571a" stroke-dasharray="6 4"/>',
              '<text transform="translate(454,273) rotate(90)" text-anchor="middle" fill="#c2571a">uncore</text>']
    return frame(494, parts)


def slices(_programs):
    addresses = [f"{i * 64:#x}" for i in range(16 * 64)]
    found = json.loads(run("slices", "--machine", SKL, "-j", *addresses))["addresses"]
    parts = [picture.text(WIDTH / 2, 22, "the slice of each line of 16 pages")]
    for i, entry in enumerate(found):
        x, y = 74 + i % 64 * 6.2, 38 + i // 64 * LINE
        parts.append(f'<rect x="{x:.1f}" y="{y}" width="5.4" height="18" fill="{SLICE_COLOURS[entry["slice"]]}"/>')
    parts += [picture.text(66, 52 + LINE * page, f"{page * 4096:#x}", "end") for page in range(16)]
    for i, colour in enumerate(SLICE_COLOURS):
        parts += key(74 + 100 * i, 370, colour, f"slice {i}")
    return frame(394, parts)


def control_register(_programs):
    decoded = json.loads(run("decode", "--cpu", "skl", "0x700=0x408834", "--json"))[0]
    fields = [(*map(int, (f["bits"] + ":" + f["bits"]).split(":")[:2]), f["field"].upper(), int(f["value"], 16))
              for f in decoded["fields"]]
    value = int(decoded["registers"][0]["value"], 16)
    width, parts = 28, [picture.text(WIDTH / 2, 22, f"{decoded['registers'][0]['name']} = {value:#x}")]

    def place(bit):
        """The corner of a bit's box. The bits are in two rows, each with 16."""
        return 16 + (15 - bit % 16) * width, 66 if bit >= 16 else 194

    for bit in range(32):
        x, y = place(bit)
        parts += box(x, y, width, 28, "#f2f2f2", str(value >> bit & 1))
        parts.append(picture.text(x + width / 2, y - 6, str(bit), colour="#777"))
    for i, (high, low, name, held) in enumerate(fields):
        low = min(low, high)
        (x, y), wide = place(high), (high - low + 1) * width
        colour = picture.COLOURS[i % len(picture.COLOURS)]
        parts.append(f'<rect x="{x}" y="{y}" width="{wide}" height="28" fill="{colour}" fill-opacity="0.25" stroke="{colour}"/>')
        drop = y + 50 if wide > width else y + 50 + LINE * (i % 3)
        parts.append(f'<line x1="{x + wide / 2}" y1="{y + 28}" x2="{x + wide / 2}" y2="{drop - 14}" stroke="{colour}"/>')
        parts.append(picture.text(x + wide / 2, drop, f"{name} {held:#x}" if wide > width else f"{name} {held}", colour=colour))
    parts.append(picture.text(WIDTH / 2, 274, "grey bits are reserved, as are bits 63 to 32"))
    return frame(288, parts)


def sums(programs):
    program = programs.build("sum.c")
    curves = {}
    for name, options in (("pages of 4 KiB", ""), ("pages of 2 MiB", ",pages=2M")):
        points = []
        for size in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 24, 32):
            found = rows(I7_6700K + options, "--region", "sum", "-M", "llc_miss_ratio", "--", program, str(size * 1024), "4")
            points.append((size, metric("llc_miss_ratio", found)))
        curves[name] = points
    return picture.draw("sum: four passes over an array, LLC of 8 MiB", "MiB of the array", "% of lookups", curves)


def false_sharing(programs):
    event = ["-e", "UNC_CBO_XSNP_RESPONSE:HITM_XCORE"]
    groups = []
    for apart in (8, 16, 32, 64, 128):
        program = programs.build("counters.c", f"-DAPART={apart}")
        groups.append((f"{apart} bytes apart", [("", counts(I7_6700K, *event, "--", program)[0], picture.COLOURS[0])]))
    return bars("counters: two threads, 100,000 additions each", "snoops that found a modified line", groups)


def matrix(programs):
    points = []
    for block in (4, 6, 8, 12, 16, 24, 40, 60, 80, 120, 240):
        program = programs.build("matrix.c", f"-DBLOCK={block}")
        found = rows("virtual:skl,part=plain,cores=1,llc=256K", "--region", "multiply", "-M", "dram_bytes_read", "--", program)
        points.append((block, metric("dram_bytes_read", found)))
    return picture.draw("matrix: 240 × 240 doubles, LLC of 256 KiB", "doubles along a side of a block",
                        "MB", {"read from memory": points})


def knee(_programs):
    bandwidth, latency = [], []
    for buffers in (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32):
        found = rows(f"{SKL},fill_buffers={buffers}", "-w", "random,size=64M,write=0,iterations=100000,cores=4",
                     "-M", "arb_mean_occupancy,arb_latency,dram_read_bandwidth")
        there = metric("arb_mean_occupancy", found)
        bandwidth.append((there, metric("dram_read_bandwidth", found)))
        latency.append((there, metric("arb_latency", found)))
    across = "requests in the queue, on average"
    return stack(picture.draw("random on four cores with 1 to 32 fill buffers each", across, "MB/s",
                              {"read from memory": bandwidth}, [("read from memory", 64 / 6 * 4000)], doubling=(False, False)),
                 picture.draw("", across, "cycles", {"that a request stays": latency}, [("that a request stays", 150)],
                              doubling=(False, False)))


def phases(_programs):
    found = rows(SKL, "-w", "random,size=1M,iterations=100000", "-I", "10us", "-M", "llc_miss_ratio")
    missed = [(row["interval"], row["value"]) for row in found if row["event"].endswith("ANY_I")]
    asked = [row["value"] for row in found if row["event"].endswith("ANY_MESI")]
    points = [(end * 1e6, 100 * miss / all_) for (end, miss), all_ in zip(missed, asked)]
    half = len(points) // 2
    means = [100 * sum(m for _, m in missed[part]) / sum(asked[part]) for part in (slice(0, half), slice(half, None))]
    names = [f"mean of the first half: {means[0]:.1f} %", f"mean of the second half: {means[1]:.1f} %"]
    ends = [points[0][0], points[half - 1][0], points[-1][0]]
    curves = {"lookups that miss, in each 10 µs": points, names[0]: [(ends[0], means[0]), (ends[1], means[0])],
              names[1]: [(ends[1], means[1]), (ends[2], means[1])]}
    return picture.draw("random,size=1M,iterations=100000", "µs", "%", curves, doubling=(False, False))


def links(_programs):
    found = rows(TWO_SOCKETS, "-w", "chase,size=4M,passes=1", "--per-port", "-e", "nhmex_unc_rbox::FLITS_SENT")
    sent = {row["pmu-unit"] + str(row["package"]): row["value"] for row in found}
    there, back = (next(v for k, v in sent.items() if k.endswith(f"port 0{p}")) for p in (0, 1))
    local, remote = counts(TWO_SOCKETS, "-w", "chase,size=4M,passes=1", "-e",
                           "nhmex_unc_sbox::TO_R_B_REQUESTS:LOCAL,nhmex_unc_sbox::TO_R_B_REQUESTS:REMOTE")
    parts = [("of requests for remote lines", remote, "#1f5fa8"), ("of snoops", there - remote, "#c2571a")]
    answers = [("of remote lines, 9 flits each", back - local, "#2e7d4f"), ("of answers to snoops", local, "#c9b037")]
    return bars("chase,size=4M over two sockets", "flits", [("socket 0 to socket 1", parts), ("socket 1 to socket 0", answers)])


def parts(_programs):
    machines = {"plain rules": SKL, "i7-6700K, prefetch=off": f"{I7_6700K},prefetch=off", "i7-6700K": I7_6700K}
    drawings = []
    for unit, name, shown in (("MB/s read from memory", "dram_read_bandwidth", "stream,size=16M"),
                              ("cycles that a request stays in the ARB", "arb_latency", "chase,size=16M,passes=1")):
        groups = [(label, [("", metric(name, rows(m, "-w", shown, "-M", name)), picture.COLOURS[0])])
                  for label, m in machines.items()]
        drawings.append(bars(shown, unit, groups))
    return stack(*drawings)


PICTURES = {"machine": machine, "slices": slices, "control-register": control_register, "sum": sums,
            "false-sharing": false_sharing, "matrix": matrix, "knee": knee, "phases": phases, "links": links,
            "parts": parts}
# Not from runs: the parts of each processor, in docs/explanation.
DIAGRAMS = {"blocks-skl": blocks.skl, "blocks-nhmex": blocks.nhmex, "blocks-ivbep": blocks.ivbep}
COMPILED = {"sum", "false-sharing", "matrix"}


def words(text):
    return re.sub(r"[\d.,]+", "#", text)


def main():
    if "--check" in sys.argv and not os.environ.get("BX_LONG"):
        return 77  # skipped
    docs = ROOT / "docs"
    bad = 0
    with tempfile.TemporaryDirectory() as place:
        pictures = [(docs / "tutorial", name, lambda draw=draw: draw(Programs(place))) for name, draw in PICTURES.items()]
        pictures += [(docs / "explanation", name, draw) for name, draw in DIAGRAMS.items()]
        for folder, name, draw in pictures:
            drawn, file = draw(), folder / f"{name}.svg"
            if "--check" not in sys.argv:
                file.write_text(drawn, encoding="utf-8")
                continue
            old = file.read_text(encoding="utf-8")
            same = words(old) == words(drawn) if name in COMPILED else old == drawn
            if not same:
                print(f"{file} is another picture now: make pictures")
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
