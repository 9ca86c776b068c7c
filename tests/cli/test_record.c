/* `boxscore record`: the sums of recordings, and what is refused. recorded.py looks at the files.
 */
#include "../cmocked.h"

#include "cli/run.h"

#include <stdio.h>
#include <string.h>

static const char begin[] =
    "dir=$(mktemp -d) && cd \"$dir\" || exit 99\n"
    "trap 'rm -rf \"$dir\"' EXIT\n"
    "B=$BOXSCORE; look() { python3 $SOURCE_ROOT/tests/cli/recorded.py \"$@\"; }\n"
    /* the figure that stat prints for the same work */
    "stat() { $B stat -x, \"$@\" 2>&1 | grep -E '^[0-9]' | cut -d, -f1; }\n"
    "rec() { $B record -o r \"$@\" 2>e; grep -v '^boxscore: wrote r: ' e; }\n";

static void prints(const char *script, const char *out)
{
    char text[8192];
    assert_true((size_t)snprintf(text, sizeof text, "%s%s", begin, script) < sizeof text);
    ran r = run_shell(text);
    if (strcmp(r.out, out) != 0)
        fail_msg("%s%s\n%s", r.out, r.err, script);
    ran_free(&r);
}

/* Rows add up to the counters, and those of each core to its unhalted cycles, on all machines. */
static void sums(void **state)
{
    (void)state;
    prints(
        "rec --machine virtual:skl,part=i7-6700k -w sharing,cores=3,iterations=5000+dma,iterations="
        "2000 -e UNC_CBO_CACHE_LOOKUP:ANY_I,DRAM_DATA_WRITES,CPU_CLK_UNHALTED_CORE\n"
        "look r",
        "2 events, 4 cores\n");
    prints("rec --machine virtual:ivbep,part=plain -w sharing,cores=3,iterations=5000 "
           "-e UNC_M_CAS_COUNT:RD,UNC_C_TOR_OCCUPANCY:ALL,CPU_CLK_UNHALTED_CORE\n"
           "look r 'SELECT name FROM event WHERE NOT attributed'",
           "1 events, 20 cores\nivbep_unc_cbo::UNC_C_TOR_OCCUPANCY:ALL\n"
           "ivbep_core::CPU_CLK_UNHALTED_CORE\n");
    prints("rec --machine virtual:nhmex,part=plain -w pingpong,cores=9,iterations=3000 "
           "-e SINKS_P2C:AD,CPU_CLK_UNHALTED_CORE\n"
           "look r",
           "1 events, 32 cores\n");
    prints(
        "rec --machine virtual:p6,part=plain -w stream,size=128K+dma,iterations=500 "
        "-e BUS_TRAN_MEM:SELF,CPU_CLK_UNHALTED,DATA_MEM_REFS\n"
        "look r \"SELECT function, sum(count) FROM by_function WHERE event = 'p6::DATA_MEM_REFS' "
        "GROUP BY 1\"",
        "3 events, 1 cores\n(workload)|49152\n");
}

/* The totals are those of stat; a replay of a trace has the same. */
static void the_same_counts(void **state)
{
    (void)state;
    prints("E=UNC_CBO_CACHE_LOOKUP:ANY_I,DRAM_DATA_READS,MEM_LOAD_RETIRED:L3_MISS\n"
           "M='--machine virtual:skl,part=i7-6700k'\n"
           "$B trace -o t -- $BUILD_ROOT/tests/tracer/traced_processes two-spin 2>/dev/null >&2\n"
           "rec $M --trace t -e $E,CPU_CLK_UNHALTED_CORE\n"
           "look r 'SELECT total FROM event WHERE attributed AND unit != \"core cycles\"' >a\n"
           "{ echo '3 events, 4 cores'; stat $M --trace t -e $E; } >b; cmp a b && echo same\n"
           "look r 'SELECT count(*) > 1 FROM thread' 'SELECT value FROM run WHERE key = "
           "\"complete\"' |"
           " tail -n +2",
           "same\n1\n1\n");
}

