/* Compares all processes of other programs with cachegrind, one by one. With BX_LONG in the
 * environment there are larger programs, too. */
#include "../cmocked.h"

#include "host/folder.h"
#include "tracer/records.h"
#include "tracer/traced.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM(...) ((char **)(uintptr_t)(const char *[]){__VA_ARGS__, NULL})

enum { PARTS = 100 };

static bool is_near(uint64_t a, uint64_t b)
{
    uint64_t difference = a > b ? a - b : b - a;
    return difference <= a / PARTS;
}

/* Each figure may differ by one of PARTS. */
static bool is_same(references a, references b)
{
    return is_near(a.instructions, b.instructions) && is_near(a.reads, b.reads) &&
           is_near(a.writes, b.writes);
}

/* cachegrind has no figures of a process that executed another program. A forked process that
 * executed nothing includes its parent's figures, so there is none here. */
static bool has_executed(const recorded *p)
{
    return p->n && p->record[p->n - 1].kind == BX_TRACE_END &&
           p->record[p->n - 1].value == BX_TRACE_END_EXEC;
}

static size_t by_us(char *const argv[], references to[])
{
    recording *r = record_program(argv);
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        bx_trace_counts c = r->process[i].counts;
        if (!has_executed(&r->process[i]))
            to[n++] = (references){c.instructions, c.loads + c.modifications, c.stores};
    }
    assert_int_equal(r->status, 0);
    recording_free(r);
    return n;
}

/* Removes the processes that are in both. */
static size_t others(references a[], size_t *a_n, references b[], size_t b_n)
{
    for (size_t i = 0; i < *a_n;) {
        size_t k = 0;
        while (k < b_n && !is_same(a[i], b[k]))
            k++;
        if (k < b_n) {
            b[k] = b[--b_n];
            a[i] = a[--*a_n];
        } else {
            i++;
        }
    }
    return b_n;
}

/* All processes of both have the same figures. */
static void expect(char *const argv[])
{
    references ours[RECORDED_MOST], its[RECORDED_MOST];
    size_t n = by_us(argv, ours), its_n = cachegrind_processes(argv, its, RECORDED_MOST);
    assert_int_equal(n, its_n);
    assert_true(n > 0);
    its_n = others(ours, &n, its, its_n);
    for (size_t i = 0; i < n; i++)
        print_message("%" PRIu64 " %" PRIu64 " %" PRIu64 ", cachegrind has %" PRIu64 " %" PRIu64
                      " %" PRIu64 "\n",
                      ours[i].instructions, ours[i].reads, ours[i].writes, its[i].instructions,
                      its[i].reads, its[i].writes);
    if (n > 0)
        fail_msg("%s: %zu processes differ", argv[0], n);
}

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* Valgrind's variables reach children, and it adds itself to LD_PRELOAD once more there; our
 * tracer's variables do not. So LD_PRELOAD is removed before children get it. The rest differs by
 * less than a hundredth in small programs, because the dynamic loader reads all variables in each
 * of them. test_tracer.c has programs without such a difference. */
#define ALONE   "unset LD_PRELOAD; "
#define WRAPPER "env,-u,LD_PRELOAD"

static void shells(void **state)
{
    (void)state;
    expect(
        PROGRAM("/bin/sh", "-c", ALONE "ls / >list; gzip -c list >list.gz; wc -c list.gz; true"));
    expect(PROGRAM("/usr/bin/env", "-u", "LD_PRELOAD", "sh", "-c", ALONE "exec sort list"));
}

static void compilers(void **state)
{
    (void)state;
    write_file("one.c", "int one(int of)\n{\n    return of + 1;\n}\n");
    expect(PROGRAM("/usr/bin/gcc", "-wrapper", WRAPPER, "-O1", "-save-temps", "-c", "one.c"));
}

static void makes(void **state)
{
    (void)state;
    write_file("Makefile", "unexport LD_PRELOAD\nall: one.o two.o\none.o two.o:\n"
                           "\tgcc -wrapper " WRAPPER " -O1 -save-temps=obj -c $*.c\n");
    write_file("two.c", "int two(int of)\n{\n    return 2 * of;\n}\n");
    expect(PROGRAM("/usr/bin/make", "-B", "-j2"));
}

static void interpreters(void **state)
{
    (void)state;
    expect(PROGRAM("/usr/bin/perl", "-e", "my %a; $a{$_ % 97} += $_ for 1 .. 2000; print %a"));
    expect(PROGRAM("/usr/bin/python3", "-S", "-c",
                   "import subprocess; subprocess.run(['sort', 'list'], env={'VALGRIND_LIB': "
                   "'/usr/libexec/valgrind'})"));
    if (access("/usr/bin/sqlite3", X_OK) == 0) /* it is not among what ./setup installs */
        expect(PROGRAM("/usr/bin/sqlite3", ":memory:",
                       "create table t(a); insert into t values (1), (2); select sum(a) from t;"));
}

static int setup(void **state)
{
    traced_setup();
    setenv("VALGRIND_LIB", "/usr/libexec/valgrind", 1);
    setenv("PERL_HASH_SEED", "0", 1);
    setenv("PERL_RAND_SEED", "0", 1);
    return folder_enter(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shells),
        cmocka_unit_test(compilers),
        cmocka_unit_test(makes),
        cmocka_unit_test(interpreters),
    };
    return _cmocka_run_group_tests("tests", tests, getenv("BX_LONG") ? 4 : 1, setup, folder_leave);
}
