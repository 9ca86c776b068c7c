"""Shows clang every C file of a build, for its warnings, which are errors: clang parses and checks the
files, and writes nothing. Files are checked again only if their command, clang, one of them or of their headers
has changed.

A start of clang takes four times as long as the check of a file, so one process checks many files of one command. It
does not forget between two files what `#pragma GCC diagnostic` says: clang may see none (tests/structure/suite.py).
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import tempfile

# Valgrind's macros need the extension. gcc's commands do not have the option, as gcc does not know it.
OPTIONS = ["-fsyntax-only", "-Wno-gnu-statement-expression"]
MOST = 40  # files for one process


def command(entry):
    """The compiler's command of a file, for clang and without its outputs."""
    words = shlex.split(entry["command"])
    kept, skip = [], False
    for word in words[2 if os.path.basename(words[0]) == "ccache" else 1:]:
        if skip or word in ("-o", "-MF", "-MQ"):
            skip = not skip
        elif word not in ("-c", "-MD"):
            kept.append(word)
    return ["clang", *kept, *OPTIONS]


class Contents:
    """Hashes of files, each read once."""

    def __init__(self):
        self.known = {}

    def __call__(self, path):
        if path not in self.known:
            try:
                self.known[path] = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
            except OSError:
                self.known[path] = ""
        return self.known[path]


def digest(what):
    return hashlib.sha256(repr(what).encode()).hexdigest()


def run(words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    failed = "" if done.returncode == 0 else f"clang: exit {done.returncode}\n"
    return done.stdout + done.stderr + failed


def groups(entries):
    """Files of one command, as many as one process checks. A target's own folder of headers (.p) is of no matter."""
    same = {}
    for entry in entries:
        words = tuple(word for word in command(entry)
                      if word != entry["file"] and not (word.startswith("-I") and word.endswith(".p")))
        same.setdefault((words, entry["directory"]), []).append(entry)
    return [group[at:at + MOST] for group in same.values() for at in range(0, len(group), MOST)]


def name_of(group):
    return digest([command(entry) for entry in group])


def check_group(group):
    """clang's messages about the files, empty if there are none; and all files that it has read."""
    first, folder = group[0], group[0]["directory"]
    # The driver would start a process for each file: it says with which words.
    shown = subprocess.run([*command(first), "-###"], cwd=folder, capture_output=True, text=True).stderr
    words = shlex.split(shown.splitlines()[-1]) if shown else [""]
    files = [entry["file"] for entry in group]
    if words[-1] == first["file"] and "-cc1" in words:
        with tempfile.NamedTemporaryFile("r", encoding="utf-8") as headers:
            told = ["-sys-header-deps", "-header-include-file", headers.name]
            if not run([*words[:-1], *told, *files], folder):
                read = {line.rstrip() for line in headers}
                return "", sorted(os.path.normpath(os.path.join(folder, name)) for name in read.union(files))
    # One by one, each message has the command that it is of.
    return "".join(run(command(entry), folder) for entry in group), []


def check(build, at):
    """The messages about files of a build; at() is told how many were checked."""
    entries = json.loads(pathlib.Path(build, "compile_commands.json").read_text(encoding="utf-8"))
    # A file that is compiled into two programs with the same macros is checked once, with most of the warnings.
    entries = sorted((entry for entry in entries if entry["file"].endswith(".c")), key=lambda entry: len(entry["command"]))
    entries = list({(entry["file"], frozenset(word for word in command(entry) if word.startswith("-D"))): entry
                    for entry in entries}.values())
    version = subprocess.run(["clang", "--version"], capture_output=True, text=True, check=True).stdout
    record, contents = pathlib.Path(build, "clang-checked.json"), Contents()
    try:
        known = json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    passed, todo, messages, done = {}, [], [], 0
    for group in groups(entries):
        was = known.get(name_of(group))
        if was and was["key"] == digest([version, [(file, contents(file)) for file in was["files"]]]):
            passed[name_of(group)] = was
        else:
            todo.append(group)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for group, (text, files) in zip(todo, pool.map(check_group, todo)):
            done += len(group)
            at(f"{done} of {sum(map(len, todo))}")
            messages.append(text)
            if files:
                passed[name_of(group)] = {"key": digest([version, [(file, contents(file)) for file in files]]), "files": files}
    record.write_text(json.dumps(passed), encoding="utf-8")
    if len(entries) < 100:
        messages.append(f"only {len(entries)} files were found\n")
    return "".join(messages)