/* A loop of five instructions: its load is the one that misses, once, and its line has the address.
 */
static void one_instruction(void **state)
{
    (void)state;
    prints("P=$BUILD_ROOT/tests/tracer/traced_loop\n"
           "rec --machine virtual:skl,part=plain -e UNC_CBO_CACHE_LOOKUP:ANY_I -- $P\n"
           "a=$(nm $P | sed -n 's/^\\([0-9a-f]*\\) d a$/\\1/p')\n"
           "s=$(nm $P | sed -n 's/^\\([0-9a-f]*\\) T _start$/\\1/p')\n"
           "look r \"SELECT function, path = '$P', address = $((0x$s)) FROM code JOIN binary ON "
           "binary.id = binary ORDER BY address LIMIT 1\" | tail -1\n"
           "cp $P other; $B trace -o t -- ./other; cp /bin/true other\n"
           "rec --machine virtual:skl,part=plain -e UNC_CBO_CACHE_LOOKUP:ANY_I --trace t\n"
           "look r \"SELECT value LIKE '%/other: it has another build id' FROM run WHERE key = "
           "'not-used'\" \"SELECT DISTINCT substr(function, 1, 8) FROM code WHERE binary\" | tail "
           "-n +2\n"
           "rec --machine virtual:skl,part=plain -e UNC_CBO_CACHE_LOOKUP:ANY_I -- $P\n"
           "look r \"SELECT count, offset, role FROM line WHERE address + offset = $((0x$a))\" "
           "'SELECT value FROM run WHERE key = \"exit-status\"'",
           "_start|1|1\n1\nother+0x\n1 events, 0 cores\n1|0|requester\n7\n");
}

/* Each rule of docs/explanation/attribution.md that a program can show: rules.c touches 16 pages,
 * has a kernel fill 16 others, writes 512 KiB, reads 4 MiB, which takes its place in an LLC of 1
 * MiB, and goes through 600 pages ten times. */
static void the_rules(void **state)
{
    (void)state;
    prints(
        "cc -g -O1 -fno-inline -o p $SOURCE_ROOT/tests/cli/rules.c\n"
        "E=UNC_CBO_CACHE_LOOKUP:READ_MESI,DRAM_DATA_WRITES,DRAM_DATA_READS\n"
        "Q=\"SELECT function, object.name, sum(count) AS n, sum(by_prefetch) AS p FROM cost JOIN "
        "event ON event.id = event JOIN code ON code.id = code JOIN object ON object.id = object "
        "WHERE event.name LIKE\"\n"
        "rec --machine virtual:skl,part=plain,llc=1M -e $E -- ./p\n"
        "look r \"SELECT function, name, n BETWEEN 1000 AND 1030 FROM ($Q '%READ_MESI' GROUP BY 1, "
        "2) WHERE function IN ('touch_pages', 'call_kernel') AND n > 9\" "
        "\"SELECT function, name, n, p FROM ($Q '%DATA_WRITES' GROUP BY 1, 2) WHERE n > 8000\" "
        "\"SELECT name, n, p FROM ($Q '%DATA_READS' GROUP BY 1, 2) WHERE n > 6100\" | tail -n +2\n"
        "rec --machine virtual:skl,part=i7-6700k,llc=1M -e $E -- ./p\n"
        "look r \"SELECT name, n BETWEEN 65536 AND 66000, p BETWEEN n / 2 AND n FROM ($Q "
        "'%DATA_READS' GROUP BY 1, 2) WHERE n > 6100\" \"SELECT function, name FROM ($Q "
        "'wait:tlb' GROUP BY 1, 2) ORDER BY n DESC LIMIT 2\" | tail -n +2",
        "call_kernel|buffer|1\ntouch_pages|fresh|1\nread_large|dirtied|8192|0\nlarge|65536|0\n"
        "large|1|1\nread_large|large\ncross_pages|spread\n");
}

