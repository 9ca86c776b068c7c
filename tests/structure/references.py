"""Compares the texts and spans of the catalogue's rows with those that src/catalog/check.c checks. One that it
lacks could lead out of an imported file.
usage: references.py SOURCE_ROOT
"""

import pathlib
import re
import sys

ROW = re.compile(r"typedef struct (bx_cat_\w+) \{(.*?)\} \1;", re.S)
MEMBERS = re.compile(r"\b(?:bx_cat_text|bx_span) ([^;]*);")
# The index has its own check.
OTHERS = {("bx_cat_entry", "name")}


def main(root):
    folder = pathlib.Path(root, "src/catalog")
    rows = re.sub(r"/\*.*?\*/", "", "".join(p.read_text(encoding="utf-8") for p in sorted(folder.glob("*.h"))),
                  flags=re.S)
    have = {(row, member.split("[")[0].strip()) for row, body in ROW.findall(rows)
            for members in MEMBERS.findall(body) for member in members.split(",")}
    checked = set(re.findall(r"\b[TS]\(\w+, (\w+), (\w+)", (folder / "check.c").read_text(encoding="utf-8")))
    for row, member in sorted(have - checked - OTHERS):
        print(f"check.c does not check {row}.{member}")
    print(f"{len(have)} texts and spans")
    return bool(have - checked - OTHERS) or len(have) < 50


sys.exit(main(*sys.argv[1:]))
