"""Which tests passed before with the same content, and so need not run again.

A test's key is a hash of all that its outcome can depend on:
- its program or script and its arguments, its variables, and BX_* of the environment;
- every file of the tree that is not compiled into a program: the catalogue, documents, scripts, test data;
- the installed packages, the kernel and the user;
- unless it stands alone, everything that the build has made and that is no test program: the command, the
  helper, the libraries, the tracer, the programs to be traced. tests/meson.build says which tests stand alone,
  and gives those no path of any of these.
Checks of the tree itself read its sources: they have no key and always run. So do tests of which a part was
skipped.
"""

import hashlib
import json
import os
import pathlib
import subprocess

ALWAYS = {"structure", "kernel", "packages"}


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def of_file(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") \
            else hashlib.sha256(file.read()).hexdigest()


def of_files(paths):
    return digest("".join(f"{path}\n{of_file(path)}\n" for path in paths if os.path.isfile(path)))


def data_files(root, compiled):
    """The files of the tree that are not compiled into programs. A header is, if it is not public."""
    found = []
    for folder, folders, names in os.walk(root):
        inner = pathlib.Path(folder)
        top = inner.relative_to(root).parts[:1]
        folders[:] = sorted(name for name in folders if name not in (".git", "__pycache__")
                            and not (inner == root and name.startswith("build")))
        for name in sorted(names):
            path = inner / name
            if str(path) not in compiled and not (name.endswith(".h") and top not in (("include",), ("docs",))):
                found.append(path)
    return found


def system():
    packages = pathlib.Path("/var/lib/dpkg/status")
    variables = sorted((name, value) for name, value in os.environ.items() if name.startswith(("BX_", "BOXSCORE", "PATH")))
    return digest(repr([of_file(packages) if packages.exists() else "", os.uname().release, os.getuid(), os.cpu_count(),
                        variables]))


class Known:
    def __init__(self, build):
        self.build = build
        self.file = build.folder / "suite-passed.json"
        try:
            self.keys = json.loads(self.file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self.keys = {}
        commands = json.loads((build.folder / "compile_commands.json").read_text(encoding="utf-8"))
        compiled = {os.path.realpath(build.folder / entry["file"]) for entry in commands}
        root = pathlib.Path.cwd()
        self.tree = of_files(data_files(root, compiled))
        self.system = system()
        self.products = of_files(build.products())

    def key(self, test):
        if test.suites & ALWAYS:
            return None
        files = [*test.depends, *(word for word in test.command if os.path.isabs(word))]
        products = "" if "alone" in test.suites else self.products
        parts = [test.command, sorted(test.env.items()), of_files(files), self.tree, self.system, products]
        return digest(repr(parts))

    def passed(self, test):
        return test.key is not None and self.keys.get(test.name) == test.key

    def save(self, tests):
        """Of tests of this folder that have run; others keep what is known of them."""
        try:
            self.keys = json.loads(self.file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self.keys = {}
        for test in tests:
            if test.passed() and test.key:
                self.keys[test.name] = test.key
            else:
                self.keys.pop(test.name, None)
        self.file.write_text(json.dumps(self.keys, indent=0, sort_keys=True), encoding="utf-8")

