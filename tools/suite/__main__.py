"""Builds and tests everything. usage: python3 tools/suite quick|long [--all]

quick: each test on one of two builds: those of parts of the code with sanitizers, those of the command on what
users get. What passed before with the same content is not run again; --all runs it. long: all tests on both
builds, without sanitizers more of everything, also the Linux guests and the packages; then the fuzz targets
with libFuzzer. The last line is `N passed, N failed`.
"""

import os
import pathlib
import signal
import sys
import threading
import time

sys.dont_write_bytecode = True

import builds
import clang
import family
import tests
import unchanged
from progress import Progress

LATE = {"structure", "packages"}


class Suite:
    def __init__(self, which, everything):
        self.progress = Progress()
        self.pool = tests.Pool(self.progress, 4 if which == "long" else 3)
        self.long = which == "long"
        self.everything = everything or self.long

    def tests_of(self, build, chosen, environment):
        """Gives tests of a finished build to the pool."""
        if not self.everything and chosen:
            known = unchanged.Known(build)
            for test in chosen:
                test.key = known.key(test)
            self.pool.unchanged += [test for test in chosen if known.passed(test)]
            chosen = [test for test in chosen if not known.passed(test)]
            self.pool.on_end.append(lambda: known.save(chosen))
        for test in chosen:
            test.env.update(environment)
            if self.long:  # more inputs, all of it sanitized; the longest took 12 minutes
                test.timeout = min(10 * test.timeout, 3600)
        self.pool.add(chosen)

    def build(self, name, build, kinds, environment=None):
        """Builds what tests of these kinds need, or everything, then starts them. Returns success.

        Checks of the tree, and who reads the pages of the manual, wait for these, which one processor makes for
        long; the others do not."""
        manual = build.manual()
        for late in (False, True):
            what = f"{name}: the manual" if late else name
            self.progress.begin(what)
            message = build.make(kinds, late, lambda done: self.progress.at(what, done))
            if not self.progress.end(what, message):
                return False
            chosen = [test for test in build.tests() if not kinds or kinds & test.suites]
            self.tests_of(build, [test for test in chosen if bool(test.suites & LATE or manual & set(test.depends)) == late],
                          environment or {})
            if kinds and not kinds & {"programs"}:
                return True
        return True

    def all_builds(self):
        """Makes all builds and gives their tests to the pool. Returns success."""
        plain = builds.Build("build", [])
        sanitized = builds.Build("build-sanitize", builds.SANITIZED)
        name = "configuration"
        self.progress.begin(name)
        configured = builds.together(plain.configure, sanitized.configure)
        if not self.progress.end(name, next((message for message in configured if message), "")):
            return False
        # The tests of one build run while the next is made, so that all processors are busy.
        longer = {"BX_LONG": "1"} if self.long else {}
        perfmon = pathlib.Path("../shared/data/perfmon").resolve()
        if self.long and perfmon.is_dir():
            longer["BX_PERFMON"] = str(perfmon)
        if not self.build("build with gcc", plain, set() if self.long else {"programs", "figures"}, longer):
            return False
        if not self.build("build with gcc, ASan and UBSan", sanitized, set() if self.long else {"parts"}):
            return False
        name = "clang's warnings"
        self.progress.begin(name)
        # A warning fails the run, but keeps no test from running.
        self.progress.end(name, clang.check("build", lambda done: self.progress.at(name, done)))
        if self.long:
            name = "build of the fuzz targets with clang and libFuzzer"
            fuzz = builds.Build("build-fuzz", [*builds.SANITIZED, "-Dlibfuzzer=true"], CC="clang")
            self.progress.begin(name)
            if not self.progress.end(name, fuzz.configure() or fuzz.ninja(["fuzz"], lambda done: self.progress.at(name, done))):
                return False
            self.tests_of(fuzz, [test for test in fuzz.tests() if "fuzz" in test.suites], longer)
        return True

    def run(self):
        begin = time.monotonic()
        maker = threading.Thread(target=self.make)
        maker.start()
        try:
            self.pool.run()
        except KeyboardInterrupt:
            self.pool.end()
            family.end_own()  # builds
            self.progress.close()
            print("interrupted", flush=True)
            os._exit(130)  # other threads wait for tests and builds
        maker.join()
        for action in self.pool.on_end:
            action()
        seconds, used = time.monotonic() - begin, os.times()
        self.progress.close()
        return self.pool.report(seconds, used.children_user + used.children_system, self.progress.failed, self.long)

    def make(self):
        built = False
        try:
            built = self.all_builds()
        finally:
            if not built:
                self.pool.stop()
            self.pool.complete()


def main(which="", *options):
    if which not in ("quick", "long") or [word for word in options if word != "--all"]:
        print("usage: ./test [--all], or make test-long", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    os.chdir(pathlib.Path(__file__).parents[2])
    return Suite(which, "--all" in options).run()


sys.exit(main(*sys.argv[1:]))
