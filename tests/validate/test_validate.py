"""The validation: its arithmetic, its pictures, and a small part of its page."""

import pathlib
import re
import tempfile
import unittest
from unittest import mock
from xml.etree import ElementTree

import measure
import picture
import tables
import validate

SVG = "{http://www.w3.org/2000/svg}"
DOCS = pathlib.Path(__file__).parents[2] / "docs"


def figure(value, rival=None, unit="ns", goal=10):
    made = {"section": "Latency", "quantity": "x", "machine": "virtual:skl", "measure": ["latency", "4K"],
            "value": value, "unit": unit, "ghz": 4.0, "goal": goal, "source": "s", "read": True}
    return made | ({"rival": rival} if rival else {})


def compared(*figures):
    with mock.patch.object(measure, "latency", return_value=20.0):
        validate.compare(list(figures))
    return figures


class Arithmetic(unittest.TestCase):
    def test_error(self):
        one, other = compared(figure(25), figure(100, unit="cycles"))
        self.assertAlmostEqual(one["error"], -20)
        self.assertFalse(one["reached"])
        self.assertAlmostEqual(other["measured"], 80)
        self.assertAlmostEqual(other["error"], -20)

    def test_goal(self):
        self.assertTrue(compared(figure(19))[0]["reached"])
        self.assertFalse(compared(figure(18))[0]["reached"])
        self.assertFalse(compared(figure(19, goal=2))[0]["reached"])

    def test_nearer_source_is_the_goal(self):
        far, near = compared(figure(30, "L3"), figure(21, "L3"))
        self.assertEqual(validate.verdict(far), "another source is nearer")
        self.assertEqual(validate.verdict(near), "yes")

    def test_kinds(self):
        taken, told, hand = figure(20) | {"sets": "l1"}, figure(19), figure(20) | {"source": "by hand: each line once"}
        far, near = figure(30, "L3"), figure(21, "L3")
        far["machine"] = near["machine"] = "virtual:p6,part=plain"
        figures = compared(taken, told, hand, far, near)
        self.assertEqual([validate.kind(f) for f in figures], ["fitted", "predictions", "by hand", "predictions", "predictions"])
        self.assertIn("| predictions | 2 | 2 | 1 | 1 |\n| predictions in whole tables | 0 | 0 | 0 | 0 |\n| fitted | 1 | 1 | 0 | 0 |\n| by hand | 1 | 1 | 0 | 0 |\n", validate.summary(figures))
        text = validate.section("Latency", figures)
        self.assertLess(text.index("Predictions:"), text.index("Fitted: each sets a key:"))
        self.assertEqual(text.count("| quantity |"), 3)

    def test_enough_is_predicted(self):
        predicted = [f for f in validate.read_figures() if validate.kind(f).startswith("predictions")]
        self.assertGreaterEqual(len(predicted), 60)
        self.assertGreaterEqual(sum(f["machine"].startswith("virtual:p6,") for f in predicted), 8)

    def test_sizes(self):
        self.assertEqual([measure.in_bytes(s) for s in ("64", "4K", "2M")], [64, 4096, 2097152])


TABLE = {"section": "Latency", "title": "A part: L1", "machine": "virtual:skl", "measure": ["order_latency", "up"],
         "rows": "footprint", "columns": "stride", "headings": ["4", "8"], "unit": "cycles", "ghz": 2.0, "goal": 10,
         "rounded": 0.5, "source": "s", "read": True, "cells": """
4K 4 3
8K . 44
"""}


