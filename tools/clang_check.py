"""Shows clang every C file of a build, for its warnings, which are errors: clang parses and checks the
files, and writes nothing. usage: clang_check.py BUILD
"""

import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

# Valgrind's macros need the extension. gcc's commands do not have the option, as gcc does not know it.
OPTIONS = ["-fsyntax-only", "-Wno-gnu-statement-expression"]


def command(entry):
    """The compiler's command of a file, for clang and without its outputs."""
    words = shlex.split(entry["command"])
    kept = []
    skip = 0
    for word in words[1:]:
        if skip:
            skip -= 1
        elif word in ("-o", "-MF", "-MQ"):
            skip = 1
        elif word not in ("-c", "-MD"):
            kept.append(word)
    return ["clang", *kept, *OPTIONS]


def check(entry):
    """clang's messages about a file; empty if there are none."""
    done = subprocess.run(command(entry), cwd=entry["directory"], capture_output=True, text=True)
    return done.stdout + done.stderr + ("" if done.returncode == 0 else f"clang: exit {done.returncode}\n")


def main(build):
    with open(build + "/compile_commands.json", encoding="utf-8") as file:
        entries = [entry for entry in json.load(file) if entry["file"].endswith(".c")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        messages = [text for text in pool.map(check, entries) if text]
    print("".join(messages), end="")
    print(f"{len(entries)} files, {len(messages)} with messages")
    return len(messages) > 0 or len(entries) < 100


sys.exit(main(*sys.argv[1:]))
