"""Runs the commands in the text of the pages that go through the documents: `boxscore info PMI`. Each succeeds.

usage: page_commands.py SOURCE_ROOT COMMAND"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SPAN = re.compile(r"`(boxscore [^`]*)`")
# Names of commands, and words for what the reader puts there.
MENTIONS = re.compile(r"boxscore [a-z]+|boxscore info NAME")


def commands(root):
    """The commands, each once, with the page on which it stands first."""
    found = {}
    pages = sorted((root / "docs/explanation").glob("document-*.md")) + [root / "docs/explanation/blocks.md"]
    for page in pages:
        for span in SPAN.findall(page.read_text().replace("\n", " ")):
            if not MENTIONS.fullmatch(span.strip()):
                found.setdefault(span.strip(), page.name)
    return found


def main():
    root, command = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    bad = 0
    with tempfile.TemporaryDirectory() as work:
        os.symlink(command, Path(work) / "boxscore")
        environment = dict(os.environ, PATH=f"{work}:{os.environ['PATH']}")
        found = commands(root)
        for line, page in found.items():
            ran = subprocess.run(["sh", "-c", line], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                                 capture_output=True, text=True, check=False)
            if ran.returncode or "boxscore:" in ran.stderr:
                print(f"{page}: {line}: exit status {ran.returncode}\n{ran.stderr}")
                bad += 1
    print(f"{len(found)} commands, {bad} bad")
    return bad > 0 or len(found) < 40


sys.exit(main())
