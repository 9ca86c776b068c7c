"""Every link from a document to another one, or to a heading, is valid, also in the generated
manual pages. Anchors of headings are those of GitHub and MyST. usage: links.py SOURCE_ROOT
COMMAND
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile


def without_listings(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def anchors_of(text):
    """Anchors of headings: small letters, digits, `_` and `-`, with a number appended if the anchor
    exists already."""
    anchors = set()
    for heading in re.findall(r"^#+ +(.*)$", text, re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("\\", "")
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        unique, n = slug, 0
        while unique in anchors:
            n += 1
            unique = f"{slug}-{n}"
        anchors.add(unique)
    return anchors


def main():
    root, command = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as manual:
        subprocess.run([command, "help", "--generate", "markdown", "-o", manual], check=True)
        pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), root / "catalog/NOTATION.md",
                 root / "tracer/README.md", *pathlib.Path(manual).resolve().glob("*.md")]
        texts = {page: without_listings(page.read_text(encoding="utf-8")) for page in pages}
    anchors = {page: anchors_of(text) for page, text in texts.items()}
    bad = links = 0
    for page, text in texts.items():
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = pathlib.Path(os.path.normpath(page.parent / path)) if path else page
            links += 1
            if target not in texts and not target.exists():
                print(f"{page}: there is no {path}")
                bad += 1
            elif anchor and target in texts and anchor not in anchors[target]:
                print(f"{page}: there is no heading for {link}")
                bad += 1
    print(f"{len(pages)} pages, {links} links, {bad} bad")
    return bad > 0 or links == 0


sys.exit(main())
