"""Compares the lists of shape keys in src/catalog/machine_models.c with the keys that the code reads.
A catalogue could not use a key that no list has; a key that no code reads would have no effect.
usage: shape_keys.py SOURCE_ROOT
"""

import pathlib
import re
import sys

READ = re.compile(r'bx_topology_shape\([^"()]*(?:\([^()]*\)[^"()]*)*"(\w+)"\)')
BY_MACRO = re.compile(r'\b(?:KEY|TLB)\(((?:"\w+"(?:,\s*)?)+)\)')
BY_NAME = re.compile(r'bx_shape_find\([^"]*BX_STR\("(\w+)"\)')
# The delay of a freeze is found by the name of its key: src/compile/build/cpu.c.
BY_CATALOGUE = {"freeze"}


def main(root):
    read = set(BY_CATALOGUE)
    for path in sorted(pathlib.Path(root).glob("s*/**/*.c")):
        text = path.read_text(encoding="utf-8")
        for keys in BY_MACRO.findall(text):
            read |= set(re.findall(r'"(\w+)"', keys))
        read |= set(READ.findall(text)) | set(BY_NAME.findall(text))
    table = pathlib.Path(root, "src/catalog/machine_models.c").read_text(encoding="utf-8")
    table = table[:table.index("bx_machine_model_find")]
    lists = re.findall(r'(?:#define (?:CACHES|L3|PLAIN|TLBS|TIMES|PORTS|BRANCHES|MEMORY)|\.(?:needs|reads|memory) =|keys_of_all\[\] =)([^;#.}]*)', table)
    listed = {word for text in lists for literal in re.findall(r'"([^"]*)"', text) for word in literal.split()}
    for key in sorted(read - listed):
        print(f"the code reads '{key}', and no list of machine_models.c has it")
    for key in sorted(listed - read):
        print(f"machine_models.c lists '{key}', and no code reads it")
    print(f"{len(read)} keys are read, {len(listed)} listed")
    return read != listed or len(read) < 10


sys.exit(main(*sys.argv[1:]))
