"""A static function's name stands in few files: else a debugger, a profile or a search does not say which
one is meant. usage: static_names.py SOURCE_ROOT
"""

import collections
import pathlib
import re
import sys

MOST = 5
FUNCTION = re.compile(r"^static [^;={]*?\b(\w+)\([^;{]*?\)\s*\n\{", re.M)


def main():
    root = pathlib.Path(sys.argv[1])
    files = collections.defaultdict(set)
    for top in ("src", "stage", "cli", "helper", "pfm", "tracer"):
        for path in (root / top).rglob("*.c"):
            for name in FUNCTION.findall(path.read_text(encoding="utf-8")):
                if name != "__attribute__":
                    files[name].add(str(path.relative_to(root)))
    bad = {name: found for name, found in files.items() if len(found) > MOST}
    for name, found in sorted(bad.items()):
        print(f"{name}() is static in {len(found)} files: {' '.join(sorted(found))}")
    print(f"{len(files)} names of static functions, {len(bad)} in more than {MOST} files")
    return bool(bad) or not files


sys.exit(main())