/* Rows are bounded; sums stay, and the share of what was merged is there. */
static void few_rows(void **state)
{
    (void)state;
    prints("rec --machine virtual:skl,part=plain -e UNC_CBO_CACHE_LOOKUP:ANY_I --max-rows 1000 -- "
           "sort "
           "-o /dev/null $SOURCE_ROOT/LICENSE\n"
           "look r 'SELECT count(*) BETWEEN 100 AND 1000 FROM cost' 'SELECT count(*) BETWEEN 100 "
           "AND 1000 FROM line' \"SELECT value > 0 AND value < 1 FROM run WHERE key = "
           "'merged-span'\" | tail -n +2",
           "1\n1\n1\n");
}

/* Two threads use neighbours in one line: each asks for it, and the other one has it, both at their
 * own bytes. Rows of requesters are what has an address. Threads are of the program's process. */
static void both_sides(void **state)
{
    (void)state;
    prints(
        "cat >p.c <<'E'\n"
        "#include <pthread.h>\n"
        "static _Alignas(64) struct { volatile long pad, left, right; } shared;\n"
        "static __attribute__((noinline)) void *go_left(void *n) {\n"
        "    for (long i = 0; i < (long)n; i++) shared.left++;\n"
        "    return 0; }\n"
        "static __attribute__((noinline)) void *go_right(void *n) {\n"
        "    for (long i = 0; i < (long)n; i++) shared.right++;\n"
        "    return 0; }\n"
        "int main(void) { pthread_t t[2];\n"
        "    pthread_create(t, 0, go_left, (void *)20000);\n"
        "    pthread_create(t + 1, 0, go_right, (void *)20000);\n"
        "    return pthread_join(t[0], 0) + pthread_join(t[1], 0); }\nE\n"
        "cc -O1 -g -pthread -o p p.c\n"
        "rec --machine virtual:skl,part=plain -e UNC_CBO_XSNP_RESPONSE:HITM_XCORE -- ./p\n"
        "look r \"SELECT role, offset, function, tid, core, sum(line.count) > 500 FROM line "
        "JOIN code ON code.id = code JOIN thread ON thread.id = thread JOIN object ON "
        "object.id = object WHERE event = 1 AND name = 'shared' AND function LIKE 'go_%' "
        "GROUP BY 1, 2, 3, 4, 5\" \"SELECT count(*), process = '$PWD/p' FROM thread GROUP BY 2\" "
        "\"SELECT (SELECT sum(count) FROM line WHERE event = 1 AND role = 'requester') <= total, "
        "(SELECT sum(count) FROM line WHERE event = 1 AND role = 'owner') > 0.9 * total FROM "
        "event WHERE id = 1\"",
        "1 events, 0 cores\n"
        "owner|8|go_left|2|1|1\nowner|16|go_right|3|2|1\n"
        "requester|8|go_left|2|1|1\nrequester|16|go_right|3|2|1\n"
        "3|1\n1|1\n");
}

/* Functions, inlined functions and lines, as they stand in the source; of a stripped program by its
 * debug file, which the checksum in the program tells from another one. */