class Tables(unittest.TestCase):
    def compared(self, **more):
        made = tables.figures(TABLE | more)
        with mock.patch.object(measure, "order_latency", side_effect=lambda _machine, _order, row, _column: {"4K": 1.75, "8K": 20.0}[row]):
            validate.compare(made)
        return made

    def test_cells(self):
        made = self.compared()
        self.assertEqual([(f["row"], f["column"], f["value"]) for f in made], [("4K", "4", 4), ("4K", "8", 3), ("8K", "8", 44)])
        self.assertEqual(made[2]["measure"], ["order_latency", "up", "8K", "8"])
        # 3.5 cycles round to 4, and to 3 as well; 40 is 9 % from 44
        self.assertEqual([f["reached"] for f in made], [True, True, True])
        self.assertEqual([f["reached"] for f in self.compared(rounded=0.1)], [False, False, True])

    def test_cycles_as_times(self):
        made = self.compared(unit="ns", clock=2.0)
        self.assertEqual([f["value"] for f in made], [2, 1.5, 22])
        self.assertEqual([f["rounded"] for f in made], [0.25, 0.25, 0.25])
        self.assertEqual([f["measured"] for f in made], [1.75, 1.75, 20])

    def test_single_cells_count_elsewhere(self):
        made = self.compared(single=["8K 8"])
        self.assertEqual([f["counts"] for f in made], [True, True, False])
        self.assertIn("| predictions in whole tables | 2 | 2 | 0 | 0 |", validate.summary(made))
        self.assertEqual(tables.summary_row("A part: L1", made)[:4], ["[A part: L1](validation-tables.md#a-part-l1)", "2", "2", "16.7 %"])

    def test_shown(self):
        made = self.compared(rounded=0.1)
        heads, rows = tables.grid(TABLE, made)
        self.assertEqual(heads, ["footprint \\ stride", "4", "8"])
        self.assertEqual(rows, [["4K", "**3.5 (4)**", "**3.5 (3)**"], ["8K", "", "40 (44)"]])
        self.assertIn("| Latency | A part: L1: 2 of 3 | `virtual:skl` | +16.7 % | not known |", validate.outside(made))
        self.assertNotIn("| quantity |", validate.section("Latency", made))

    def test_some_figures_are_not_compared(self):
        for more, left, text in (({"why_not": "no reason"}, 3, "no reason"), ({"sample": ["8"]}, 1, "a sample is compared, as each takes long: the columns 8"),
                                 ({"most_loads": 1 << 20, "cells": "4K 4 3\n16M 4 44"}, 2, "each takes more than 1 Mi loads")):
            made = self.compared(**more) if "why_not" not in more else []
            self.assertEqual(len(made), 3 + ("cells" in more) - left)
            self.assertEqual(tables.not_compared(TABLE | more), (left, text))
            self.assertIn("(3)" if "sample" not in more else "(4)", str(tables.grid(TABLE | more, made)))

    def test_whole(self):
        """Each row has as many figures as there are columns, and what is compared can be measured."""
        for table in tables.read():
            for line in table["cells"].strip().splitlines():
                self.assertEqual(len(line.split()), 1 + len(table["headings"]), f"{table['title']}: {line}")
            made = tables.figures(table)
            self.assertTrue(set(table.get("single", [])) <= {f"{f['row']} {f['column']}" for f in made}, table["title"])
            self.assertTrue(set(table.get("sample", [])) <= set(table["headings"]), table["title"])
            self.assertTrue(made if "why_not" not in table else not made and "measure" not in table, table["title"])
            self.assertTrue(all(callable(getattr(measure, f["measure"][0])) for f in made))
            self.assertIn(table["section"], validate.MEASURED)
        titles = [table["title"] for table in tables.read()]
        self.assertEqual(len(set(titles)), len(titles))


