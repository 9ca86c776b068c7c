"""Builds the documents as a site. usage: build.py SOURCE_ROOT COMMAND TO

TO/source gets the documents with the same paths as in the tree, so that their links stay valid. It
also gets the pages of the manual, which COMMAND (boxscore) writes. Sphinx makes TO/html of it.
Nothing is downloaded."""

import os
import pathlib
import re
import shutil
import subprocess
import sys


# What is needed beside docs/: other documents, and files that documents link to.
BESIDE = ["ARCHITECTURE.md", "CONTRIBUTING.md", "GLOSSARY.md", "catalog/NOTATION.md", "tracer/README.md", "include",
          "examples", "deploy"]


def copy(root, source):
    shutil.copytree(root / "docs", source / "docs")
    for name in BESIDE:
        if (root / name).is_dir():
            shutil.copytree(root / name, source / name)
        else:
            (source / name).parent.mkdir(exist_ok=True)
            shutil.copy(root / name, source / name)


def write_index(root, source):
    """Makes the README the first page of the site, in place of an index, and changes links to the
    README to lead there."""
    toctrees = (root / "site/index.md").read_text(encoding="utf-8")
    (source / "index.md").write_text((root / "README.md").read_text(encoding="utf-8") + toctrees, encoding="utf-8")
    for page in source.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        up = os.path.relpath(source, page.parent)
        readme = re.escape(os.path.normpath(os.path.join(up, "README.md")))
        if page.parent != source / "tracer":
            page.write_text(re.sub(rf"\]\({readme}(#[^)]*)?\)", rf"]({up}/index.md\1)", text), encoding="utf-8")


def title_of(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    return lines[2]


def toctree(names):
    return "```{toctree}\n:hidden:\n\n" + "".join(f"{name}\n" for name in names) + "```\n"


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
    write_manual(command, source / "manual")
    return subprocess.run(["sphinx-build", "-q", "-j", "auto", "-W", "--keep-going", "-b", "html", "-c", root / "site",
                           source, to / "html"]).returncode


sys.exit(main())
