"""The Python package, over the library that the build has made.
usage: test_boxscore.py SOURCE_ROOT BUILD_ROOT [UNITTEST_ARGUMENT...]
"""

import csv
import ctypes
import html.parser
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

source, build = (pathlib.Path(word) for word in sys.argv[1:3])
sys.path.insert(0, str(source / "python"))

import boxscore  # noqa: E402
from boxscore import _library  # noqa: E402

LOOKUPS = "UNC_CBO_CACHE_LOOKUP:ANY_I"
# A triad reads three arrays of 64 KiB, in lines of 64 bytes, spread equally over four slices.
LINES = 3 * 64 * 1024 // 64


def stream(**options):
    return boxscore.count(workload="stream,size=64K", machine="virtual:skl,part=plain", **options)


class Table(html.parser.HTMLParser):
    """The cells of each row, and whether all that was opened is closed."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.open, self.tags = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


class Layout(unittest.TestCase):
    def test_structs_are_those_of_the_headers(self):
        structs = {"bx_machine_options": _library.MachineOptions,
                   "bx_measure_options": _library.MeasureOptions}
        program = ["#include <boxscore/measure.h>\n#include <stdio.h>\nint main(void)\n{\n"]
        expected = []
        for name, struct in structs.items():
            program.append(f'printf("%zu\\n", sizeof({name}));\n')
            expected.append(ctypes.sizeof(struct))
            for member, _ in struct._fields_:
                program.append(f'printf("%zu %zu\\n", offsetof({name}, {member}), '
                               f"sizeof((({name} *)0)->{member}));\n")
                field = getattr(struct, member)
                expected.append((field.offset, field.size))
        program.append("}\n")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "layout"
            path.with_suffix(".c").write_text("".join(program), encoding="utf-8")
            subprocess.run(["cc", f"-I{source}/include", "-o", path, path.with_suffix(".c")],
                           check=True)
            out = subprocess.run([path], check=True, capture_output=True, text=True).stdout
        found = [tuple(map(int, line.split())) for line in out.splitlines()]
        self.assertEqual(found, [x if isinstance(x, tuple) else (x,) for x in expected])

    def test_enums_are_those_of_the_headers(self):
        header = (source / "include/boxscore/measure.h").read_text(encoding="utf-8")
        passes = re.findall(r"BX_PASSES_(\w+),", header)
        self.assertEqual([word.lower() for word in passes], list(boxscore._measure.PASSES))
        header = (source / "include/boxscore/boxscore.h").read_text(encoding="utf-8")
        drivers = re.findall(r"BX_DRIVER_(\w+),", header)
        self.assertEqual([word.lower() for word in drivers], list(boxscore._measure.DRIVERS))
        states = re.search(r"enum bx_state \{(.*?)\};", header, re.S)[1]
        self.assertEqual(re.findall(r"BX_\w+(?=,)", states)[_library.SCALED], "BX_SCALED")


class Counting(unittest.TestCase):
    def test_workload(self):
        result = stream(events=[LOOKUPS, "DRAM_DATA_READS"])
        self.assertEqual([row["value"] for row in result.rows], [LINES, LINES])
        self.assertEqual({row["state"] for row in result.rows}, {"counted"})
        self.assertEqual(result[LOOKUPS], LINES)
        self.assertEqual(result["skl_unc_imc::DRAM_DATA_READS"], LINES)
        self.assertAlmostEqual(result["dram_bytes_read"], LINES * 64 / 1e6)
        slices = [row for row in result.units if row["event"].startswith("skl_unc_cbo")]
        self.assertEqual([(row["place"], row["value"]) for row in slices],
                         [(f"C-Box {i}", LINES // 4) for i in range(4)])
        self.assertEqual((result.machine, result.runs), ("virtual:skl,part=plain", 1))
        self.assertGreater(result.seconds, 0)

    def test_as_the_command(self):
        """The same values, in the same order, as `boxscore stat -j` shows."""
        out = subprocess.run([build / "boxscore", "stat", "--machine", "virtual:skl,part=plain", "-w",
                              "stream,size=64K", "-j", "-e", f"{LOOKUPS},DRAM_DATA_READS,UNC_CLOCK"], check=True, capture_output=True, text=True)
        lines = [json.loads(line) for line in out.stdout.splitlines()]
        shown = {line["event"]: line["value"] for line in lines if "event" in line}
        rows = {row["event"]: row["value"] for row in stream(events=[LOOKUPS, "DRAM_DATA_READS", "UNC_CLOCK"]).rows}
        self.assertTrue(shown)
        self.assertEqual({name: rows.get(name) for name in shown}, shown)

    def test_program(self):
        program = [str(build / "boxscore"), "--version"]
        first = boxscore.count(program, machine="virtual:skl,part=plain", events="DRAM_DATA_READS")
        again = boxscore.count(program, machine="virtual:skl,part=plain", events="DRAM_DATA_READS")
        self.assertGreater(first["DRAM_DATA_READS"], 0)
        self.assertEqual(first.rows, again.rows)
        self.assertEqual(first.exit_status, 0)

    def test_exit_status(self):
        result = boxscore.count(["sh", "-c", "exit 7"], machine="virtual:skl,part=plain",
                                events="DRAM_DATA_READS")
        self.assertEqual(result.exit_status, 7)

    def test_a_value_that_is_missing_is_no_number(self):
        missing = "UNC_ARB_COH_TRK_OCCUPANCY"
        result = stream(events=["DRAM_DATA_READS", missing])
        row = result.rows[1]
        self.assertEqual((row["value"], row["state"]), (None, "not modelled"))
        with self.assertRaisesRegex(boxscore.NoCount, "not modelled"):
            result[missing]
        with self.assertRaisesRegex(KeyError, "was not counted"):
            result["DRAM_DATA_WRITES"]
        self.assertIn("<not modelled>", str(result))
        self.assertIn("&lt;not modelled&gt;", result._repr_html_())

    def test_repeated(self):
        result = stream(events="DRAM_DATA_READS", repeat=2)
        self.assertEqual(result.runs, 2)
        self.assertEqual((result.rows[0]["mean"], result.rows[0]["confidence"]), (LINES, 0))

    def test_intervals(self):
        result = stream(events="DRAM_DATA_READS", interval=5e-6)
        parts = [part["DRAM_DATA_READS"] for part in result.intervals]
        self.assertGreater(len(parts), 1)
        self.assertEqual(sum(parts), LINES)
        self.assertEqual(result["DRAM_DATA_READS"], LINES)
        self.assertLess(result.intervals[0].ended, result.intervals[1].ended)
        with self.assertRaisesRegex(ValueError, "save the whole one"):
            result.intervals[0].save("/dev/null")

    def test_scaled(self):
        """A multiplexed value says so, and how far off it may be."""
        result = boxscore.count(workload="random,size=1M,iterations=30000", machine="virtual:skl,part=plain",
                                passes="rotate")
        scaled = [row for row in result.rows if row["state"] == "scaled"]
        self.assertTrue(scaled)
        for row in scaled:
            self.assertTrue(0 < row["share"] < 1)
            self.assertTrue(row["error"] is None or row["error"] > 0)

    def test_save(self):
        result = stream(events="DRAM_DATA_READS")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "new.json"
            result.save(path)
            out = subprocess.run([build / "boxscore", "diff", path, path, "--fail-if",
                                  "DRAM_DATA_READS > +1%"], capture_output=True, text=True)
        self.assertEqual((out.returncode, out.stderr), (0, ""))

    def test_part(self):
        """A part of this program, with the kernel's count or on stage."""
        try:
            with boxscore.part("page-faults") as counted:
                bytearray(64 << 20)
        except boxscore.Error as error:
            print("not on this host:", error.message, file=sys.stderr)
            program = ("import boxscore\nwith boxscore.part('UNC_CLOCK') as counted:\n    sum(range(9))\n"
                       "print(counted.result['UNC_CLOCK'])")
            out = subprocess.run([build / "boxscore", "stage", "--", sys.executable, "-c", program],
                                 env={**os.environ, "PYTHONPATH": str(source / "python")},
                                 check=True, capture_output=True, text=True).stdout
            self.assertGreater(int(out), 0)
            return
        # At least one for each huge page of 64 MiB.
        self.assertGreaterEqual(counted.result["page-faults"], 32)

    def test_part_ends_with_an_exception(self):
        class Own(Exception):
            pass
        with self.assertRaises((Own, boxscore.Error)):
            with boxscore.part("page-faults"):
                raise Own

    def test_regions(self):
        """A Python program marks regions; on the host each is a result of its own."""
        program = ("import boxscore\n"
                   "for _ in range(2):\n    with boxscore.region('touch'):\n        bytearray(64 << 20)\n"
                   "@boxscore.region('rest')\ndef rest():\n    pass\nrest()\n")
        environment = {"PYTHONPATH": str(source / "python")}
        with unittest.mock.patch.dict("os.environ", environment):
            try:
                result = boxscore.count([sys.executable, "-c", program], machine="host",
                                        events="page-faults", regions=True)
            except boxscore.Error as error:
                print("not on this host:", error.message, file=sys.stderr)
                result = boxscore.count([sys.executable, "-c", program], machine="virtual:skl,part=plain",
                                        events="DRAM_DATA_READS", regions=True)
        found = {region.name: region.entered for region in result.regions if not region.thread}
        self.assertEqual(found, {"touch": 2, "rest": 1})
        event = result.rows[0]["event"]
        self.assertGreater(result.regions[0][event], 0)
        self.assertLess(result.regions[0][event], result[event])
        self.assertIn("region 'touch'", result.regions[0].title())


