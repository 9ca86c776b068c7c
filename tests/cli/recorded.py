"""Whether a recording is whole: docs/reference/recording.md, "Sums". usage: recorded.py FILE [SQL...]
Prints what does not hold, the numbers of attributed events and of cores, and the rows of each query.
"""

import sqlite3
import sys

TABLES = "run event binary code inlined source context object thread span cost unit_cost line series_column series"


def main():
    base = sqlite3.connect(sys.argv[1])

    def all_of(sql, *args):
        return base.execute(sql, args).fetchall()

    def one(sql, *args):
        return all_of(sql, *args)[0][0]

    bad = []
    if (one("PRAGMA application_id"), one("PRAGMA user_version")) != (0x62787263, 1):
        bad.append("wrong numbers in the head")
    if one("PRAGMA integrity_check") != "ok":
        bad.append("damaged")
    for table in TABLES.split():
        one(f"SELECT count(*) FROM {table}")
    events = all_of("SELECT id, name, total FROM event WHERE attributed")
    for number, name, total in events:
        if one("SELECT coalesce(sum(count), 0) FROM cost WHERE event = ?", number) != total:
            bad.append(f"{name}: rows of cost do not add up to {total}")
    for number, name, total in all_of("SELECT id, name, total FROM event WHERE id IN (SELECT event FROM unit_cost)"):
        if one("SELECT sum(count) FROM unit_cost WHERE event = ?", number) != total:
            bad.append(f"{name}: rows of unit_cost do not add up to {total}")
    if one("SELECT count(*) FROM cost WHERE by_prefetch > count OR count <= 0"):
        bad.append("rows of cost that cannot be")
    if one("SELECT count(*) FROM cost WHERE code NOT IN (SELECT id FROM code) OR span NOT IN (SELECT id FROM span) "
           "OR thread NOT IN (SELECT id FROM thread)"):
        bad.append("rows of cost without code, span or thread")
    clock = "SELECT \"column\", series_column.package, series_column.unit FROM series_column JOIN event ON event.id = series_column.event " \
            "WHERE name LIKE '%CPU_CLK_UNHALTED%' ORDER BY 2, 3"
    cores = all_of(clock)
    for core, (column, *_) in enumerate(cores):
        spent = one("SELECT coalesce(sum(count), 0) FROM cost JOIN event ON event.id = cost.event "
                    "WHERE unit = 'core cycles' AND core = ?", core)
        unhalted = one(f"SELECT coalesce(sum({column}), 0) FROM series")
        if spent != unhalted:
            bad.append(f"core {core}: {spent} cycles of {unhalted}")
    for text in bad:
        print(text)
    print(len([1 for e in events if ":" not in e[1].replace("::", "") and e[1] != "issue" or "::" in e[1]]),
          "events,", len(cores), "cores")
    for sql in sys.argv[2:]:
        for row in all_of(sql):
            print(*row, sep="|")


main()