class KeptValues(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "kept"
        self.asked = []

    def latency(self, of="a"):
        def latency(machine, size):
            self.asked.append((machine, size))
            return 1.5

        return validate.Kept(self.path, of).keeping(latency)

    def test_a_later_run_goes_on(self):
        self.assertEqual(self.latency()("m", "4K"), 1.5)
        with self.path.open("a", encoding="utf-8") as file:
            file.write('{"of": "a", "measure": ["lat')  # a run that was killed
        for _ in range(2):
            self.assertEqual([self.latency()("m", size) for size in ("4K", "8K")], [1.5, 1.5])
        self.assertEqual(self.asked, [("m", "4K"), ("m", "8K")])

    def test_another_command_measures_again(self):
        self.latency()("m", "4K")
        self.latency("b")("m", "4K")
        self.assertEqual(len(self.asked), 2)


class Pictures(unittest.TestCase):
    def drawn(self, **more):
        return ElementTree.fromstring(picture.draw("a < b & c", "x", "y", {"one": [(1024, 1), (4096, 3)]}, **more))

    def test_points(self):
        circles = [(float(c.get("cx")), float(c.get("cy"))) for c in self.drawn().iter(SVG + "circle")]
        third = picture.HEIGHT - picture.BOTTOM - (picture.HEIGHT - picture.BOTTOM - picture.TOP) / 3
        self.assertEqual(circles, [(picture.LEFT, round(third, 1)), (picture.WIDTH - picture.RIGHT, picture.TOP)])

    def test_a_single_curve_is_named_at_its_axis(self):
        def shown(curves):
            drawn = ElementTree.fromstring(picture.draw("", "x", "MB", curves))
            return [text.text for text in drawn.iter(SVG + "text") if not re.fullmatch(r"[\d.]+", text.text)]

        self.assertEqual(shown({"read": [(1, 1)]}), ["x", "MB read"])
        self.assertEqual(shown({"read": [(1, 1)], "written": [(1, 2)]}), ["x", "MB", "read", "written"])

    def test_published_level(self):
        broken = [line for line in self.drawn(levels=[("one", 1.5)]).iter(SVG + "line") if line.get("stroke-dasharray")]
        middle = (picture.TOP + picture.HEIGHT - picture.BOTTOM) / 2
        self.assertEqual([float(line.get("y1")) for line in broken], [middle])


class DrawnPictures(unittest.TestCase):
    """The pictures of docs/, as they are in the tree."""

    def test_letters_can_be_read_on_a_phone(self):
        self.assertGreaterEqual(picture.LETTER * 328 / picture.WIDTH, 10)
        for file in DOCS.glob("*/*.svg"):
            drawing = ElementTree.parse(file).getroot()
            self.assertEqual(drawing.get("viewBox").split()[2], str(picture.WIDTH), file)
            self.assertEqual({e.get("font-size") for e in drawing.iter() if e.get("font-size")}, {str(picture.LETTER)}, file)

    def test_no_words_are_cut_off(self):
        for file in DOCS.glob("*/*.svg"):
            for text in ElementTree.parse(file).getroot().iter(SVG + "text"):
                if text.get("transform"):
                    continue
                width = 0.6 * picture.LETTER * len(text.text)  # as wide as those of DejaVu Sans
                left = float(text.get("x")) - {"start": 0, "middle": width / 2, "end": width}[text.get("text-anchor")]
                self.assertGreaterEqual(left, 0, f"{file}: {text.text}")
                self.assertLessEqual(left + width, picture.WIDTH, f"{file}: {text.text}")


class WholePage(unittest.TestCase):
    def test_quick(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "validation.md"
            validate.main(["--quick", str(page)])
            text = page.read_text(encoding="utf-8")
            whole = page.with_name("validation-tables.md").read_text(encoding="utf-8")
            for name in re.findall(r"!\[[a-z]+\]\((.+)\)", text):
                drawing = ElementTree.parse(page.with_name(name)).getroot()
                self.assertEqual(drawing.tag, SVG + "svg")
                self.assertTrue(list(drawing.iter(SVG + "polyline")))
        self.assertEqual(len(re.findall(r"\.svg\)", text)), 3)
        self.assertRegex(text, r"\| load, of a program \| `virtual:skl,part=i7-6700` \| 1 \| 1\.00\d \|")
        self.assertRegex(text, r"\| 16 MiB that nobody has written are loaded: lines read \| `virtual:skl,part=i7-6700` \| 512 lines \| 51\d\.\d lines \|")
        self.assertTrue(text.endswith(tables.LOOKED_UP))
        self.assertRegex(whole, r"\| footprint \\ stride in bytes \| 4 \|")
        self.assertRegex(text, r"\| 16K \| [0-9.]+ \|")
        self.assertRegex(text, r"\| gzip -c \| 64 KiB \| 256K \| [0-9,]+ \| [0-9,]+ \|")


if __name__ == "__main__":
    unittest.main()
