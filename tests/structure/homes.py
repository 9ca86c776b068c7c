"""A header's declarations are defined in the header's own folder. Otherwise a lower floor could
call a higher one through its own header. usage: homes.py SOURCE_ROOT
"""

import pathlib
import re
import sys

PROTOTYPE = re.compile(r"^(?!static|typedef|extern)[a-z][^;{}=()]*?\b(bx_\w+)\s*\(", re.M)
VARIABLE = re.compile(r"^extern\b[^;(]*;", re.M)
FUNCTION = re.compile(r"^(?!static)[a-z][^;{}=()]*?\b(bx_\w+)\([^;{}]*?\)\n\{", re.M)
OBJECT = re.compile(r"^(?!static|extern)const\b[^;(){}]*?\b(bx_\w+)(?:\[\])? = ", re.M)


def main():
    root = pathlib.Path(sys.argv[1])
    sources = [p for top in ("src", "stage", "cli", "helper", "pfm", "tracer") for p in sorted((root / top).rglob("*.[ch]"))]
    homes, bad, declared = {}, 0, 0
    for path in sources:
        if path.suffix == ".h":
            text = path.read_text(encoding="utf-8")
            names = PROTOTYPE.findall(text)
            for variable in VARIABLE.findall(text):
                names += re.findall(r"\b(bx_\w+)(?=\[\]|,|;)", variable)
            for name in names:
                homes.setdefault(name, path)
                declared += 1
    for path in sources:
        if path.suffix == ".c":
            text = path.read_text(encoding="utf-8")
            for name in FUNCTION.findall(text) + OBJECT.findall(text):
                home = homes.get(name)
                if home and home.parent != path.parent:
                    print(f"{path.relative_to(root)} defines {name}, which {home.relative_to(root)} declares")
                    bad += 1
    print(f"{declared} names declared, {bad} defined in another folder")
    return bad > 0 or declared == 0


sys.exit(main())
