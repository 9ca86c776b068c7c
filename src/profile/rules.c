#include "profile/rules.h"

#include <stddef.h>

/* All cycles of the cores. */
#define TIME "(SELECT sum(total) FROM event WHERE name = 'issue' OR name LIKE 'wait:%')"

/* A place: a line of a function, or a function without lines. What is no code of a program is
 * none. The object is the one with the most of it. */
#define PLACES                                                                                     \
    " SELECT function, file, line, object, max(part), sum(part) AS amount, of, name, detail FROM " \
    "(SELECT code.function, code.file, code.line, nullif(object.name, '(none)') AS object, "       \
    "sum(n) AS part, of, "                                                                         \
    "spent.name AS name, detail FROM spent JOIN code ON code.id = spent.code LEFT JOIN object ON " \
    "object.id = "                                                                                 \
    "spent.object WHERE code.function NOT IN ('(device)', '(kernel)', '(not an instruction)', "    \
    "'(other)') GROUP BY code.function, code.file, code.line, object.kind, object.name, "          \
    "spent.name) "                                                                                 \
    "GROUP BY function, file, line, name ORDER BY amount DESC"

/* Cycles of a cause, by place. */
#define WAITS_OF(cause)                                                                            \
    "WITH spent AS (SELECT code, object, n, " TIME                                                 \
    " AS of, NULL AS name, NULL AS detail FROM temp.sums WHERE event IN (SELECT id FROM event "    \
    "WHERE name = '" cause "'))" PLACES

/* Functions that acquire or release a lock: those of glibc and musl, with the names of their
 * files' symbols. */
#define LOCKS                                                                                      \
    "('pthread_mutex_lock', '__pthread_mutex_lock', '___pthread_mutex_lock', "                     \
    "'__GI___pthread_mutex_lock', '__pthread_mutex_lock_full', 'pthread_mutex_trylock', "          \
    "'__pthread_mutex_trylock', '___pthread_mutex_trylock', 'pthread_mutex_timedlock', "           \
    "'__pthread_mutex_timedlock', 'lll_mutex_lock_optimized', 'pthread_mutex_unlock', "            \
    "'__pthread_mutex_unlock', '___pthread_mutex_unlock', '__GI___pthread_mutex_unlock', "         \
    "'__pthread_mutex_unlock_usercnt', '__pthread_mutex_unlock_full', '__lll_lock_wait', "         \
    "'__lll_lock_wait_private', '__lll_lock_wake', '__lll_lock_wake_private', 'lll_lock', "        \
    "'pthread_spin_lock', '__pthread_spin_lock', 'pthread_spin_unlock', '__pthread_spin_unlock', " \
    "'pthread_rwlock_rdlock', '__pthread_rwlock_rdlock', '___pthread_rwlock_rdlock', "             \
    "'pthread_rwlock_wrlock', '__pthread_rwlock_wrlock', '___pthread_rwlock_wrlock', "             \
    "'pthread_rwlock_unlock', '__pthread_rwlock_unlock', '___pthread_rwlock_unlock', 'sem_wait', " \
    "'__new_sem_wait', 'sem_post', '__new_sem_post')"

/* Events of lines that are read from memory. */
#define READS  "(event.name LIKE '%::DRAM_DATA_READS' OR event.name LIKE '%::UNC_M_CAS_COUNT:RD')"

/* Waits for a line that another core has. */
#define OTHERS "(SELECT id FROM event WHERE name IN ('wait:core', 'wait:turn', 'wait:package'))"

/* Events that count requests for lines that other cores have: for at least half of their counts the
 * owner is known. */
#define SNOOP  "(SELECT event FROM temp.owners WHERE owned > 0 AND 2 * owned >= n)"

/* Waits at the objects of `chosen` lines, if they have nearly all requests for the object. Locks
 * are another rule's. */
