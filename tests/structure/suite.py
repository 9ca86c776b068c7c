"""What tools/suite does with tests that hang, or leave processes, and what it relies on. usage: suite.py SOURCE_ROOT"""

import os
import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "tools" / "suite"))
import family
from tests import Test

family.PATIENCE = 1


def run(script, timeout):
    """A test of this shell script that has run, and its output."""
    with tempfile.TemporaryDirectory() as folder:
        test = Test({"name": "x", "cmd": ["sh", "-c", script], "suite": ["x"], "env": {}, "timeout": timeout, "priority": 0,
                     "is_parallel": True}, [], pathlib.Path(folder))
        test.timeout = timeout
        test.run()
        return test, test.output()


def is_there(pid):
    return int(pid) in family.processes()


class Ends(unittest.TestCase):
    def test_a_hanging_test_ends_with_all_that_it_started(self):
        # One child has a session of its own, one also lost its parent, and one does not end politely.
        test, output = run("setsid sh -c 'echo pid $$; sleep 3000 & echo pid $!; wait' &\n"
                           "setsid sh -c 'setsid sleep 3000 & echo pid $!'\n"
                           "sh -c 'trap \"\" TERM; echo pid $$; while :; do sleep 3000; done' & wait\n", 2)
        pids = [line.split()[1] for line in output.splitlines() if line.startswith("pid ")]
        self.assertEqual(len(pids), 4, output)
        self.assertEqual([pid for pid in pids if is_there(pid)], [], output)
        self.assertEqual(test.count["FAILED"], 1)
        self.assertRegex(output, "ended after 2 s, with [67] processes: it took too long\n")

    def test_ends_politely_first(self):
        _, output = run("trap 'echo put back; exit 0' TERM\nsleep 3000 & wait", 5) # until then the shell has its trap, on a busy host, too
        self.assertIn("put back\n", output)

    def test_a_hanging_test_has_failed_whatever_its_status(self):
        test, _ = run("trap 'exit 0' TERM\nsleep 3000 & wait", 1)
        self.assertEqual((test.count["FAILED"], test.passed()), (1, False))

    def test_a_process_that_is_left_fails_its_test(self):
        test, output = run("sleep 3000 & echo pid $!", 60)
        self.assertEqual(test.count["FAILED"], 1)
        self.assertIn("left running: sleep 3000\n", output)
        self.assertFalse(is_there(output.split()[1]))

    def test_a_process_that_is_just_ending_is_waited_for(self):
        test, output = run("sleep 0.2 &", 60)
        self.assertEqual((test.count["PASSED"], output), (1, ""))

    def test_others_go_on(self):
        other = os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "3000")
        try:
            run("sleep 3000", 1)
            self.assertTrue(is_there(other))
        finally:
            os.kill(other, 9)
            os.waitpid(other, 0)


class Pragmas(unittest.TestCase):
    def test_clang_sees_none(self):
        """One process of clang checks many files, and would not forget them: tools/suite/clang.py."""
        seen = 0
        for path in pathlib.Path(sys.argv[1]).rglob("*.[ch]"):
            if path.relative_to(sys.argv[1]).parts[0].startswith("build"):
                continue # folders of builds: what is there is not ours
            lines = path.read_text(encoding="utf-8").splitlines()
            guarded = False
            for number, line in enumerate(lines, 1):
                guarded = line.startswith("#ifndef __clang__") or guarded and line.startswith("#pragma")
                if re.match(r"#\s*pragma (GCC|clang) (diagnostic|system_header)|_Pragma", line):
                    seen += 1
                    self.assertTrue(guarded, f"{path}:{number}")
        self.assertGreater(seen, 3)


unittest.main(argv=sys.argv[:1])
