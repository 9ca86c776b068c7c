/* Lines that move between the cores of threads and processes, by hand:
 * docs/explanation/model-programs.md, "Processes and threads". The programs are handover.c's, and
 * one with OpenMP. */
#include "../cmocked.h"

#include "host/folder.h"
#include "tracer/counted.h"
#include "tracer/traced.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 20, LINES = 128 };

static const char *handover(const char *how, unsigned rounds, unsigned lines, const char *memory)
{
    static char text[2][128];
    static unsigned next;
    char *to = text[next++ % 2];
    snprintf(to, sizeof text[0], "${P}handover %s %05u %03u %s", how, rounds, lines, memory);
    return to;
}

/* ---- one line ---- */

/* Each store is to a line that both cores have, which is a hit. A load then finds the line
 * modified: two for each round of two threads. A program without rounds cannot be used for
 * comparison, because its first thread may end before the second begins, on the same core. */
static void a_line_that_goes_to_and_fro(void **state)
{
    (void)state;
    enum { TIMES = 1000, FEW = 10 };
    uint64_t more[COUNTED_MOST], less[COUNTED_MOST];
    count_them(HITM "," HIT, "", handover("turns", 2 * TIMES, 0, ""), more);
    count_them(HITM "," HIT, "", handover("turns", TIMES, 0, ""), less);
    for (unsigned i = 0; i < 2; i++)
        assert_in_range(more[i] - less[i], 2 * TIMES - FEW, 2 * TIMES + FEW);
}

/* A thread that waits looks again only after the other one has run: a few looks for each store, of
 * 20 instructions at most. Without that, it would look for a whole turn of 1,000 blocks. */
static void a_thread_that_waits_looks_seldom(void **state)
{
    (void)state;
    enum { TIMES = 500 };
    static const char *const kinds[] = {"turns", "turns-or-stop"};
    for (unsigned i = 0; i < 2; i++) {
        int64_t n = count_more("instructions", "", handover(kinds[i], 2 * TIMES, 0, ""),
                               handover(kinds[i], TIMES, 0, ""));
        assert_in_range(n, 2 * TIMES * 10, 2 * TIMES * 200);
    }
}

/* Each thread stores 20,000 times, at most once a cycle and at least once in four. A takeover lasts
 * 72 cycles at least (hit, snoop of a modified line, ring, and one until it is free:
 * model-order.md, "A line's turns"), in which stores of both threads go on: 18 to 73 for each. */
static void words_of_one_line(void **state)
{
    (void)state;
    enum { TIMES = 20000 };
    int64_t beside =
        count_more(HITM, "", handover("beside", TIMES, 0, ""), handover("beside", 0, 0, ""));
    int64_t apart =
        count_more(HITM, "", handover("apart", TIMES, 0, ""), handover("apart", 0, 0, ""));
    assert_in_range(beside, 2 * TIMES / 73, 2 * TIMES / 18);
    assert_in_range(apart + 100, 0, 200);
}

/* Both add to a word, after the first thread has begun alone. The line goes to the other core for
 * each addition: the thread whose clock comes first adds next, however long turns are. */
static void a_word_goes_with_each_addition(void **state)
{
    (void)state;
    enum { BEGIN = 6000, TIMES = 4000 };
    for (unsigned i = 0; i < 2; i++) {
        const char *turn = i ? "--turn 100" : "";
        int64_t moves = count_more(HITM, turn, handover("together", BEGIN + TIMES, 0, ""),
                                   handover("together", BEGIN, 0, ""));
        assert_in_range(moves, 2 * TIMES * 3 / 4, 2 * TIMES * 5 / 4);
    }
}

/* A report in a format: counts and what is said beside them. */
static ran report(const char *format, const char *program)
{
    char script[512];
    snprintf(script, sizeof script,
             "P=$BUILD_ROOT/tests/tracer/traced_\n"
             "exec \"$BOXSCORE\" stat --machine virtual:skl,part=plain %s -o /dev/stdout -e " HITM
             " -- %s",
             format, program);
    return run_shell(script);
}

