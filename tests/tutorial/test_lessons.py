"""The runner of lessons finds what differs. usage: test_lessons.py SOURCE_ROOT COMMAND"""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

import lessons

ROOT, COMMAND = sys.argv[1:3]
TOLERANT = "<!-- numbers within 5 % or 50 -->\n"


def follow(text, rewrite=False):
    """What the runner says of a page, how often it found something, and the page afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.md"
        page.write_text(text)
        (Path(folder) / "a.svg").write_text("")
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            bad = lessons.follow(page, Path(ROOT), COMMAND, rewrite)
        return said.getvalue(), bad, page.read_text()


def block(*lines, comment=""):
    return "![a](a.svg)\n\n" + comment + "```console\n" + "\n".join(lines) + "\n```\n"


class Lessons(unittest.TestCase):
    def finds(self, count, text, words=""):
        said, bad, _ = follow(text)
        self.assertEqual(bad, count, said)
        self.assertIn(words, said)

    def test_output_is_equal(self):
        self.finds(0, block("$ echo 1", "1", "$ true", "$ printf '\\na b\\n'", "", "a b"))
        self.finds(1, block("$ echo 1", "2"), "the output is another one")
        self.finds(1, block("$ true", "1"))
        self.finds(1, block("$ echo 1"))

    def test_commands_of_several_lines(self):
        self.finds(0, block("$ echo 1 \\", "    2", "1 2", "$ echo 3", "3"))

    def test_messages_are_output(self):
        self.finds(0, block("$ echo wrong >&2", "wrong"))

    def test_a_page_has_one_directory(self):
        self.finds(0, block("$ echo 1 > made") + block("$ cat made", "1"))

    def test_boxscore_and_programs_are_there(self):
        self.finds(0, block("$ ls sum.c", "sum.c", "$ boxscore vpmu --machine virtual:skl,part=plain counter.txt", "0x3000"))

    def test_tolerance(self):
        for wanted, got, bad in (("1,000", "1,050", 0), ("1,000", "1,051", 1), ("1,000", "949", 1), ("0", "50", 0),
                                 ("0", "51", 1), ("0.50 s", "0.52 s", 0), ("0.50 s", "0.53 s", 1), ("2 a", "2 b", 1),
                                 ("1.00 a", "1.00 a 3", 1)):
            with self.subTest(wanted=wanted, got=got):
                self.finds(bad, block(f"$ echo {got}", wanted, comment=TOLERANT))

    def test_waits_of_threads_come_and_go(self):
        waits = "threads waited: 3 order waits, 9 ns"
        self.finds(0, block(f"$ echo 1; echo '{waits}'", "1", comment=TOLERANT))
        self.finds(0, block("$ echo 1", "1", waits, comment=TOLERANT))
        self.finds(1, block(f"$ echo 1; echo '{waits}'", "1"))

    def test_digits_of_names_are_words(self):
        self.finds(1, block("$ echo S1 x", "S0 x", comment=TOLERANT), "other words")

    def test_output_of_each_machine(self):
        self.finds(0, block("$ echo 1", comment="<!-- its own on each machine -->\n"))
        self.finds(1, block("$ false", comment="<!-- its own on each machine -->\n"), "exit status 1")

    def test_unknown_comment(self):
        with self.assertRaises(SystemExit):
            follow(block("$ true", comment="<!-- numbers within -->\n"))

    def test_commands_are_in_console_blocks(self):
        with self.assertRaises(SystemExit):
            follow(block("$ true") + "```sh\n$ true\n```\n")

    def test_parts_of_programs(self):
        part = "\nThis is **`sum.c`**:\n\n```c\n    double sum = {};\n```\n"
        self.finds(0, block("$ true") + part.format("0"))
        self.finds(1, block("$ true") + part.format("1"), "sum.c")

    def test_blocks_in_lists(self):
        page = "1. Do this:\n\n   ![a](a.svg)\n\n   ```console\n   $ printf ' a\\n\\nb\\n'\n    a\n\n   b\n   ```\n"
        self.finds(0, page)
        self.finds(1, page.replace("   b\n", "   c\n"))
        self.assertEqual(follow(page.replace("   b\n", "   c\n"), rewrite=True)[2], page)

    def test_needs(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            for needs, lack in (("sh cat", None), ("sh no-such-program", "no-such-program")):
                page.write_text(f"<!-- needs {needs} -->\n")
                self.assertEqual(lessons.lacks(page, COMMAND), lack)

    def test_pictures(self):
        self.finds(1, "```console\n$ true\n```\n", "no picture")
        self.finds(1, block("$ true") + "![b](b.svg)\n", "no such picture: b.svg")

    def test_a_page_without_commands(self):
        self.finds(1, "![a](a.svg)\n", "no command")

    def test_write(self):
        page = block("$ echo 1", "2", "3", "$ true", "4") + "end\n"
        self.assertEqual(follow(page, rewrite=True)[2], block("$ echo 1", "1", "$ true") + "end\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
