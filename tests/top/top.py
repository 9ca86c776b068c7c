"""The screen of counts, on a pty with a terminal emulator: what it shows at several sizes is what `stat` counts; each key,
a change of the size, an end by a signal that leaves the terminal as it was. usage: top.py BOXSCORE BOXSCORE_TOP HOT_C"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

try:
    import pyte
except ImportError:
    print("skipped: it needs python3-pyte")
    sys.exit(77)

boxscore, top, source = (os.path.abspath(word) for word in sys.argv[1:])
work = tempfile.TemporaryDirectory()
os.chdir(work.name)
ENVIRONMENT = dict(os.environ, LC_ALL="C.UTF-8", TERM="xterm-256color")
# With MALLOC_PERTURB_, which the suite sets, malloc() of a traced program writes all that it gives.
for name in ("NO_COLOR", "COLUMNS", "LINES", "MALLOC_PERTURB_"):
    ENVIRONMENT.pop(name, None)
PLAIN = "virtual:skl,part=plain"
EVENTS = ["UNC_CBO_CACHE_LOOKUP:ANY_I", "DRAM_DATA_READS", "UNC_CLOCK:SOCKET", "INSTR_RETIRED_ANY"]
WORK = ["--machine", PLAIN, "-w", "stream,size=4M", "-I", "100us", "-e", ",".join(EVENTS)]
PATIENCE = 600 # seconds: whoever runs the test ends it sooner if it hangs
UP, DOWN, RIGHT, LEFT, HOME, END, PAGE_UP, PAGE_DOWN = "\033OA", "\033OB", "\033OC", "\033OD", "\033OH", "\033OF", "\033[5~", "\033[6~"


class Screen(pyte.Screen):
    """What xterm does, and pyte lacks: scrolling, repeated characters."""

    last = " "

    def draw(self, data):
        super().draw(data)
        self.last = data[-1:] or self.last

    def scroll_up(self, n=1):
        self.scrolled(n, lambda: (self.margins.bottom if self.margins else self.lines - 1), self.index)

    def scroll_down(self, n=1):
        self.scrolled(n, lambda: (self.margins.top if self.margins else 0), self.reverse_index)

    def scrolled(self, n, line, step):
        before = self.cursor.y
        self.cursor.y = line()
        for _ in range(n or 1):
            step()
        self.cursor.y = before

    def repeat(self, n=1):
        self.draw(self.last * (n or 1))


class Stream(pyte.ByteStream):
    csi = dict(pyte.ByteStream.csi, S="scroll_up", T="scroll_down", b="repeat")
    events = pyte.ByteStream.events | {"scroll_up", "scroll_down", "repeat"}


class Terminal:
    """A program on a terminal of that size."""

    def __init__(self, words, width=80, height=24, **environment):
        self.screen = Screen(width, height)
        self.stream = Stream(self.screen)
        self.bytes = b""
        self.master, slave = pty.openpty()
        self.resize(width, height)
        self.before = termios.tcgetattr(slave)
        self.process = subprocess.Popen([top, *words], stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                                        env=dict(ENVIRONMENT, **environment))
        self.slave = slave

    def resize(self, width, height):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.screen.resize(height, width)

    def read(self, seconds=0.05):
        while select.select([self.master], [], [], seconds)[0]:
            got = os.read(self.master, 65536)
            self.bytes += got
            self.stream.feed(got)

    def lines(self):
        self.read()
        return [line.rstrip() for line in self.screen.display]

    def until(self, fits, keys=""):
        """The screen, as soon as it fits."""
        os.write(self.master, keys.encode())
        end = time.monotonic() + PATIENCE
        while True:
            lines = self.lines()
            if fits(lines):
                return lines
            assert time.monotonic() < end and self.process.poll() is None, "\n".join([repr(keys), *lines])

    def until_still(self):
        """The screen, as soon as it stays the same for a second: one that is not paused never does."""
        end = time.monotonic() + PATIENCE
        before = None
        while (lines := self.lines()) != before:
            assert time.monotonic() < end, "it is not paused"
            before = lines
            time.sleep(1)
        return lines

    def end(self, keys="q", number=0):
        os.write(self.master, keys.encode()) if keys else self.process.send_signal(number)
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            self.read()
            assert time.monotonic() < end, "it does not end"
        self.read()
        assert termios.tcgetattr(self.slave) == self.before, "the terminal's settings"
        assert b"\033[?1049l" in self.bytes.rsplit(b"\033[?1049h", 1)[-1], "the screen before is not back"
        os.close(self.master)
        os.close(self.slave)
        return self.process.returncode


def has(*words):
    return lambda lines: all(any(word in line for line in lines) for word in words)


def lacks(*words):
    return lambda lines: not any(word in line for word in words for line in lines)


def row(lines, name):
    """The figure in the event's row."""
    line = next(line for line in lines if line.startswith(" " + name + " "))
    return re.match(r"\s*\S+\s+(~?[\d.,]+(?: [kMGTPE]?(?:B|s)?(?:/s)?)?)", line)[1].strip()