/* How often threads waited for words of others, as a report says it. *mean: ns. */
static unsigned long waits_of(const char *format, const char *before, const char *read,
                              const char *program, double *mean)
{
    unsigned long n = 0;
    ran r = report(format, program);
    const char *at = strstr(r.out, before);
    if (at)
        assert_int_equal(sscanf(at + strlen(before), read, &n, mean), 2);
    assert_silent(&r);
    return n;
}

/* Two threads pass a word to and fro: each store is waited for. A thread that waits spins, so it
 * waits for the line as well: half a hit to the slice at least (17 cycles, 4 a ns), and on average
 * not longer than two takeovers by load and store, 2 * (34 + 35 + 2 + 34 + 25). */
static void waits_for_words_are_told(void **state)
{
    (void)state;
    enum { TIMES = 1000 };
    static const struct {
        const char *format, *before, *read;
    } of[] = {{"", "threads waited for what others wrote, although their own clock came first: ",
               "%lu order waits, %lf ns on average"},
              {"-x ,", "\n# order waits: ", "%lu, mean %lf ns"},
              {"-j", "\"order-waits\" : {\"waits\" : ", "%lu, \"mean-ns\" : %lf"}};
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
        double mean = 0;
        unsigned long n = waits_of(of[i].format, of[i].before, of[i].read,
                                   handover("turns", TIMES, 0, ""), &mean);
        assert_in_range(n, TIMES, 3 * TIMES);
        assert_true(mean > 17 / 4.0 && mean < 260 / 4.0);
        assert_int_equal(waits_of(of[i].format, of[i].before, of[i].read, "true", &mean), 0);
    }
}

/* Under a spin lock no addition is lost; the program checks that itself. */
static void a_lock_that_spins(void **state)
{
    (void)state;
    assert_true(count_more(HITM, "", handover("spin-lock", 10000, 0, ""),
                           handover("spin-lock", 0, 0, "")) > 20);
}

static void one_core_has_nobody_to_share_with(void **state)
{
    (void)state;
    assert_int_equal(count_event(HITM, "--threads 2", handover("beside", 1000, 0, "")), 0);
    assert_int_equal(count_event(HITM, "--threads 2", handover("semaphore", 10, LINES, "")), 0);
}

/* ---- many lines ---- */

/* In each round, each line is stored on one core and then on another: 2 lines move. The hand-over
 * itself has lines that move more or less often, so a round may differ by SLACK. */
static void expect_moves(const char *how, const char *memory)
{
    enum { MOVES = 2 * LINES * ROUNDS, SLACK = 12 * ROUNDS };
    int64_t more = count_more(HITM, "--kernel-accesses off", handover(how, ROUNDS, LINES, memory),
                              handover(how, ROUNDS, 0, memory));
    if (more < MOVES - SLACK || more > MOVES + SLACK)
        fail_msg("%s %s: %ld, not %d", how, memory, more, MOVES);
}

static void threads_that_wait_for_each_other(void **state)
{
    (void)state;
    expect_moves("mutex", "");
    expect_moves("semaphore", "");
    expect_moves("barrier", "");
    expect_moves("pipe", "");
    expect_moves("join", "");
}

static void processes_that_wait_for_each_other(void **state)
{
    (void)state;
    expect_moves("processes-pipe", "");
    expect_moves("wait", "");
}

static void kinds_of_shared_memory(void **state)
{
    (void)state;
    expect_moves("wait", "memfd");
    expect_moves("wait", "shm");
    expect_moves("processes-pipe", "shm");
}

/* Copies have their own frames, but a frame that was given back is used again. */
static void private_memory(void **state)
{
    (void)state;
    int64_t more =
        count_more(HITM, "--kernel-accesses off", handover("wait", ROUNDS, LINES, "private"),
                   handover("wait", ROUNDS, 0, "private"));
    assert_true(more < 2 * LINES * ROUNDS / 8);
    more = count_more(HITM, "--kernel-accesses off",
                      handover("processes-pipe", ROUNDS, LINES, "private"),
                      handover("processes-pipe", ROUNDS, 0, "private"));
    assert_true(more < 2 * LINES * ROUNDS / 8);
}

/* ---- the U-Box of the Xeon 7500: docs/explanation/model-nhmex.md, "Interrupts and locks" ---- */

