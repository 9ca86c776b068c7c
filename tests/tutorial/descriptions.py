"""Descriptions of pictures have the pictures' figures: whoever hears a page read aloud gets what the picture shows.
usage: descriptions.py SOURCE_ROOT

Numbers of three digits or more, and those with a decimal point, must be in the picture's text. "about" stands before
those that are read from a curve."""

import re
import sys
from pathlib import Path

IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)]+\.svg)\)")
NUMBER = re.compile(r"(about )?(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d+\.\d+|\d{3,})(?![\w,]*\d)")


def wrong(page):
    text = " ".join(page.read_text(encoding="utf-8").split())
    for description, name in IMAGE.findall(text):
        shown = re.sub(r"<[^>]*>", " ", (page.parent / name).read_text(encoding="utf-8"))
        has = set(re.findall(r"[\d,.]*\d", shown))
        yield from (f"{page}: {number} is not in {name}" for about, number in NUMBER.findall(description)
                    if not about and number not in has)


def main():
    pages = sorted((Path(sys.argv[1]) / "docs").rglob("*.md"))
    described = sum(len(IMAGE.findall(page.read_text(encoding="utf-8"))) for page in pages)
    bad = [line for page in pages for line in wrong(page)]
    print(*bad, f"{described} pictures, {len(bad)} wrong figures", sep="\n")
    return len(bad) > 0 or described == 0


sys.exit(main())
