"""Corpora of fuzz targets, in the form that corpus.h describes.

usage: corpus.py unpack CORPUS FOLDER    an input a file, as libFuzzer has them
       corpus.py add CORPUS FILE         appends an input, such as one that libFuzzer has found
       corpus.py catalogues SOURCE_ROOT  prints the notation's corpus: the catalogues of the tests
"""

import pathlib
import re
import sys

MARK = b"\n%%\n"


def unescaped(text):
    return re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), text)


def inputs(corpus):
    text = corpus.read_bytes()
    if MARK not in text:
        return [unescaped(line) for line in text.splitlines()]
    parts = text.split(MARK)
    return [unescaped(part + b"\n") for part in parts[:-1]] + [unescaped(parts[-1])]


def escaped(data, line_feed):
    """Replaces bytes that are not printable by \\xNN, and line feeds if each line is an input."""
    plain = b"[^ -~\n]" if line_feed else b"[^ -~]"
    return re.sub(plain, lambda m: b"\\x%02x" % m[0][0], data)


def unpack(corpus, folder):
    for i, data in enumerate(inputs(pathlib.Path(corpus))):
        (pathlib.Path(folder) / f"{i:04}").write_bytes(data)


def add(corpus, file):
    path = pathlib.Path(corpus)
    old, new = path.read_bytes(), pathlib.Path(file).read_bytes()
    texts = MARK in old
    if texts and new.endswith(b"\n"):
        new = new[:-1]
    path.write_bytes(old + (MARK[1:] if texts else b"") + escaped(new, texts) + b"\n")


def catalogues(root):
    """Each folder that has a .cpu file, as one input: "%file NAME" before each file."""
    root = pathlib.Path(root)
    folders = sorted((root / "tests/bad").iterdir()) + [root / "tests/compile/slots"]
    folders += [root / "catalog/skl"]
    parts = []
    for folder in folders:
        files = [f for f in sorted(folder.iterdir()) if f.name != "expect"]
        parts.append("".join(f"%file cpu/{f.name}\n{f.read_text()}" for f in files))
    sys.stdout.write("%%\n".join(parts))


if __name__ == "__main__":
    {"unpack": unpack, "add": add, "catalogues": catalogues}[sys.argv[1]](*sys.argv[2:])
