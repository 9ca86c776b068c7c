"""Whole tables of published figures: a file for each source in tables/, and the page that shows them.

A file has keys of published.toml, which all its tables have, and

[[table]]
title       of the table, and what its rows and columns are: `rows`, `columns`
headings    the names of its columns
cells       a row's name, and its figures in `unit`; `.`: the source has none
measure     a function of measure.py and its first arguments; a cell's row and column follow
clock       the figures are cycles of this clock in GHz; they are compared as times
rounded     what the source's digits leave open
single      cells that published.toml has by themselves, or the mean of some: they count there
sets        the keys of the machine's part that all figures of the table set
why_not     no figure of the table is compared, and why
sample      the columns whose figures are compared: more would take too long
most_loads  figures of `order_latency` that need more loads than this are not compared: that would take too long

[[left_out]]
figures     that the source has beside all that, and why they are not here: `reason`"""

import pathlib
import tomllib

import measure

HERE = pathlib.Path(__file__).parent
KEYS = ("section", "machine", "unit", "ghz", "goal", "rounded", "source", "read", "remark", "sets")

HEAD = """# How true the machine models are: whole tables

`make validate` writes this page, with [the page of all other figures](validation.md), which says what is
compared and how. Each table is one that a source has, as a whole: `tests/validate/tables/`. A cell is
what was measured here, and in brackets what was published. **Bold** cells are not within the goal. A figure
that its source has rounded is within it, too, if it rounds to the published one. A cell with brackets alone
is not compared.
"""

# Which sources could be read for what is left out, and which could not.
LOOKED_UP = """
For this list the cited files in the repositories of InstLatx64, kerncraft, concurrency-hierarchy-bench, core-to-core-latency,
VscDocumentation and LIKWID were read; those with latencies of instructions not line by line. Of the pages of anandtech.com, pugetsystems.com,
moderncpp.dev and software.intel.com only the beginning could be read, of rigaya34589.blog135.fc2.com the text without its pictures. No copy of
7-cpu.com's pages and of W. Tarreau's message was found. Agner Fog's tables, Intel 248966 and the wiki of uarch-bench were not read again. What
these have beside the figures above is missing here.
"""


def items(kind):
    """The tables, or what is left out, of all sources. Each has the keys of its file."""
    made = []
    for path in sorted((HERE / "tables").glob("*.toml")):
        whole = tomllib.loads(path.read_text(encoding="utf-8"))
        common = {key: value for key, value in whole.items() if not isinstance(value, list) or key == "headings"}
        made += [common | one for one in whole.get(kind, [])]
    return made


def read():
    return items("table")


def left_out():
    return items("left_out")


def cells(table):
    """Row, column and value of each figure, as the source has it."""
    for line in table["cells"].strip().splitlines():
        row, *values = line.split()
        for column, value in zip(table["headings"], values):
            if value != ".":
                yield row, column, float(value)


def is_compared(table, row, column):
    if "why_not" in table or column not in table.get("sample", [column]):
        return False
    return "most_loads" not in table or measure.in_bytes(row) // measure.in_bytes(column) <= table["most_loads"]


def published(table, value):
    return value / table.get("clock", 1)  # cycles, compared as times


def figures(table):
    """A figure, as published.toml has them, for each cell that is compared."""
    made = []
    for row, column, value in cells(table):
        if not is_compared(table, row, column):
            continue
        figure = {key: table[key] for key in KEYS if key in table}
        if "clock" in table:
            figure["rounded"] = table["rounded"] / table["clock"]
        figure |= {"table": table["title"], "row": row, "column": column, "value": published(table, value),
                   "quantity": f"{table['title']}: {row}, {column}", "measure": [*table["measure"], row, column]}
        if f"{row} {column}" in table.get("single", []):
            figure["shown_only"] = True
        made.append(figure)
    return made


def not_compared(table):
    """How many figures of the table are not compared, and why."""
    n = sum(not is_compared(table, row, column) for row, column, _ in cells(table))
    if "why_not" in table:
        return n, table["why_not"]
    if "sample" in table:
        return n, f"a sample is compared, as each takes long: the columns {', '.join(table['sample'])}"
    return n, f"each takes more than {table.get('most_loads', 0) >> 20} Mi loads"


def link(name):
    return f"[{name}](validation-tables.md#{anchor(name)})"


def summary_row(name, own):
    """One line for a table: how many of its figures are within the goal, and how far most are."""
    counted = [figure for figure in own if figure["counts"]]
    errors = sorted(abs(figure["error"]) for figure in counted)
    sets = f"; sets {own[0]['sets']}" if "sets" in own[0] else ""
    return [link(name) + sets, str(len(counted)), str(sum(f["reached"] for f in counted)), f"{errors[len(errors) // 2]:.1f} %", f"{own[0]['goal']} %",
            own[0]["source"]]


def anchor(title):
    """As GitHub makes it."""
    return "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c == "-")


def number(value):
    return f"{value:.0f}" if value >= 99.5 else f"{value:.1f}".removesuffix(".0")


def grid(table, own):
    """The cells of a table."""
    of = {(figure["row"], figure["column"]): figure for figure in own}
    rows = {}
    for row, column, value in cells(table):
        figure = of.get((row, column))
        text = f"({number(published(table, value))})"
        if figure:
            text = f"{number(figure['measured'])} {text}"
        rows.setdefault(row, {})[column] = f"**{text}**" if figure and not figure["reached"] else text
    return ([f"{table['rows']} \\ {table['columns']}" if table["columns"] else table["rows"], *table["headings"]],
            [[row, *(line.get(column, "") for column in table["headings"])] for row, line in rows.items()])


def page(of, as_table):
    """The text of the page; `of` has the figures of each table, by its title."""
    text = HEAD
    for table in read():
        own = of.get(table["title"], [])
        counted = [figure for figure in own if figure["counts"]]
        if not own and "why_not" not in table:
            continue
        text += f"\n## {table['title']}\n\nIn {table['unit']}"
        if counted:
            outside = sum(not figure["reached"] for figure in counted)
            text += f", on `{table['machine']}`. {outside} of {len(counted)} figures are not within the goal of {table['goal']} %"
        text += f". Source: {table['source']}."
        left, reason = not_compared(table)
        text += f" {left} figures are not compared: {reason}." if left else ""
        text += f" Remark: {table['remark']}." if "remark" in table else ""
        text += f"\n\n{as_table(*grid(table, own))}"
    return text
