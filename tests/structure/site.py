"""The site: Sphinx has no warning, every link and anchor inside leads somewhere, every page can be reached
from the first one, and nothing is loaded from elsewhere, so that it can be read from files. The search
answers questions, where there is a browser. In the long suite, and where Sphinx is. usage: site.py SOURCE_ROOT COMMAND TO
"""

import html.parser
import os
import pathlib
import shutil
import subprocess
import sys
import urllib.parse

SKIPPED = 77
PYTHON = "/usr/bin/python3"  # Debian's, which has Debian's selenium


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors.update(filter(None, (given.get("id"), given.get("name"))))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag in ("script", "img", "link", "iframe") and (given.get("src") or given.get("href")):
            self.loads.append(given.get("src") or given.get("href"))


def check(root):
    pages = {path: Page(path) for path in root.rglob("*.html")}
    bad, links, reached, todo = [], 0, set(), [root / "index.html"]
    for path, page in pages.items():
        for link in page.links + page.loads:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads:
                    bad.append(f"{path.relative_to(root)} loads {link}")
                continue
            links += 1
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.is_file():
                bad.append(f"{path.relative_to(root)}: no file for {link}")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                bad.append(f"{path.relative_to(root)}: no anchor for {link}")
    while todo:
        path = todo.pop()
        if path not in reached and path in pages:
            reached.add(path)
            todo += [(path.parent / urllib.parse.urlsplit(link).path).resolve() for link in pages[path].links]
    bad += [f"{path.relative_to(root)} cannot be reached" for path in pages if path not in reached and
            path.name != "search.html"]
    if "SHOW_SEARCH_SUMMARY: false" not in (root / "_static/documentation_options.js").read_text(encoding="utf-8"):
        bad.append("search fetches pages, which it cannot do from files")
    print(*bad, sep="\n")
    print(f"{len(pages)} pages, {links} links, {len(bad)} bad")
    return len(bad) > 0 or links == 0


def main():
    source, command, to = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    if not os.environ.get("BX_LONG"):
        print("skipped: BX_LONG is not set")
        return SKIPPED
    if not shutil.which("sphinx-build"):
        print("skipped: no sphinx-build (./setup site)")
        return SKIPPED
    subprocess.run([sys.executable, source / "site/build.py", source, command, to], check=True)
    bad = check(to / "html")
    python = PYTHON if os.path.exists(PYTHON) else sys.executable
    search = subprocess.run([python, source / "tests/structure/site_search.py", to / "html"], check=False)
    return bad or search.returncode not in (0, SKIPPED)


sys.exit(main())
