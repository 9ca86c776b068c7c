"""No message of the library names an option of the command, because users of the library do not
have it. A complete command line, with the program's name in front, may have options. usage:
messages.py SOURCE_ROOT
"""

import pathlib
import re
import sys

CALL = re.compile(r"\b(?:bx_fail|bx_hint|BX_REFUSE)\((.*?)\);", re.S)
LITERALS = re.compile(r'"((?:[^"\\]|\\.)*)"')
OPTION = re.compile(r"(?<![\w-])(?:--[a-z][\w-]*|-[A-Za-z](?!\w))|-- PROGRAM")
COMMAND_LINE = re.compile(r"\b(?:boxscore|boxscore-helper|valgrind|ps|ls|fuser|ulimit|sysctl|fusermount3) ")


def main(root):
    calls = bad = 0
    for path in sorted(pathlib.Path(root, "src").rglob("*.c")):
        for call in CALL.finditer(path.read_text(encoding="utf-8")):
            calls += 1
            message = "".join(LITERALS.findall(call.group(1)))
            option = OPTION.search(message)
            if option and not COMMAND_LINE.search(message[:option.start()]):
                print(f"{path}: '{option.group()}' in \"{message}\"")
                bad += 1
    print(f"{calls} messages, {bad} name an option")
    return bad > 0 or not calls


sys.exit(main(*sys.argv[1:]))