def test_sizes():
    for width, height in ((80, 24), (40, 10), (200, 60)):
        terminal = Terminal(WORK, width, height)
        lines = terminal.until(has("boxscore top", PLAIN[:11], "q quit", "UNC_CBO_CACHE_LOOKUP:ANY_I" if width > 40 else "LOOKUP:ANY_I"))
        assert lines[0].startswith(" boxscore top  virtual:skl") and "running" in lines[0], lines[0]
        assert lines[-1].startswith(" q quit"), lines[-1]
        assert sum("EVENT" in line for line in lines) == 1
        shown = {word: any(word in line for line in lines) for word in ("METRICS", "UNITS", "COURSE", "last intervals")}
        wanted = {40: set(), 80: {"METRICS", "UNITS", "last intervals"}, 200: set(shown)}[width]
        assert {word for word in shown if shown[word]} >= wanted, (width, shown)
        if width == 40:
            assert not shown["METRICS"] and not shown["UNITS"]
        for event in EVENTS:
            assert any(event[-12:] in line for line in lines), (width, event)
        if "UNITS" in wanted:
            for unit in range(4):
                assert any(f"C-Box {unit}" in line for line in lines), (width, unit)
        assert terminal.end() == 0
    print("sizes: 80x24, 40x10, 200x60")


def intervals_of_stat():
    """The counts of the first interval."""
    found = {}
    run = subprocess.run([boxscore, "stat", "--machine", PLAIN, "-w", "stream,size=4M", "-I", "100us", "-e", ",".join(EVENTS), "-x", ";"],
                         capture_output=True, text=True, check=True, env=ENVIRONMENT)
    for line in (run.stdout + run.stderr).splitlines():
        fields = line.split(";")
        for event in EVENTS:
            name = next((field for field in fields if field.split("::")[-1] == event), None)
            if name and event not in found:
                found[event] = int(next(field for field in fields[1:] if field.isdigit()))
    assert set(found) == set(EVENTS), (found, run.stdout, run.stderr)
    return found


def test_values():
    counts = intervals_of_stat()
    terminal = Terminal(WORK, 100, 30)
    terminal.until(has("running"))
    terminal.until(has("paused"), " ")
    lines = terminal.until(has("per interval", " 100.0 us / "), "t" + HOME)
    for event in EVENTS:
        shown = row(lines, event)
        if event == "DRAM_DATA_READS":
            assert shown == f"{counts[event] * 64 / 1e6:.3f} MB", (shown, counts)
        else:
            assert shown == f"{counts[event]:,}", (event, shown, counts)
    lines = terminal.until(has("EVENT▾", "  total "), "t")
    assert row(lines, "UNC_CLOCK:SOCKET") == f"{counts['UNC_CLOCK:SOCKET']:,}"
    lines = terminal.until(has("per second"), "t")
    rate = counts["UNC_CBO_CACHE_LOOKUP:ANY_I"] / 100e-6
    assert row(lines, "UNC_CBO_CACHE_LOOKUP:ANY_I") == f"{rate / 1e6:.1f} M/s", (rate, lines)
    assert terminal.end() == 0
    print(f"values: {len(EVENTS)} events of an interval, as stat counts them")