static void names(void **state)
{
    (void)state;
    static const char source[] =
        "cat >p.c <<'E'\n"
        "volatile char data[1 << 16];\n"
        "static inline __attribute__((always_inline)) int inner(int i) { return data[i]; }\n"
        "static inline __attribute__((always_inline)) int outer(int i) {\n"
        "    return inner(i) + 1; }\n"
        "int walk(int n) __asm__(\"_ZN4deep4walkIiEEiT_\");\n"
        "__attribute__((noinline)) int walk(int n) {\n"
        "    int sum = 0;\n"
        "    for (int i = 0; i < n; i += 64)\n"
        "        sum += outer(i);\n"
        "    return sum; }\n"
        "int main(int argc, char **argv) { return walk(argc << 12) == (int)(long)argv; }\n"
        "E\n"
        "cc -g -O1 -Wl,--build-id=none -o p p.c && cp p whole\n"
        "objcopy --only-keep-debug whole p.debug && strip p && mkdir d &&\n"
        "objcopy --add-gnu-debuglink=p.debug p && mv p.debug d/\n"
        "names() { f=$1; shift; rec --machine virtual:skl,part=plain -e UNC_CBO_CACHE_LOOKUP:ANY_I "
        "$*\n"
        "look r \"SELECT DISTINCT code.function, code.line, depth, i.function, i.line, "
        "i.file = '$PWD/p.c' FROM code JOIN inlined i ON i.code = id WHERE code.function = '$f' "
        "ORDER BY depth\" \"SELECT replace(value, '$PWD/', '') FROM run WHERE key = 'not-used' AND "
        "value LIKE '%debug%'\" | grep -v 'events'; }\n";
    char script[4096];
    snprintf(script, sizeof script, "%s%s", source,
             "names inner -- ./whole; names inner -- ./p; names inner --symbols d -- ./p\n"
             "names inner --no-demangle -- ./whole | tail -1\n"
             "printf x >>d/p.debug; names inner --symbols d -- ./p\n");
    prints(script, "inner|2|1|outer|4|1\ninner|2|2|int deep::walk<int>(int)|9|1\n"
                   "inner|2|1|outer|4|1\ninner|2|2|int deep::walk<int>(int)|9|1\n"
                   "inner|2|2|_ZN4deep4walkIiEEiT_|9|1\n"
                   "d/p.debug: it has another checksum\n");
}

/* Who calls leaf(), in each way that a program has (calls.c): each touches its 64 lines. The counts
 * are those without contexts, and a signal handler's return is the one without a call. Some of the
 * 64 lines may be in caches, by data that were in that memory before. */
static void contexts(void **state)
{
    (void)state;
    prints(
        "cc -g -O2 -fno-inline -pthread -o p $SOURCE_ROOT/tests/cli/calls.c\n"
        "R='--machine virtual:skl,part=plain --kernel-accesses off -e UNC_CBO_CACHE_LOOKUP:ANY_I'\n"
        "$B trace -o t -- ./p; rec $R --contexts off --trace t\n"
        "look r 'SELECT count(context) FROM cost' 'SELECT total FROM event WHERE id = 1' >off\n"
        "rec $R --trace t; look r 'SELECT total FROM event WHERE id = 1' | tail -1 >on\n"
        "sed -n 2p off; tail -1 off | cmp - on\n"
        "look r \"SELECT (sum(count) + 16) / 64 * 64, call.function FROM cost JOIN code ON code.id "
        "= "
        "cost.code JOIN context ON context.id = cost.context JOIN code AS call ON call.id = "
        "context.code WHERE event = 1 AND code.function = 'leaf' GROUP BY 2 ORDER BY 2\" "
        "\"WITH RECURSIVE up(id, text) AS (SELECT context.parent, function FROM context JOIN code "
        "ON code.id = context.code WHERE function IN ('handler', 'coroutine') UNION ALL SELECT "
        "context.parent, text || '<' || function FROM up JOIN context ON context.id = up.id JOIN "
        "code ON code.id = context.code) SELECT count(DISTINCT text) FROM up WHERE text = "
        "'coroutine<resume<main' OR text LIKE 'handler<%<by_signal<main'\" "
        "\"SELECT value > 0 AND value < 4 FROM run WHERE key = 'unmatched-returns'\" | "
        "tail -n +2",
        "0\n"
        "64|after_jump\n64|by_signal\n128|coroutine\n64|fork_one\n64|handler\n64|main\n"
        "64|plain\n128|resume\n64|thread\n"
        "2\n1\n");
}

/* Variables, the stack, and what was allocated, by who did: objects.c touches each a known number
 * of times; two allocations have one address. A trace has the usual allocators. */