#define AT_OBJECTS(part)                                                                           \
    "guilty AS (SELECT object FROM temp.requests AS request LEFT JOIN chosen USING (address, "     \
    "pid) GROUP BY object "                                                                        \
    "HAVING sum(n * (chosen.address IS NOT NULL)) >= " part " * sum(n)), "                         \
    "spent AS (SELECT code, object, sum(n) AS n, " TIME                                            \
    " AS of, NULL AS name, NULL AS detail FROM temp.sums WHERE event IN " OTHERS                   \
    " AND object IN guilty AND code NOT IN (SELECT id FROM code WHERE function IN " LOCKS          \
    ") GROUP BY code, object) "                                                                    \
    "SELECT function, file, line, object.name, sum(top), sum(top), of, NULL, NULL FROM (SELECT "   \
    "code.function, code.file, code.line, object, sum(n) AS top, max(n), of FROM spent JOIN code " \
    "ON code.id = spent.code GROUP BY object) JOIN object ON object.id = object GROUP BY "         \
    "object.kind, object.name ORDER BY 5 DESC"

/* Lines that several threads ask for again and again are `shared`. `uses` is where a thread asks
 * for a line, or has last stored; without the few that prepare the data and read its results. */
const bx_profile_sums bx_profile_rules_sums[] = {
    {"snoops", NULL, 0, "SELECT * FROM line WHERE event IN " SNOOP},
    {"requests", "object, address, pid, n, p", 3,
     "SELECT object, address, pid, count, 0 FROM temp.snoops WHERE role = 'requester'"},
    {"whole", NULL, 0,
     "SELECT address, pid, sum(n) AS requests FROM temp.requests WHERE address IS NOT NULL GROUP "
     "BY "
     "address, pid HAVING requests >= 8"},
    {"every", "address, pid, thread, offset, n, owned", 4,
     "SELECT address, pid, thread, offset, count * (role = 'requester'), count * (role = 'owner') "
     "FROM temp.snoops WHERE (address, pid) IN (SELECT address, pid FROM temp.whole)"},
    {"uses", NULL, 0,
     "SELECT address, pid, thread, offset, n, owned FROM temp.every JOIN temp.whole USING "
     "(address, "
     "pid) WHERE 20 * max(n, owned) >= requests"},
    {"side", NULL, 0,
     "SELECT address, pid, thread, min(offset) AS low, max(offset) AS high, sum(n) AS n, "
     "sum(owned) > 0 AS stores FROM temp.uses GROUP BY address, pid, thread"},
    {"shared", NULL, 0,
     "SELECT address, pid, sum(n) AS n, sum(stores) AS stores FROM temp.side GROUP BY address, pid "
     "HAVING sum(side.n > 0) > 1"},
    {NULL, NULL, 0, NULL},
};