#define UBOX  "nhmex_unc_ubox::"
#define NHMEX "--machine virtual:nhmex,part=plain,packages=2,cores=4 "

/* Two threads lock the bus for each of their additions: a lock and an unlock, and in both packages
 * a stop and a start. */
static void locks_of_the_bus(void **state)
{
    (void)state;
    enum { TIMES = 50 };
    uint64_t n[COUNTED_MOST];
    count_them(UBOX "BUF_VALID_LOCK," UBOX "BUF_VALID_STST", NHMEX, handover("split", TIMES, 0, ""),
               n);
    assert_int_equal(n[0], 2 * 2 * TIMES);
    assert_int_equal(n[1], 2 * 2 * 2 * TIMES);
    count_them(UBOX "BUF_VALID_LOCK," UBOX "BUF_VALID_STST", NHMEX,
               handover("together", TIMES, 0, ""), n);
    assert_int_equal(n[0], 0);
    assert_int_equal(n[1], 0);
}

/* In each round, each thread wakes the other, nearly always from its sleep: on a core of the same
 * package, of the other package, or on the same core, which needs no interrupt. */
static void interrupts_that_wake(void **state)
{
    (void)state;
    enum { TIMES = 200 };
    static const char events[] =
        UBOX "BUF_VALID_LOCAL_INT," UBOX "BUF_VALID_REMOTE_INT," UBOX "WOKEN," UBOX "IPIS_SENT";
    uint64_t n[COUNTED_MOST];
    count_them(events, NHMEX "--threads compact", handover("pipe", TIMES, 0, ""), n);
    assert_in_range(n[2], TIMES, 2 * TIMES + 20);
    assert_int_equal(n[0], n[2]);
    assert_int_equal(n[1], 0);
    assert_int_equal(n[3], n[2]);
    count_them(events, NHMEX "--threads spread", handover("pipe", TIMES, 0, ""), n);
    assert_in_range(n[2], TIMES, 2 * TIMES + 20);
    assert_in_range(n[0], 1, 2); /* the first thread and the second that it makes share a package */
    assert_int_equal(n[1], n[2] - n[0]);
    count_them(events, NHMEX "--threads 1", handover("pipe", TIMES, 0, ""), n);
    assert_int_equal(n[0] + n[1] + n[2] + n[3], 0);
}

/* ---- many threads ---- */

#define SKL_EVENTS "UNC_CLOCK.SOCKET," HITM "," LOOKUPS

/* Real time decides nothing for threads that meet only in memory and at futexes: three runs count
 * the same, whatever the host does meanwhile. */
static void live_runs_are_the_same(void **state)
{
    (void)state;
    static const struct {
        const char *events, *options, *kind;
        unsigned rounds;
    } of[] = {
        {SKL_EVENTS, "", "mutex", 20},
        {SKL_EVENTS, "", "semaphore", 20},
        {SKL_EVENTS, "", "barrier", 20},
        {SKL_EVENTS, "", "join", 20},
        {SKL_EVENTS, "", "turns", 20},
        {SKL_EVENTS, "", "spin-lock", 20},
        {SKL_EVENTS, "", "together", 20},
        {SKL_EVENTS, "", "beside", 20},
        /* a model that is slower than the tracer, and more accesses than wait at once */
        {"FIXED_UNCORE_CLOCK", "--machine virtual:nhmex,part=plain,packages=2 --threads spread",
         "apart", 60000},
    };
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
        uint64_t first[COUNTED_MOST] = {0}, again[COUNTED_MOST] = {0};
        const char *program = handover(of[i].kind, of[i].rounds, 10, "");
        count_them(of[i].events, of[i].options, program, first);
        for (unsigned k = 0; k < 2; k++) {
            count_them(of[i].events, of[i].options, program, again);
            for (unsigned e = 0; e < 3; e++)
                if (again[e] != first[e])
                    fail_msg("%s: event %u: %lu, then %lu", of[i].kind, e, first[e], again[e]);
        }
    }
}

/* Eight threads store to lines of their own. On two cores each of these has about half of them. A
 * store is a read, and may have the next line read ahead. */