static void objects(void **state)
{
    (void)state;
    prints(
        "unset MALLOC_PERTURB_\n"
        "cc -g -O2 -fno-inline -fno-ipa-icf -o p $SOURCE_ROOT/tests/cli/objects.c\n"
        "R='--machine virtual:skl,part=plain --kernel-accesses off -e "
        "UNC_CBO_CACHE_LOOKUP:ANY_MESI'\n"
        "O=\"SELECT kind, substr(name, 1, instr(name || ' ', ' ') - 1), bytes, allocations, "
        "coalesce(sum(count), 0) BETWEEN lines AND 2.1 * lines + 12 FROM (SELECT column1 AS "
        "wanted, column2 AS lines FROM (VALUES ('first', 1536), ('second', 1536), "
        "('operator', 192), ('table', 256), ('(stack)', 190), ('main', 100), ('small', 0))) "
        "JOIN object ON name LIKE wanted || '%' LEFT JOIN cost ON object = object.id AND "
        "event = 1 WHERE coalesce(bytes, 0) < 1000000 GROUP BY object.id ORDER BY name, bytes\"\n"
        "$B record -o r $R --allocator pool -- ./p 2>e; echo $?; look r \"$O\" >a\n"
        "look r 'SELECT count(*) FROM cost WHERE object IS NULL' 'SELECT total FROM event WHERE "
        "id = 1' | tail -n +2 >total\n"
        "cat a; $B trace -o t -- ./p; rec $R --trace t; look r \"$O\" >b\n"
        "grep -v main a | cmp - b; rec $R --objects off --contexts off -- ./p\n"
        "look r 'SELECT count(*) FROM object' 'SELECT total FROM event WHERE id = 1' | "
        "tail -n +2 | cmp - total && echo same\n"
        "rec $R -w stream,size=64K; look r 'SELECT DISTINCT kind FROM cost JOIN object ON "
        "object.id = object' | tail -1",
        "0\n1 events, 0 cores\n"
        "stack|(stack)|None|None|1\nheap|first|98304|1|1\nheap|main|6400|1|1\n"
        "heap|operator|12304|1|1\nheap|second|98304|1|1\nheap|small|16|10|1\n"
        "heap|small|6144|10|1\nglobal|table|16384|None|1\nsame\nnone\n");
}

/* Functions that a program has compiled itself, by the file in which it tells perf; not by a link.
 */
static void compiled(void **state)
{
    (void)state;
    prints("cat >p.c <<'E'\n"
           "#include <stdio.h>\n#include <string.h>\n#include <sys/mman.h>\n"
           "#include <unistd.h>\n"
           "int main(int argc, char **argv) {\n"
           "    unsigned char *p = mmap(0, 4096, 7, MAP_PRIVATE | 32, -1, 0);\n"
           "    static const unsigned char code[] = {0x48, 0x8b, 0x07, 0xc3};\n"
           "    char name[64];\n"
           "    memcpy(p, code, sizeof code);\n"
           "    snprintf(name, 64, \"/tmp/perf-%d.map\", getpid());\n"
           "    if (argc > 1) (void)!symlink(argv[1], name);\n"
           "    FILE *f = fopen(name, \"w\");\n"
           "    fprintf(f, \"%lx %zx a function of its own\\n\", (long)p, sizeof code);\n"
           "    fclose(f);\n"
           "    puts(name);\n"
           "    return ((char *(*)(void *))p)(argv) == 0;\n"
           "}\nE\n"
           "cc -o p p.c\n"
           "for link in '' $PWD/linked; do\n"
           "m=$(rec --machine virtual:skl,part=plain -e UNC_CLOCK -- ./p $link); rm -f $m\n"
           "look r \"SELECT count(*) > 0 FROM code WHERE function = 'a function of its own'\" | "
           "tail -1; done",
           "1\n0\n");
}