const bx_profile_rule bx_profile_rules[] = {
    {"false-sharing",
     "WITH chosen AS (SELECT address, pid FROM shared WHERE stores > 1 EXCEPT SELECT address, pid "
     "FROM "
     "side AS a JOIN side AS b USING (address, pid) WHERE a.thread < b.thread AND a.low <= b.high "
     "AND b.low <= a.high), " AT_OBJECTS("0.9"),
     "%p of the time is waiting for lines in which each thread uses bytes of its own: give each "
     "64 bytes",
     "most in", NULL, NULL},
    {"true-sharing",
     "WITH common AS (SELECT address, pid, sum(n) AS n FROM uses GROUP BY address, pid, offset "
     "HAVING "
     "count(*) > 1), "
     "chosen AS (SELECT address, pid FROM shared JOIN common USING (address, pid) GROUP BY "
     "address, pid HAVING 2 * sum(common.n) >= max(shared.n)), " AT_OBJECTS("0.9"),
     "%p of the time is waiting for data that several threads use and change", "most in", NULL,
     NULL},
    {"lock",
     "WITH spent AS (SELECT coalesce(context.code, cost.code) AS code, object, sum(count) AS "
     "n, " TIME " AS of, NULL AS name, NULL AS detail FROM cost LEFT JOIN context ON context.id = "
     "cost.context WHERE EXISTS (SELECT 1 FROM code WHERE function IN " LOCKS
     ") AND event IN " OTHERS " AND cost.code IN (SELECT id FROM code WHERE function "
     "IN " LOCKS ") GROUP BY 1, 2)" PLACES,
     "%p of the time is waiting for the line of a lock that other cores take, too", "in", NULL,
     NULL},
    {"tlb", WAITS_OF("wait:tlb"),
     "%p of the time is waiting for page tables: more pages than the TLBs hold", "in", NULL, NULL},
    {"remote-memory", WAITS_OF("wait:remote-memory"),
     "%p of the time is waiting for the memory of another package", "in", NULL, NULL},
    {"pointer-chase",
     "WITH spent AS (SELECT code, object, sum(chained) AS n, " TIME
     " AS of, NULL AS name, NULL AS detail FROM cost WHERE chained > 0 GROUP BY code, "
     "object)" PLACES,
     "%p of the time is waiting for loads that jump in memory, and each has the address of a later "
     "one: these cannot overlap",
     "in", "cost", "chained"},
    /* The larger share of both. */
    {"written-never-read",
     "WITH lost AS (SELECT id FROM object WHERE kind IN ('heap', 'global') AND loads = 0 AND "
     "stores "
     "> 0), "
     "spent AS (SELECT code, object, n, " TIME
     " AS of, NULL AS name FROM temp.sums WHERE object IN lost AND event IN (SELECT id FROM event "
     "WHERE name LIKE 'wait:%') UNION ALL SELECT code, object, n, event.total, event.name FROM "
     "temp.sums JOIN event ON event.id = sums.event WHERE object IN lost AND attributed AND " READS
     "), "
     "place AS (SELECT code.function, code.file, code.line, object.kind AS kind, object.name AS "
     "object, sum(n) AS n, of, spent.name AS name FROM spent JOIN code ON code.id = spent.code "
     "JOIN "
     "object ON object.id = spent.object GROUP BY 1, 2, 3, 4, 5, 8), "
     "both AS (SELECT function, file, line, object, max(n), sum(n) AS amount, of, name FROM place "
     "GROUP BY kind, object, name) "
     "SELECT function, file, line, object, amount, amount, of, name, NULL, max(1.0 * amount / of) "
     "FROM both GROUP BY object ORDER BY 10 DESC",
     "%p of %o is for data that the program writes and never reads", "most in", "object", "loads"},
    {"streaming",
     "WITH spent AS (SELECT code, object, n, p, event.total AS of, event.name AS name, NULL AS "
     "detail FROM temp.sums JOIN event ON event.id = sums.event WHERE attributed AND " READS "), "
     "place AS (SELECT function, file, line, name FROM spent JOIN code ON code.id = spent.code "
     "GROUP BY 1, 2, 3, 4 HAVING sum(p) >= 0.75 * sum(n) AND 200 * sum(n) >= 0.05 * " TIME ") "
     "SELECT * FROM (" PLACES ") AS found WHERE EXISTS (SELECT 1 FROM place WHERE place.function = "
     "found.function AND place.file IS found.file AND place.line IS found.line AND place.name = "
     "found.name)",
     "%p of the lines read from memory are read in their order, mostly by prefetchers", "in", NULL,
     NULL},
    {"one-slice",
     "WITH slice AS (SELECT event, package, unit, sum(count) AS n FROM unit_cost WHERE pmu LIKE "
     "'%_cbo' AND event IN (SELECT id FROM event WHERE name LIKE '%LOOKUP%') GROUP BY event, "
     "package, unit), "
     "busy AS (SELECT event, unit, max(n) AS n, sum(n) AS total, count(*) AS units FROM slice "
     "GROUP BY event ORDER BY total DESC LIMIT 1) "
     "SELECT NULL, NULL, NULL, NULL, 0, n, busy.total, name, 'slice ' || busy.unit || ' of ' || "
     "units FROM busy JOIN event ON event.id = busy.event WHERE units > 1 AND n >= busy.total * "
     "(1.0 + 1.0 / units) / 2 AND (SELECT sum(total) FROM event WHERE name IN ('wait:llc', "
     "'wait:flight')) >= 0.05 * " TIME,
     "%p of the requests go to %d of the last-level cache", "in", NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};
