/* The tables of a recording: docs/reference/recording.md. */
#include "recording/recording.h"

const bx_table_columns bx_recording_tables[BX_TABLES] = {
    [BX_TABLE_RUN] = {"run", "key TEXT PRIMARY KEY, value", 2},
    [BX_TABLE_EVENT] = {"event",
                        "id INTEGER PRIMARY KEY, name TEXT, unit TEXT, total INTEGER, attributed "
                        "INTEGER",
                        5},
    [BX_TABLE_BINARY] = {"binary", "id INTEGER PRIMARY KEY, path TEXT, build_id TEXT", 3},
    [BX_TABLE_CODE] = {"code",
                       "id INTEGER PRIMARY KEY, binary INTEGER, address INTEGER, function TEXT, "
                       "file TEXT, line INTEGER",
                       6},
    [BX_TABLE_INLINED] = {"inlined",
                          "code INTEGER, depth INTEGER, function TEXT, file TEXT, line INTEGER", 5},
    [BX_TABLE_SOURCE] = {"source", "file TEXT, line INTEGER, text TEXT", 3},
    [BX_TABLE_CONTEXT] = {"context", "id INTEGER PRIMARY KEY, parent INTEGER, code INTEGER", 3},
    [BX_TABLE_OBJECT] = {"object",
                         "id INTEGER PRIMARY KEY, kind TEXT, name TEXT, bytes INTEGER, allocations "
                         "INTEGER, context INTEGER, loads INTEGER, stores INTEGER",
                         8},
    [BX_TABLE_THREAD] = {"thread", "id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, process TEXT",
                         4},
    [BX_TABLE_SPAN] = {"span", "id INTEGER PRIMARY KEY, \"begin\" INTEGER, \"end\" INTEGER", 3},
    [BX_TABLE_COST] =
        {"cost",
         "event INTEGER, code INTEGER, context INTEGER, object INTEGER, thread "
         "INTEGER, core INTEGER, span INTEGER, count INTEGER, by_prefetch INTEGER, chained INTEGER",
         10},
    [BX_TABLE_UNIT_COST] = {"unit_cost",
                            "event INTEGER, pmu TEXT, package INTEGER, unit INTEGER, span INTEGER, "
                            "count INTEGER",
                            6},
    [BX_TABLE_CORE_UNIT] = {"core_unit",
                            "event INTEGER, core INTEGER, pmu TEXT, package INTEGER, unit INTEGER, "
                            "count INTEGER",
                            6},
    [BX_TABLE_LINE] = {"line",
                       "event INTEGER, address INTEGER, pid INTEGER, offset INTEGER, object "
                       "INTEGER, code INTEGER, thread INTEGER, core INTEGER, role TEXT, count "
                       "INTEGER",
                       10},
    [BX_TABLE_SERIES_COLUMN] = {"series_column",
                                "\"column\" TEXT PRIMARY KEY, event INTEGER, pmu TEXT, package "
                                "INTEGER, unit INTEGER",
                                5},
    [BX_TABLE_SERIES] = {"series", "\"begin\" INTEGER, \"end\" INTEGER", 2},
};

const char bx_recording_views[] =
    "CREATE VIEW by_function AS SELECT event.name AS event, code.function AS function, "
    "sum(cost.count) AS count, sum(cost.by_prefetch) AS by_prefetch FROM cost JOIN event ON "
    "event.id = cost.event JOIN code ON code.id = cost.code GROUP BY cost.event, code.function;"
    "CREATE VIEW by_line AS SELECT event.name AS event, code.file AS file, code.line AS line, "
    "sum(cost.count) AS count, sum(cost.by_prefetch) AS by_prefetch FROM cost JOIN event ON "
    "event.id = cost.event JOIN code ON code.id = cost.code GROUP BY cost.event, code.file, "
    "code.line;"
    "CREATE VIEW by_object AS SELECT event.name AS event, object.kind AS kind, object.name AS "
    "name, sum(cost.count) AS count, sum(cost.by_prefetch) AS by_prefetch FROM cost JOIN event ON "
    "event.id = cost.event LEFT JOIN object ON object.id = cost.object GROUP BY cost.event, "
    "cost.object;"
    "CREATE VIEW by_thread AS SELECT event.name AS event, thread.pid AS pid, thread.tid AS tid, "
    "thread.process AS process, sum(cost.count) AS count, sum(cost.by_prefetch) AS by_prefetch "
    "FROM cost JOIN event ON event.id = cost.event LEFT JOIN thread ON thread.id = cost.thread "
    "GROUP BY cost.event, cost.thread;";
