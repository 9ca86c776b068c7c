"""Every link of a document to another one, and to a heading, leads somewhere; of the generated pages of the
manual, too. Headings are linked as GitHub and MyST do. Each event, unit mask, metric and group of metrics has
a heading of its own in the manual, which links lead to. usage: links.py SOURCE_ROOT COMMAND
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
    """Of headings: small letters, digits, `_` and `-`; a number after those that are there already."""
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


def without_heading(command, anchors):
    """The names that `boxscore help` takes and that no page has as a heading. Registers have their unit there."""
    names = subprocess.run([command, "help", "names"], check=True, capture_output=True, text=True).stdout.split()
    entries = {name for name in names if "::" in name or re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)+", name)}
    return sorted(name for name in entries if re.sub(r"[^\w\- ]", "", name.lower()) not in anchors)


def main():
    root, command = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as manual:
        subprocess.run([command, "help", "--generate", "markdown", "-o", manual], check=True)
        pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), root / "catalog/NOTATION.md",
                 root / "tracer/README.md", *pathlib.Path(manual).resolve().glob("*.md")]
        texts = {page: without_listings(page.read_text(encoding="utf-8")) for page in pages}
    anchors = {page: anchors_of(text) for page, text in texts.items()}
    missing = without_heading(command, set().union(*anchors.values()))
    doubled = [f"{page.name}: two headings {anchor[:-2]}" for page, own in anchors.items()
               if page.name.startswith("boxscore-") for anchor in own if re.search(r"^\w+-1$", anchor)]
    for line in [f"no heading for {name}" for name in missing] + doubled:
        print(line)
    bad, links = len(missing) + len(doubled), 0
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
