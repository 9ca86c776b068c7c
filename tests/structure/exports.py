"""The shared library exports the functions of its headers, each with a version, and nothing else.
usage: exports.py MAP LIBRARY HEADER...
"""

import re
import subprocess
import sys

NODE = r"BOXSCORE_\d+\.\d+"
PROTOTYPE = re.compile(r"^BX_API [^;]*?\b(bx_\w+)\(", re.M)


def read(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)


def mapped(text):
    """The names of each node, as NAME@@NODE."""
    names = set()
    for node, body in re.findall(rf"({NODE}) \{{(.*?)\}}", text, re.S):
        names |= {f"{name}@@{node}" for name in re.findall(r"\b(bx_\w+);", body)}
    return names


def exported(library):
    """What other programs can link with; the nodes themselves are absolute symbols."""
    lines = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", library],
                           check=True, capture_output=True, text=True).stdout.splitlines()
    return {name for _, kind, name in (line.split() for line in lines) if kind != "A"}


def compare(a, b, what):
    for name in sorted(a - b):
        print(what, name)
    return len(a - b)


def main(script, library, *headers):
    declared = {name for header in headers for name in PROTOTYPE.findall(read(header))}
    listed, found = mapped(read(script)), exported(library)
    bare = {name.split("@")[0] for name in listed}
    bad = compare(declared, bare, "declared, but not in the version script:")
    bad += compare(bare, declared, "in the version script, but not declared:")
    bad += compare(listed, found, "in the version script, but not exported:")
    bad += compare(found, listed, "exported, but not in the version script:")
    bad += len(listed) != len(bare)
    print(f"{len(declared)} functions declared, {len(found)} exported, {bad} bad")
    return bad > 0 or not declared


sys.exit(main(*sys.argv[1:]))
