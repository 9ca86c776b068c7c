"""Build folders: what Meson and Ninja make in them, and which tests they have."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess

from tests import Test

# Sanitizer and clang builds need no optimized code: compiling takes a third of the time. A sixth of the rest would be
# debug information. Reports name functions; for lines, configure the folder with -Dc_args=-g1.
SANITIZED = ["-Dbuildtype=plain", "-Doptimization=1", "-Dc_args=", "-Db_sanitize=address,undefined",
             "-Db_lundef=false", "-Db_ndebug=false"]
STEP = re.compile(r"\[(\d+)/(\d+)\] ")


def together(*functions):
    """What the functions return, which run at once."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return [future.result() for future in [pool.submit(function) for function in functions]]


class Build:
    def __init__(self, folder, options, **variables):
        self.folder = pathlib.Path(folder).resolve()
        self.options = ["-Dtests=enabled", *options]
        self.env = {**os.environ, **variables}

    def configure(self):
        """The message of what went wrong, or nothing."""
        there = (self.folder / "build.ninja").exists()
        command = ["meson", "configure" if there else "setup", str(self.folder), *self.options]
        done = subprocess.run(command, capture_output=True, text=True, env=self.env)
        return "" if done.returncode == 0 else done.stdout + done.stderr or "meson failed"

    def intro(self, what):
        return json.loads((self.folder / "meson-info" / f"intro-{what}.json").read_text(encoding="utf-8"))

    def tests(self):
        """All tests of this folder."""
        files = {target["id"]: target["filename"] for target in self.intro("targets")}
        return [Test(entry, [file for name in entry["depends"] for file in files[name]], self.folder)
                for entry in self.intro("tests")]

    def manual(self):
        return {file for target in self.intro("targets") if target["name"] == "manual" for file in target["filename"]}

    def needed(self, kinds, late):
        """Files to make for tests of these kinds: what is no test program, and theirs. What a program
        generates is made if a test asks for it, the pages of the manual only if `late`."""
        wanted, others = set(), set()
        for test in self.tests():
            (wanted if not kinds or kinds & test.suites else others).update(test.depends)
        sanitized = any(option.startswith("-Db_sanitize") for option in self.options)
        for target in self.intro("targets"):
            files = set(target["filename"])
            where = pathlib.Path(target["defined_in"]).parent.name
            if target["name"] == "manual" and not late:
                wanted -= files
                continue
            if not target["build_by_default"] or is_test_program(target) and files & others - wanted:
                continue
            if not (sanitized and kinds) or target["type"] != "custom" and where != "bench":
                wanted |= files
        return sorted(os.path.relpath(file, self.folder) for file in wanted)

    def products(self):
        """All files that were made and are no test programs."""
        return sorted(file for target in self.intro("targets") if not is_test_program(target)
                      for file in target["filename"])

    def make(self, kinds, late, at):
        """Builds what tests of these kinds need, all for none, and tells at() how far it is. Returns the
        message of what went wrong."""
        message = self.ninja(["build.ninja"], at)
        return message or self.ninja(self.needed(kinds, late), at)

    def ninja(self, words, at):
        done = subprocess.Popen(["ninja", "-C", str(self.folder), *words], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, errors="replace", env=self.env)
        said = []
        for line in done.stdout:
            step = STEP.match(line)
            if step:
                at(f"{step[1]} of {step[2]}")
                if "ninja: " not in line and "FAILED" not in line:
                    continue
            said.append(line)
        return "" if done.wait() == 0 else "".join(said) or "ninja failed"


def is_test_program(target):
    return target["type"] == "executable" and target["name"].startswith(("test_", "fuzz_"))
