"""Each how-to of users starts with their question, and a command that can be pasted is on the first screen.
usage: how_tos.py SOURCE_ROOT"""

import re
import sys
from pathlib import Path

SCREEN = 22  # lines
COMMAND = re.compile(r"^ *(?:\$ )?(?:boxscore [a-z]|python3 |cc |git |make )|`boxscore [a-z][^`]* -", re.M)


def missing(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    first = "\n".join(lines[2:]).split("\n\n")[0]
    while first.startswith("<!--"):  # what the tests are told of a page
        lines = lines[2:]
        first = "\n".join(lines[2:]).split("\n\n")[0]
    if "?" not in first:
        yield f"{page.name}: its first paragraph asks no question"
    if not COMMAND.search("\n".join(lines[:SCREEN])):
        yield f"{page.name}: no command in its first {SCREEN} lines"


def main():
    pages = [page for page in sorted((Path(sys.argv[1]) / "docs/how-to").glob("*.md"))
             if page.name != "README.md" and not page.name.startswith("add-")]
    bad = [line for page in pages for line in missing(page)]
    print(*bad, f"{len(pages)} how-tos, {len(bad)} faults", sep="\n")
    return len(bad) > 0 or not pages


sys.exit(main())
