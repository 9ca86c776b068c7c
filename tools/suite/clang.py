"""Shows clang every C file of a build, for its warnings, which are errors: clang parses and checks the
files, and writes nothing. A file is checked again only if its command, clang, the file or one of its headers
has changed. The quick suite leaves out files of tests that are as in the branch from which this one comes.
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


def key(command_words, version, files, contents):
    return hashlib.sha256(repr([command_words, version, [(file, contents(file)) for file in files]]).encode()).hexdigest()


def check_one(entry):
    """clang's messages about a file, empty if there are none; and all files that it has read."""
    folder = entry["directory"]
    with tempfile.NamedTemporaryFile(suffix=".d") as depends:
        done = subprocess.run([*command(entry), "-MD", "-MT", "x", "-MF", depends.name], cwd=folder, capture_output=True,
                              text=True)
        rule = depends.read().decode().replace("\\\n", " ")
    files = [os.path.normpath(os.path.join(folder, word)) for word in rule.split()[1:]]
    failed = "" if done.returncode == 0 else f"clang: exit {done.returncode}\n"
    return done.stdout + done.stderr + failed, files


def changed_here():
    """The files that differ from those of the upstream branch, or from the last commit if there is none."""
    def git(*words):
        return subprocess.run(["git", *words], capture_output=True, text=True)
    known = git("diff", "--name-only", "@{upstream}")
    if known.returncode:
        known = git("diff", "--name-only", "HEAD")
    new = git("ls-files", "--others", "--exclude-standard")
    return {os.path.realpath(name) for name in (known.stdout + new.stdout).splitlines()}


def of_product_or(changed, path):
    return path in changed or os.path.relpath(path).split(os.sep)[0] not in ("tests", "bench")


def check(build, everything, at):
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
    passed = {}
    for entry in entries:
        name = repr(command(entry))
        was = known.get(name)
        if was and was["key"] == key(name, version, was["files"], contents):
            passed[name] = was
    todo = [entry for entry in entries if repr(command(entry)) not in passed]
    if not everything:
        changed = changed_here()
        todo = [entry for entry in todo
                if of_product_or(changed, os.path.realpath(os.path.join(entry["directory"], entry["file"])))]
    messages = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done, (entry, (text, files)) in enumerate(zip(todo, pool.map(check_one, todo)), 1):
            at(f"{done} of {len(todo)}")
            name = repr(command(entry))
            if text:
                messages.append(text)
            else:
                passed[name] = {"key": key(name, version, files, contents), "files": files}
    record.write_text(json.dumps(passed), encoding="utf-8")
    if len(entries) < 100:
        messages.append(f"only {len(entries)} files were found\n")
    return "".join(messages)