class Refusals(unittest.TestCase):
    def test_errors_of_the_library(self):
        with self.assertRaises(boxscore.Error) as caught:
            boxscore.count(workload="steam", machine="virtual:skl,part=plain")
        error = caught.exception
        self.assertEqual((error.message, error.hint), ("there is no workload 'steam'",
                                                       "did you mean 'stream'?"))
        self.assertEqual((error.argument, error.at, error.length), ("workload", 0, 5))
        self.assertIn("hint: did you mean", str(error))

    def test_arguments(self):
        with self.assertRaisesRegex(TypeError, "list of words"):
            boxscore.count("true")
        with self.assertRaisesRegex(ValueError, "no words"):
            boxscore.count([])
        with self.assertRaisesRegex(TypeError, "no argument 'evens'"):
            stream(evens="DRAM_DATA_READS")
        for wrong in ({"passes": "some"}, {"driver": "none"}, {"interval": 0}, {"interval": -1},
                      {"repeat": -1}, {"repeat": 1.5}, {"repeat_until": 0}, {"timeout": 1e30},
                      {"events": "a\0b"}):
            with self.subTest(wrong), self.assertRaises(ValueError):
                stream(**wrong)
        with self.assertRaises(TypeError):
            stream(delay=1)

    def test_ctrl_c(self):
        """It ends the measurement; the program's own handler is back."""
        before = signal.getsignal(signal.SIGINT)
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            boxscore.count(workload="random,size=64M,iterations=100000000000",
                           machine="virtual:skl,part=plain", events="DRAM_DATA_READS")
        timer.join()
        self.assertIs(signal.getsignal(signal.SIGINT), before)