def order(lines):
    names = [line.split()[0] for line in lines if re.match(r" [A-Z_]+(:[A-Z_]+)? +\S", line)]
    return [name for name in names if name in EVENTS]


def test_keys():
    terminal = Terminal(WORK, 80, 24)
    terminal.until(has("C-Box 0", "METRICS"))
    assert order(terminal.until(has("go on"), "p")) == EVENTS
    terminal.until_still()
    by_value = order(terminal.until(has("per second▾"), "s"))
    assert by_value[0] == "DRAM_DATA_READS" and by_value != EVENTS, by_value
    assert order(terminal.until(has("per second▴"), "r")) == by_value[::-1]
    assert order(terminal.until(has("EVENT▾", "sort as given"), "sr")) == sorted(EVENTS)
    terminal.until(has("sort by value"), "s")
    terminal.until(has("UNITS UNC_CBO_CACHE_LOOKUP:ANY_I"), "g")
    terminal.until(has("UNITS INSTR_RETIRED_ANY", "core 0"), "G")
    terminal.until(lacks("UNITS"), "k")
    terminal.until(has("UNITS INSTR_RETIRED_ANY"), "j")
    terminal.until(lacks("UNITS"), UP)
    terminal.until(has("UNITS INSTR_RETIRED_ANY"), DOWN)
    terminal.until(has("UNITS UNC_CBO"), PAGE_UP)
    terminal.until(has("UNITS INSTR_RETIRED_ANY"), PAGE_DOWN)
    terminal.until(lacks("UNITS"), "u")
    terminal.until(has("UNITS"), "u")
    terminal.until(lacks("METRICS"), "m")
    terminal.until(has("METRICS"), "m")
    terminal.until(has("KEYS", "reverse"), "h")
    terminal.until(lacks("KEYS"), "h")
    terminal.until(has("KEYS"), "?")
    terminal.until(lacks("KEYS"), "\033")
    terminal.until(has(" 100.0 us / "), HOME)
    terminal.until(has(" 200.0 us / "), RIGHT)
    terminal.until(has(" 100.0 us / "), LEFT)
    terminal.until(lacks(" 100.0 us / "), "]")
    terminal.until(has(" 100.0 us / "), "[")
    terminal.until(lacks(" us / ", " ms / ", " paused"), END)
    terminal.until(has("paused"), ".")
    time_of = re.compile(r"virtual time (\S+ \S+)")
    before = time_of.search(terminal.until_still()[1])[1]
    lines = terminal.until(lambda lines: time_of.search(lines[1])[1] != before, ".")
    assert time_of.search(terminal.until_still()[1])[1] == time_of.search(lines[1])[1], "one interval more, and no other"
    terminal.until(has("running"), "p")
    assert terminal.end("Q") == 0
    print("keys: each does what the help says")


def test_resize():
    terminal = Terminal(WORK, 80, 24)
    terminal.until(has("METRICS"))
    for width, height in ((40, 10), (120, 40), (15, 3), (80, 24)):
        terminal.resize(width, height)
        terminal.process.send_signal(signal.SIGWINCH)
        if width < 20:
            terminal.until(has("too small"))
        else:
            lines = terminal.until(lambda lines: lines[-1].startswith(" q quit") and lines[0].endswith("running"))
            assert all(len(line) <= width for line in lines)
            assert ("METRICS" in "".join(lines)) == (height > 10)
    assert terminal.end() == 0
    print("resize: to smaller and larger ones, and back")


def test_signals():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        terminal = Terminal(WORK)
        terminal.until(has("running"))
        assert b"\033[?25l" in terminal.bytes, "no cursor on the screen"
        assert terminal.end("", number) == 128 + number
        assert terminal.bytes.rstrip().rfind(b"\033[?25h") > terminal.bytes.rfind(b"\033[?25l"), "the cursor is back"
    # The terminal goes, and no signal tells it.
    terminal = Terminal(WORK)
    terminal.until(has("running"))
    os.close(terminal.slave)
    os.close(terminal.master)
    assert terminal.process.wait(PATIENCE) == 0
    print("signals: the terminal is as it was")


