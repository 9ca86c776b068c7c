"""The messages that docs/how-to/add-a-cpu.md quotes are those of the compiler of the catalogue.
usage: quoted_messages.py SOURCE_ROOT
"""

import pathlib
import re
import sys

ROW = re.compile(r"^\| `(?!message)(.*?) \[([\w-]+)\]` \|", re.M)
# Adjacent literals of C are one message.
MESSAGE = re.compile(r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*')
PLACEHOLDER = re.compile(r"%(?:\.\*)?[a-z]+")


def patterns(root):
    for path in sorted(pathlib.Path(root, "src/compile").rglob("*.c")):
        for found in MESSAGE.finditer(path.read_text(encoding="utf-8")):
            text = re.sub(r'"\s*"', "", found.group())[1:-1]
            if text.count(" ") > 1:
                yield re.compile(".*".join(re.escape(part) for part in PLACEHOLDER.split(text)))


def main(root):
    known = list(patterns(root))
    page = pathlib.Path(root, "docs/how-to/add-a-cpu.md").read_text(encoding="utf-8")
    quoted = bad = 0
    for message, _ in ROW.findall(page):
        quoted += 1
        if not any(pattern.fullmatch(message) for pattern in known):
            print(f"no message of src/compile is: {message}")
            bad += 1
    print(f"{quoted} messages, {bad} unknown")
    return bad > 0 or quoted < 5


sys.exit(main(*sys.argv[1:]))
