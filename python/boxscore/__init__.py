"""Counts with Intel's hardware performance counters: on virtual machines, or on this one.

    import boxscore
    result = boxscore.count(["sort", "-o", "/dev/null", "FILE"], machine="virtual:skl")
    result["DRAM_DATA_READS"]         # the count; an exception if there is none
    pandas.DataFrame(result.rows)     # a row for each event

`count()` counts a program, a workload or a trace; `part()` a part of this program; `region()` marks
a region that `boxscore stat --regions` and `count(…, regions=True)` count. A result, and a list of
rows, is a table in a notebook. docs/how-to/use-python.md has examples.
"""

from boxscore._library import Error, machines, workloads
from boxscore._measure import count, part, region
from boxscore._result import NoCount, Result, Rows

__all__ = ["Error", "NoCount", "Result", "Rows", "count", "machines", "part", "region", "workloads"]
__version__ = "0.1.0"