def test_looks():
    colour = re.compile(rb"\033\[[\d;]*(?:3[0-7]|4[0-7]|38;5;|9[0-7])[\d;]*m")
    for environment, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "vt100"}, False)):
        terminal = Terminal(WORK, **environment)
        terminal.until(has("q quit", "C-Box 3"))
        assert bool(colour.search(terminal.bytes)) == coloured, environment
        if coloured:
            assert terminal.end() == 0
        else: # the selected row and the first one are still seen
            assert b"\033[0;7m" in terminal.bytes or b"\033[7m" in terminal.bytes or b"\033[1;7m" in terminal.bytes or b";7m" in terminal.bytes
            terminal.process.terminate()
            terminal.process.wait()
    for words, environment in ((["--ascii"], {}), ([], {"LC_ALL": "C"})):
        terminal = Terminal([*words, *WORK], **environment)
        terminal.until(has("q quit", "#", "jk event"))
        assert all(byte < 128 for byte in terminal.bytes), environment
        assert terminal.end() == 0
    print("looks: with and without colours, ASCII")


def test_program():
    subprocess.run(["cc", "-g", "-O1", "-o", "hot", source], check=True)
    with open(source, encoding="utf-8") as file:
        place = f"hot.c:{next(n for n, line in enumerate(file, 1) if '/* READS */' in line)}"
    events = "DRAM_DATA_READS,UNC_CBO_CACHE_LOOKUP:ANY_I,INSTR_RETIRED_ANY"
    words = ["--machine", PLAIN, "-I", "100us", "-e", events, "--", "./hot"]
    terminal = Terminal(words, 100, 30)
    for key, event in (("", "DRAM_DATA_READS"), ("j", "UNC_CBO_CACHE_LOOKUP:ANY_I")):
        lines = terminal.until(has("ended, exit status 0", f"HOTTEST LINES {event}", f" {place}"), key)
        hottest = lines[next(i for i, line in enumerate(lines) if "HOTTEST LINES" in line) + 1]
        assert "read_all" in hottest and place in hottest and float(hottest.split()[0]) > 50, lines
        shares = [float(share) for share in re.findall(r"^ +([\d.]+) % ", "\n".join(lines), re.M)]
        assert shares == sorted(shares, reverse=True) and sum(shares) <= 100.1, shares
    terminal.until(has("HOTTEST LINES INSTR_RETIRED_ANY", "does not tell who"), "j")
    totals = terminal.until(has(" total "), "tt")
    assert terminal.end() == 0
    # The same figures as stat and record have.
    run = subprocess.run([boxscore, "stat", "--machine", PLAIN, "-e", events, "-x", ";", "--", "./hot"], check=True, capture_output=True,
                         text=True, env=ENVIRONMENT)
    counted = next(int(field) for line in run.stderr.splitlines() if "INSTR_RETIRED_ANY" in line for field in line.split(";") if field.isdigit())
    assert row(totals, "INSTR_RETIRED_ANY") == f"{counted:,}", (totals, counted)
    subprocess.run([boxscore, "record", "--machine", PLAIN, "-e", events, "-o", "one.rec", "--", "./hot"], check=True, capture_output=True,
                   env=ENVIRONMENT)
    terminal = Terminal(["-i", "one.rec"], 100, 30)
    recorded = terminal.until(has("recording", "HOTTEST LINES DRAM_DATA_READS", place, " / "))
    live = terminal.until(has("HOTTEST LINES UNC_CBO_CACHE_LOOKUP:ANY_I"), "j")
    assert [line for line in live if place in line] == [line for line in lines if place in line], (live, lines)
    assert recorded[-2].endswith("●"), recorded
    terminal.until(has("●─"), HOME)
    terminal.until(has("━●", "space play"), " ")
    assert terminal.end() == 0
    # Its trace has the same lines and figures.
    subprocess.run([boxscore, "trace", "--machine", PLAIN, "-o", "hot.trace", "--", "./hot"], check=True, capture_output=True, env=ENVIRONMENT)
    terminal = Terminal(["--machine", PLAIN, "-I", "100us", "-e", events, "--trace", "hot.trace"], 100, 30)
    traced = terminal.until(has("ended, exit status 0", "trace 'hot.trace'", "HOTTEST LINES UNC_CBO_CACHE_LOOKUP:ANY_I", f" {place}"), "j")
    assert [line for line in traced if place in line] == [line for line in lines if place in line], (traced, lines)
    assert row(terminal.until(has(" total "), "tt"), "INSTR_RETIRED_ANY") == f"{counted:,}"
    assert terminal.end() == 0
    # What the program writes is not on the screen.
    terminal = Terminal(["--machine", PLAIN, "-e", "INSTR_RETIRED_ANY", "--", "sh", "-c", "echo written; exit 3"])
    lines = terminal.until(has("ended, exit status 3"))
    assert lacks("written ")(lines[2:]) and b"written\r\n" not in terminal.bytes
    assert terminal.end() == 3
    # A program that does not end when it is asked to.
    terminal = Terminal(["--machine", PLAIN, "-e", "INSTR_RETIRED_ANY", "--", "sh", "-c", "trap '' TERM; while :; do :; done"])
    terminal.until(has("running"))
    assert terminal.end() == 0
    print("program: its lines, as record has them; a recording with its time bar")


