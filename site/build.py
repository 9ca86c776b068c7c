"""Builds the documents as a site. usage: build.py SOURCE_ROOT COMMAND TO

TO/source gets the documents with the same paths as in the tree, so that their links stay valid. It
also gets the pages of the manual, which COMMAND (boxscore) writes. Sphinx makes TO/html of it.
Nothing is downloaded."""

import json
import pathlib
import re
import shutil
import subprocess
import sys


# What is needed beside docs/: other documents, and files that documents link to.
BESIDE = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "GLOSSARY.md", "catalog/NOTATION.md", "tracer/README.md", "include",
          "examples", "deploy"]


def copy(root, source):
    shutil.copytree(root / "docs", source / "docs")
    for name in BESIDE:
        if (root / name).is_dir():
            shutil.copytree(root / name, source / name)
        else:
            (source / name).parent.mkdir(exist_ok=True)
            shutil.copy(root / name, source / name)


def linked(text):
    """Pages of the same folder, in the order in which a text links to them."""
    return list(dict.fromkeys(re.findall(r"\]\(([\w-]+)\.md", text)))


def in_order(folder, text):
    """The names of a folder's pages: its first page, those that the text links to, and the rest."""
    first = ["README"] if (folder / "README.md").exists() else []
    rest = sorted(page.stem for page in folder.glob("*.md"))
    return list(dict.fromkeys(first + [name for name in linked(text) if name in rest] + rest))


def write_index(root, source):
    """The first page, with the contents of the whole site: each folder in the order of its own first page.
    Users' how-tos come before those for who extends boxscore."""
    docs = source / "docs"
    texts = {name: (docs / name / "README.md").read_text(encoding="utf-8")
             for name in ("how-to", "reference", "explanation")}
    extend = linked(texts["how-to"].split("\n## Extend", 1)[1].split("\n## ", 1)[0])
    texts["how-to"] = texts["how-to"].split("\n## Install", 1)[1]  # short answers go to pages in no order
    pages = {name: [f"docs/{name}/{page}" for page in in_order(docs / name, texts.get(name, ""))]
             for name in ("tutorial", "how-to", "reference", "explanation")}
    extend = [f"docs/how-to/{page}" for page in extend]
    contents = [("Tutorial", ["Overview <README>"] + pages["tutorial"]),
                ("How-to", [page for page in pages["how-to"] if page not in extend]),
                ("Reference", pages["reference"] + ["manual/commands", "manual/catalog", "GLOSSARY"]),
                ("Explanation", pages["explanation"]),
                ("Extend boxscore", extend + ["ARCHITECTURE", "CONTRIBUTING", "catalog/NOTATION", "tracer/README"])]
    text = (root / "site/index.md").read_text(encoding="utf-8")
    text += "".join("\n" + toctree(names, caption) for caption, names in contents)
    (source / "index.md").write_text(text, encoding="utf-8")


def fold_answers(tutorial):
    """An answer is shown when its reader wants it."""
    for page in tutorial.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        text = re.sub(r"(?ms)^## Answer\n+(.*?)(?=^Next: |^## |\Z)",
                      r"## Answer\n\n<details>\n<summary>Show the answer</summary>\n\n\1\n</details>\n\n", text)
        page.write_text(text, encoding="utf-8")


def questions(docs):
    """What leads to a page: the rows of the tables on the folders' first pages, each with its first link."""
    to = {}
    for first in ("how-to/README", "tutorial/00-start", "reference/README", "explanation/README"):
        page = docs / (first + ".md")
        for row in re.findall(r"(?m)^\| .*$", page.read_text(encoding="utf-8")):
            link = re.search(r"\]\((?!https?:)([^)#]+)\.md", row)
            if link:
                name = (page.parent / link[1]).resolve().relative_to(docs.parent.resolve()).as_posix()
                to[name] = (to.get(name, "") + " " + re.sub(r"\]\([^)]*\)|[\[`|]", " ", row)).strip()
    return to


def prepare_search(root, source, to):
    """A page is also found by the words of the questions that lead to it. They decide what comes first, too."""
    asked = questions(source / "docs")
    for name, text in asked.items():
        page = source / (name + ".md")
        words = ", ".join(dict.fromkeys(re.findall(r"\w+", text)))
        page.write_text(f'---\nmyst:\n  html_meta:\n    keywords: "{words}"\n---\n\n' + page.read_text(encoding="utf-8"),
                        encoding="utf-8")
    scorer = to / "scorer.js"
    scorer.write_text(f"const questions = {json.dumps(asked, ensure_ascii=False, indent=1)};\n" +
                      (root / "site/scorer.js").read_text(encoding="utf-8"), encoding="utf-8")
    return scorer


def title_of(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    return lines[2]


def toctree(names, caption=None):
    head = f":caption: {caption}\n" if caption else ""
    return "```{toctree}\n:hidden:\n" + head + "\n" + "".join(f"{name}\n" for name in names) + "```\n"


def table(manual, names):
    rows = "".join(f"| [{name}]({name}.md) | {title_of(manual / (name + '.md'))} |\n" for name in names)
    return f"| page | |\n| --- | --- |\n{rows}\n"


def write_manual(command, manual):
    """Writes the pages of the manual, and two pages that link to them: one to those of the commands,
    the other to those of each CPU."""
    subprocess.run([command, "help", "--generate", "markdown", "--workloads", "-o", manual], check=True)
    topics = subprocess.run([command, "help", "topics"], check=True, capture_output=True, text=True).stdout
    names = ["boxscore"] + [f"boxscore-{topic}" for topic in re.findall(r"^  (\S+)", topics, re.M)]
    cpus = [n[: -len("-metrics")] for n in names if n.endswith("-metrics")]
    of_cpus = [n for n in names if any(n == cpu or n.startswith(cpu + "-") for cpu in cpus)]
    commands = [n for n in names if n not in of_cpus]
    (manual / "commands.md").write_text(
        "# Manual pages of the commands\n\n" + table(manual, commands) + toctree(commands), encoding="utf-8")
    text = "# CPUs, PMUs, events and metrics\n"
    for cpu in cpus:
        own = [n for n in of_cpus if n == cpu or n.startswith(cpu + "-")]
        text += f"\n## {title_of(manual / (cpu + '.md'))}\n\n" + table(manual, own) + toctree(own)
    (manual / "catalog.md").write_text(text, encoding="utf-8")


def main():
    if not shutil.which("sphinx-build"):
        print("site: sphinx-build is not there\n  try: ./setup site", file=sys.stderr)
        return 1
    root, command, to = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    source = to / "source"
    shutil.rmtree(to, ignore_errors=True)
    source.mkdir(parents=True)
    copy(root, source)
    write_index(root, source)
    fold_answers(source / "docs/tutorial")
    write_manual(command, source / "manual")
    scorer = prepare_search(root, source, to)
    return subprocess.run(["sphinx-build", "-q", "-j", "auto", "-W", "--keep-going", "-b", "html", "-c", root / "site",
                           "-D", f"html_search_scorer={scorer}", source, to / "html"]).returncode


sys.exit(main())