static void more_threads_than_cores(void **state)
{
    (void)state;
    enum { EACH = 1000, ALL = 8 * EACH };
    static const char events[] = "UNC_C_LLC_LOOKUP:DATA_READ:cf=0,UNC_C_LLC_LOOKUP:DATA_READ:cf=1,"
                                 "UNC_C_LLC_LOOKUP:DATA_READ:cf=2";
    static const char options[] =
        "--machine virtual:ivbep,part=plain --threads 0,1 --kernel-accesses off";
    uint64_t n[COUNTED_MOST], none[COUNTED_MOST];
    count_them(events, options, handover("walk", 0, EACH, ""), n);
    count_them(events, options, handover("walk", 0, 0, ""), none);
    uint64_t first = n[0] - none[0], second = n[1] - none[1];
    assert_in_range(first + second, ALL, 2 * ALL + ALL / 8);
    assert_in_range(first, (first + second) * 4 / 10, (first + second) * 6 / 10);
    assert_int_equal(n[2], 0);
}

static const char with_openmp[] =
    "#include <stdlib.h>\n"
    "static double a[4][100000];\n"
    "int main(int c, char **v) {\n"
    "  long n = c > 1 ? atol(v[1]) : 0;\n"
    "  #pragma omp parallel for schedule(static)\n"
    "  for (int t = 0; t < 4; t++)\n"
    "    for (volatile double *p = a[t], *end = p + n; p < end; p++) *p = *p + 1;\n"
    "  return 0;\n"
    "}\n";

/* References of the program, without those of the same program with nothing to do. */
static void openmp_references(const char *threads, uint64_t *loads, uint64_t *stores)
{
    setenv("OMP_NUM_THREADS", threads, 1);
    char *const much[] = {(char[]){"./with-openmp"}, (char[]){"50000"}, NULL};
    char *const none[] = {(char[]){"./with-openmp"}, (char[]){"00000"}, NULL};
    int status;
    bx_trace_counts a = traced_counts(much, &status), b = traced_counts(none, NULL);
    assert_int_equal(status, 0);
    *loads = a.loads + a.modifications - b.loads - b.modifications;
    *stores = a.stores - b.stores;
}

/* The runtime's threads spin when they wait, which are loads. */
static void openmp(void **state)
{
    (void)state;
    enum { ELEMENTS = 4 * 50000 };
    uint64_t loads, stores;
    FILE *f = popen("gcc -O1 -fopenmp -x c - -o with-openmp", "w");
    assert_non_null(f);
    fputs(with_openmp, f);
    assert_int_equal(pclose(f), 0);
    setenv("OMP_WAIT_POLICY", "passive", 1);
    openmp_references("1", &loads, &stores);
    /* Two runs of a program differ by some of its loader's and runtime's accesses. */
    assert_in_range(loads, ELEMENTS - 100, ELEMENTS + 100);
    assert_in_range(stores, ELEMENTS - 100, ELEMENTS + 100);
    openmp_references("4", &loads, &stores);
    assert_in_range(loads, ELEMENTS - ELEMENTS / 100, ELEMENTS + ELEMENTS / 20);
    assert_in_range(stores, ELEMENTS - ELEMENTS / 100, ELEMENTS + ELEMENTS / 100);
}

static int setup(void **state)
{
    traced_setup();
    return folder_enter(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_that_goes_to_and_fro),
        cmocka_unit_test(a_thread_that_waits_looks_seldom),
        cmocka_unit_test(words_of_one_line),
        cmocka_unit_test(a_word_goes_with_each_addition),
        cmocka_unit_test(waits_for_words_are_told),
        cmocka_unit_test(a_lock_that_spins),
        cmocka_unit_test(one_core_has_nobody_to_share_with),
        cmocka_unit_test(threads_that_wait_for_each_other),
        cmocka_unit_test(processes_that_wait_for_each_other),
        cmocka_unit_test(kinds_of_shared_memory),
        cmocka_unit_test(private_memory),
        cmocka_unit_test(locks_of_the_bus),
        cmocka_unit_test(interrupts_that_wake),
        cmocka_unit_test(live_runs_are_the_same),
        cmocka_unit_test(more_threads_than_cores),
        cmocka_unit_test(openmp),
    };
    return cmocka_run_group_tests(tests, setup, folder_leave);
}