def test_batch():
    run = [top, "--batch", "-n", "3", *WORK]
    text = subprocess.run(run, capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout
    assert text == subprocess.run(run, capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout, "the same each time"
    assert [line.split()[-1] for line in text.splitlines() if line.startswith(" boxscore top")] == ["1", "2", "3"]
    assert all(len(line) <= 100 for line in text.splitlines())
    rate = intervals_of_stat()["UNC_CBO_CACHE_LOOKUP:ANY_I"] / 100e-6
    assert row(text.splitlines(), "UNC_CBO_CACHE_LOOKUP:ANY_I") == f"{rate / 1e6:.1f} M/s"
    # A register log shows the same.
    subprocess.run([boxscore, "stat", *WORK, "--log-registers", "log"], capture_output=True, check=True, env=ENVIRONMENT)
    replayed = subprocess.run([top, "--batch", "-n", "3", "--replay", "log"], capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout
    assert "register log 'log'" in replayed
    assert [line for line in replayed.splitlines() if "log" not in line] == [line for line in text.splitlines() if "workload" not in line], replayed
    # The host: what it cannot count has no figure.
    text = subprocess.run([top, "--batch", "-n", "1", "-a", "-I", "100ms", "-e", "page-faults,task-clock"], capture_output=True, text=True,
                          check=True, env=ENVIRONMENT).stdout
    assert re.search(r"^ task-clock +\S+ s/s", text, re.M) and " host" in text.splitlines()[0], text
    print("batch: the same text each time, the host")


def test_errors():
    for words, says in ((["-i", "none.rec"], "none.rec"), (["-n", "1"], "--batch"), (["-i", "x", "-w", "stream"], "recording"),
                        (["-i", "x", "-a"], "recording"), (["--trace", "x", "-w", "stream"], "a trace is"), (["-a", "-C", "0"], "-a is all CPUs"),
                        (["-e", "NO_SUCH"], "NO_SUCH")):
        run = subprocess.run([top, *(["--batch"] if words[0] in ("-i", "-e") else []), *words], stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, check=False, env=ENVIRONMENT)
        assert run.returncode in (1, 2) and says in run.stderr and not run.stdout, (words, run)
    run = subprocess.run([top, *WORK], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=ENVIRONMENT,
                         start_new_session=True)
    assert run.returncode == 1 and "no terminal" in run.stderr and "--batch" in run.stderr, run
    master, slave = pty.openpty()
    run = subprocess.run([top, *WORK], stdin=slave, stdout=slave, stderr=subprocess.PIPE, text=True, check=False,
                         env=dict(ENVIRONMENT, TERM="no-such-terminal"))
    assert run.returncode == 1 and "no-such-terminal" in run.stderr, run
    os.close(master)
    os.close(slave)
    print("errors: each says what to do")


def main():
    for test in (test_sizes, test_values, test_keys, test_resize, test_signals, test_looks, test_program, test_batch, test_errors):
        test()


main()
