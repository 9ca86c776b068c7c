"""Follows pages of docs/tutorial and docs/how-to as a reader does, and compares what the commands print.

usage: lessons.py SOURCE_ROOT COMMAND [--write] PAGE...

A page has a directory of its own, in which its ```console blocks are run from the first to the last
line. The programs of docs/tutorial/programs and docs/examples are in it. A line `$ ...` is a command,
with the lines that a backslash adds to it; what it prints stands below. A comment above a block says how
its output is compared; without one it is equal.

  <!-- numbers within 5 % or 50 -->   each number within 5 percent, whole ones also within 50: counts of
                                      compiled programs, which depend on compiler and C library
  <!-- its own on each machine -->    the command succeeds; its output is neither shown nor compared

A page with <!-- slow --> is followed if BX_LONG is set. A page with <!-- needs stage perf --> is skipped
where nothing can be mounted or a program is not installed. A block of another language whose first line
is `name:` in the text above, such as **`sum.c`**, is a part of that file. --write puts what the
commands print into the page."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e[+-]\d+)?(?![\w.]*[A-Za-z_])")
TOLERANCE = re.compile(r"<!-- numbers within (\d+) %(?: or (\d+))? -->")
ANYTHING = "<!-- its own on each machine -->"
SLOW = "<!-- slow -->"
NEEDS = re.compile(r"<!-- needs ([a-z -]+) -->")
FILES = ("docs/tutorial/programs", "docs/examples")
SKIPPED = 77


class Example:
    """A command, what stands below it on the page, and how that is compared."""

    def __init__(self, line, command, comment, indent):
        self.line, self.command, self.comment, self.indent, self.wanted = line, command, comment, indent, []


class Page:
    def __init__(self, path):
        self.path = path
        self.lines = path.read_text().splitlines()
        self.examples, self.parts = [], []
        self.read()

    def read(self):
        comment, fence, named = "", None, None
        indent = 0
        for number, line in enumerate(self.lines):
            before = len(line) - len(line.lstrip(" "))
            if fence is None:
                indent = before
            text = line[min(indent, before):]
            if text.startswith("```"):
                if fence is None:
                    fence = text[3:]
                    if fence == "console":
                        named = None
                    elif named:
                        self.parts.append((named, []))
                else:
                    fence, comment, named = None, "", None
            elif fence == "console":
                self.read_console(number, text, comment, indent)
            elif fence is not None:
                if text.startswith("$ "):
                    raise SystemExit(f"{self.path}:{number + 1}: a command in a block that is not run: call it console")
                if named:
                    self.parts[-1][1].append(text)
            elif text.startswith("<!--"):
                comment = text
                if text not in (ANYTHING, SLOW) and not TOLERANCE.fullmatch(text) and not NEEDS.fullmatch(text):
                    raise SystemExit(f"{self.path}:{number + 1}: unknown comment {text}")
            elif match := re.search(r"\*\*`([\w.-]+)`\*\*", text):
                named = match[1]

    def read_console(self, number, text, comment, indent):
        if self.examples and self.examples[-1].command.endswith("\\") and not self.examples[-1].wanted:
            self.examples[-1].command += "\n" + text
        elif text.startswith("$ "):
            self.examples.append(Example(number, text[2:], comment, indent))
        else:
            self.examples[-1].wanted.append(text)


# What tests of other things own is not compared again on each page, so that a change of it breaks few tests:
# the words in front of a measurement's heading and after its time, and how wide columns are. tests/structure/examples.sh compares
# the headings, and README.md whole; tests/report the columns.
HEADING = re.compile(r"^ *\S[\w ]* for (?=.* on (?:virtual|host)\S*.*:$)")
TIME = re.compile(r"(?<=\d seconds) [a-z ]+?(?= \(|$)")


# How threads waited for each other, of which one run may have a little and the next one none: left out where numbers need
# not be equal.
WAITS = re.compile(r"order[_ ]wait")


def own(lines):
    """The lines without what other tests own."""
    return [" ".join(TIME.sub("", HEADING.sub("", line)).split()) for line in lines]


def shape(text):
    return " ".join(NUMBER.sub("#", text).split())


def numbers(text):
    return [(n.replace(",", ""), "," in n or n.isdigit()) for n in NUMBER.findall(text)]


def near(wanted, got, percent, slack):
    """Numbers as they are printed: the last digit may be rounded either way."""
    a, b = float(wanted[0]), float(got[0])
    digit = 0 if wanted[1] else 10.0 ** -max(len(n[0].partition(".")[2].partition("e")[0]) for n in (wanted, got))
    return abs(a - b) <= max(percent / 100 * abs(a), slack if wanted[1] and got[1] else digit)


def differs(example, got):
    """Why the output is not what stands on the page, or None."""
    wanted, got = own(example.wanted), own(got)
    tolerance = TOLERANCE.fullmatch(example.comment)
    if example.comment == ANYTHING:
        return None
    if not tolerance:
        return None if wanted == got else "the output is another one"
    percent, slack = float(tolerance[1]), float(tolerance[2] or 0)
    wanted, got = ([line for line in lines if not WAITS.search(line)] for lines in (wanted, got))
    if shape("\n".join(wanted)) != shape("\n".join(got)):
        return "the output has other words"
    for a, b in zip(wanted, got):
        for one, other in zip(numbers(a), numbers(b)):
            if not near(one, other, percent, slack):
                return f"{one[0]} on the page, {other[0]} here"
    return None


def run(page, root, command, folder):
    """What each command prints, and its exit status."""
    prefix = folder / "prefix"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "share" / "doc").mkdir(parents=True)
    (prefix / "bin" / "boxscore").symlink_to(Path(command).resolve())
    (prefix / "share" / "doc" / "boxscore").symlink_to(root)
    lessons = folder / "lessons"
    lessons.mkdir()
    for files in FILES:
        for file in (root / files).iterdir():
            shutil.copy(file, lessons)
    environment = {"PATH": f"{prefix}/bin:{os.environ['PATH']}", "CPATH": str(root / "include"),
                   "HOME": str(folder), "LC_ALL": "C"}
    script = "\n".join(f"{e.command}\nprintf '\\001%d\\n' $?" for e in page.examples)
    result = subprocess.run(["sh", "-c", script], cwd=lessons, env=environment, text=True, check=False,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    pieces = re.split("\001(\\d+)\n", result.stdout)
    return [([line.rstrip() for line in out.splitlines()], int(status))
            for out, status in zip(pieces[0:-1:2], pieces[1::2])]


def write(page, results):
    lines, last = [], 0
    for example, (got, _) in zip(page.examples, results):
        begin = example.line + 1 + example.command.count("\n")
        printed = [] if example.comment == ANYTHING else got
        lines += page.lines[last:begin] + [line and " " * example.indent + line for line in printed]
        last = begin + len(example.wanted)
    page.path.write_text("\n".join(lines + page.lines[last:]) + "\n")


def parts_differ(page, root):
    bad = 0
    for name, lines in page.parts:
        files = [root / folder / name for folder in FILES if (root / folder / name).exists()]
        if not any("\n".join(lines) in file.read_text() for file in files):
            print(f"{page.path}: the part of {name} that is shown is not in it")
            bad += 1
    return bad


def pictures_lack(page):
    """A lesson has a picture, a how-to need not, and each one that a page shows is there."""
    shown = re.findall(r"!\[[^]]+\]\(([^)]+)\)", "\n".join(page.lines))
    lacking = [name for name in shown if not (page.path.parent / name).exists()]
    none = not shown and page.path.parent.name != "how-to"
    if none:
        print(f"{page.path}: no picture")
    for name in lacking:
        print(f"{page.path}: no such picture: {name}")
    return len(lacking) + none


def follow(path, root, command, rewrite):
    page = Page(path)
    if not page.examples:
        print(f"{path}: no command to run")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        results = run(page, root, command, Path(folder))
    if rewrite:
        write(page, results)
        return 0
    bad = parts_differ(page, root) + pictures_lack(page)
    for example, (got, status) in zip(page.examples, results):
        reason = differs(example, got)
        if example.comment == ANYTHING and status != 0:
            reason = f"exit status {status}"
        if reason:
            bad += 1
            print(f"{path}:{example.line + 1}: $ {example.command}\n{reason}. It prints:")
            print("\n".join(got))
    print(f"{path.name}: {len(page.examples)} commands, {bad} differ")
    return bad


def lacks(path, command):
    """What a page needs and this machine does not have."""
    names = [name for line in path.read_text().splitlines() if (m := NEEDS.fullmatch(line)) for name in m[1].split()]
    for name in names:
        if name != "stage" and not shutil.which(name):
            return name
        if name == "stage" and subprocess.run([command, "stage", "--", "true"], capture_output=True, check=False).returncode:
            return "a stage"
    return None


def main(arguments):
    rewrite = "--write" in arguments
    root, command, *pages = [a for a in arguments if a != "--write"]
    pages = [Path(p) for p in pages]
    if not os.environ.get("BX_LONG") and not rewrite:
        if all(SLOW in p.read_text().splitlines() for p in pages):
            return SKIPPED
        pages = [p for p in pages if SLOW not in p.read_text().splitlines()]
    for path in list(pages):
        if lack := lacks(path, command):
            print(f"{path.name}: skipped: {lack} is not to be had")
            pages.remove(path)
    if not pages:
        return SKIPPED
    return 1 if sum([follow(p, Path(root).resolve(), command, rewrite) for p in pages]) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