class Tables(unittest.TestCase):
    def test_rows_of_other_programs(self):
        result = stream(events=[LOOKUPS, "DRAM_DATA_READS"])
        out = io.StringIO()
        writer = csv.DictWriter(out, result.units[0].keys())
        writer.writeheader()
        writer.writerows(result.units)
        read = list(csv.DictReader(io.StringIO(out.getvalue())))
        self.assertEqual([int(row["value"]) for row in read], [LINES // 4] * 4 + [LINES])
        json.dumps([result.rows, result.units, result.metrics, result.unit_metrics])
        for rows in (result.rows, result.units, result.metrics, result.unit_metrics):
            self.assertLessEqual(len({tuple(row) for row in rows}), 1)

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("python3-pandas is not installed")
        frame = pandas.DataFrame(stream(events=[LOOKUPS, "DRAM_DATA_READS"]).units)
        self.assertEqual(frame.groupby("event")["value"].sum().tolist(), [LINES, LINES])

    def test_html(self):
        result = stream(events=[LOOKUPS])
        table = Table(result.rows._repr_html_())
        self.assertEqual(table.rows[0][:2], ["event", "value"])
        self.assertEqual(table.rows[1][:3], [f"skl_unc_cbo::{LOOKUPS}", f"{LINES:,}", "lookups"])
        self.assertEqual(table.open, [])
        self.assertEqual(Table(result._repr_html_()).open, [])
        self.assertEqual(boxscore.Rows()._repr_html_(), "<p>no rows</p>")

    def test_foreign_names_are_escaped(self):
        rows = boxscore.Rows([{"event": "<script>", "value": 1, "state": "counted"}])
        self.assertNotIn("script", Table(rows._repr_html_()).tags)
        self.assertEqual(Table(rows._repr_html_()).rows[1][0], "<script>")

    def test_text(self):
        lines = str(stream(events=[LOOKUPS]).rows).splitlines()
        self.assertEqual(lines[0].split()[:2], ["event", "value"])
        self.assertEqual(lines[1].split()[:2], [f"skl_unc_cbo::{LOOKUPS}", f"{LINES:,}"])


class Pages(unittest.TestCase):
    """The page's blocks of Python, and the cells of the notebook, in their order."""

    def run_cells(self, cells):
        names = {}
        self.assertTrue(cells)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "FILE").write_text("b\na\n", encoding="utf-8")
            before = os.getcwd()
            os.chdir(folder)
            try:
                for cell in cells:
                    exec(cell, names)  # pylint: disable=exec-used
            except ImportError as error:
                if error.name != "pandas":
                    raise
            finally:
                os.chdir(before)

    def test_page(self):
        page = (source / "docs/how-to/use-python.md").read_text(encoding="utf-8")
        self.run_cells(re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S))

    def test_notebook(self):
        with open(source / "docs/examples/counts.ipynb", encoding="utf-8") as file:
            notebook = json.load(file)
        self.assertEqual(notebook["nbformat"], 4)
        self.run_cells(["".join(cell["source"]) for cell in notebook["cells"]
                        if cell["cell_type"] == "code"])


class Lists(unittest.TestCase):
    def test_machines_and_workloads(self):
        self.assertIn("virtual:skl", boxscore.machines())
        self.assertEqual(boxscore.machines()[-1], "host")
        self.assertIn("stream", boxscore.workloads())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
