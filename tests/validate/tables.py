"""Whole tables of published figures: tables.toml, and the page that shows them."""

import pathlib
import tomllib

HERE = pathlib.Path(__file__).parent
KEYS = ("section", "machine", "unit", "ghz", "goal", "rounded", "source", "read", "remark")

HEAD = """# How true the machine models are: whole tables

`make validate` writes this page, with [the page of all other figures](validation.md), which says what is
compared and how. Each table is one that a source has, as a whole: `tests/validate/tables.toml`. A cell is
what was measured here, and in brackets what was published. **Bold** cells are not within the goal. A figure
that its source has rounded is within it, too, if it rounds to the published one.
"""


def read():
    return tomllib.loads((HERE / "tables.toml").read_text(encoding="utf-8"))["table"]


def left_out():
    return tomllib.loads((HERE / "tables.toml").read_text(encoding="utf-8"))["left_out"]


def looked_up():
    """Which sources could be read for what is left out, and which could not."""
    return tomllib.loads((HERE / "tables.toml").read_text(encoding="utf-8"))["looked_up"]


def figures(table):
    """A figure, as published.toml has them, for each cell."""
    made = []
    for line in table["cells"].strip().splitlines():
        row, *values = line.split()
        for column, value in zip(table["headings"], values):
            if value == ".":
                continue
            figure = {key: table[key] for key in KEYS if key in table}
            if "clock" in table:  # cycles, compared as times
                figure["rounded"] = table["rounded"] / table["clock"]
                value = float(value) / table["clock"]
            figure |= {"table": table["title"], "row": row, "column": column, "value": float(value),
                       "quantity": f"{table['title']}: {row}, {column}", "measure": [*table["measure"], row, column]}
            if f"{row} {column}" in table.get("fitted", []):
                figure["shown_only"] = True
            made.append(figure)
    return made


def summary_row(name, own):
    """One line for a table: how many of its figures are within the goal, and how far most are."""
    counted = [figure for figure in own if figure["counts"]]
    errors = sorted(abs(figure["error"]) for figure in counted)
    return [f"[{name}](validation-tables.md#{anchor(name)})", str(len(counted)), str(sum(f["reached"] for f in counted)),
            f"{errors[len(errors) // 2]:.1f} %", f"{own[0]['goal']} %", own[0]["source"]]


def anchor(title):
    """As GitHub makes it."""
    return "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c == "-")


def number(value):
    return f"{value:.0f}" if value >= 99.5 else f"{value:.1f}".removesuffix(".0")


def grid(table, own):
    """The cells of a table."""
    cells = {(figure["row"], figure["column"]): figure for figure in own}
    rows = []
    for row in dict.fromkeys(figure["row"] for figure in own):
        line = [row]
        for column in table["headings"]:
            figure = cells.get((row, column))
            text = f"{number(figure['measured'])} ({number(figure['value'])})" if figure else ""
            line.append(f"**{text}**" if figure and not figure["reached"] else text)
        rows.append(line)
    return [f"{table['rows']} \\ {table['columns']}", *table["headings"]], rows


def page(of, as_table):
    """The text of the page; `of` has the figures of each table, by its title."""
    text = HEAD
    for table in read():
        if table["title"] not in of:
            continue
        own = of[table["title"]]
        counted = [figure for figure in own if figure["counts"]]
        outside = sum(not figure["reached"] for figure in counted)
        text += (f"\n## {table['title']}\n\nIn {table['unit']}, on `{table['machine']}`. {outside} of {len(counted)} figures are not within"
                 f" the goal of {table['goal']} %. Source: {table['source']}.")
        text += f" Remark: {table['remark']}." if "remark" in table else ""
        text += f"\n\n{as_table(*grid(table, own))}"
    return text