static void what_is_refused(void **state)
{
    (void)state;
    prints("$B record 2>&1; ls",
           "boxscore: there is nothing to run\n"
           "  hint: boxscore record -- PROGRAM, or boxscore record --workload stream\n");
    prints("mkdir d; $B record -o d --machine virtual:skl,part=plain -w stream,size=64K 2>&1; "
           "$B record -o no/r --machine virtual:skl,part=plain -w stream,size=64K 2>&1",
           "boxscore: the recording 'd' cannot be written: it is not a regular file\n"
           "boxscore: the recording 'no/r' cannot be written: No such file or directory\n");
}

/* An older file is kept; output and status are the program's. */
static void the_file(void **state)
{
    (void)state;
    prints("echo older >boxscore.rec; W='--machine virtual:skl,part=plain -e UNC_CLOCK'\n"
           "$B record $W -- sh -c 'echo out; exit 3' 2>e; echo $?; cat boxscore.rec.old\n"
           "sed 's/, [0-9]* rows/, N rows/' e; look boxscore.rec",
           "out\n3\nolder\nboxscore: wrote boxscore.rec: 1 events, N rows\n0 events, 0 cores\n");
}

/* The file has all its tables before the program begins, and opens after the end of its writer. */
static void killed(void **state)
{
    (void)state;
    prints(
        "$B record -o r --machine virtual:skl,part=plain -e UNC_CBO_CACHE_LOOKUP:ANY_I -- "
        "sh -c 'cp r first; >begun; exec sleep 60' 2>/dev/null & b=$!\n"
        "while [ ! -e begun ] && kill -0 $b; do sleep 0.05; done; kill -9 $b; wait $b 2>/dev/null\n"
        "for f in first r; do look $f 'SELECT value FROM run WHERE key = \"complete\"' | "
        "grep -v events; done",
        "0\n0\n");
}

/* Killed in the middle of its work, with rows that were committed: their sums hold. */
static void killed_at_work(void **state)
{
    (void)state;
    prints(
        "$B record -o r --machine virtual:skl,part=i7-6700k -e UNC_CBO_CACHE_LOOKUP:ANY_I "
        "-w random,size=16M,cores=2,iterations=2000000000 2>/dev/null & b=$!\n"
        "n=0; while [ $n -lt 600 ] && ! look r 'SELECT 7 FROM cost WHERE event = 1 LIMIT 1' "
        "2>/dev/null | grep -q '^7$'; do sleep 0.2; n=$((n + 1)); done\n"
        "kill -9 $b; wait $b 2>/dev/null\n"
        "look r 'SELECT value FROM run WHERE key = \"complete\"' 'SELECT sum(c1 + c2 + c3 + c4) + "
        "2 * max(c1 + c2 + c3 + c4) >= (SELECT total FROM event WHERE id = 1) FROM series' 'SELECT "
        "total > 0 FROM event WHERE "
        "id = 1'",
        "1 events, 0 cores\n0\n1\n1\n");
}

static void a_host(void **state)
{
    (void)state;
    prints("rec --machine host -e task-clock -I 1ms -- sh -c 'i=0; while [ $i -lt 20000 ]; do "
           "i=$((i + 1)); done'\n"
           "look r 'SELECT count(*) > 0, sum(c1) = (SELECT total FROM event) FROM series' "
           "'SELECT count(*) FROM cost'",
           "0 events, 0 cores\n1|1\n0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),
        cmocka_unit_test(the_same_counts),
        cmocka_unit_test(one_instruction),
        cmocka_unit_test(the_rules),
        cmocka_unit_test(few_rows),
        cmocka_unit_test(both_sides),
        cmocka_unit_test(names),
        cmocka_unit_test(contexts),
        cmocka_unit_test(objects),
        cmocka_unit_test(compiled),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(the_file),
        cmocka_unit_test(killed),
        cmocka_unit_test(killed_at_work),
        cmocka_unit_test(a_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
