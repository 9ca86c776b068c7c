/* Runs every command with each of its allocations failing. The command gives its usual result, or
 * reports that memory ran out and exits with 1. It never continues with partial data. */
#include "../cmocked.h"

#include "../rounds.h"

#include "memory/failing_malloc.h"
#include "cli/run.h"
#include "host/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 16, ROOM = 4096 };

typedef struct command {
    const char *arguments[MOST_ARGUMENTS];
    const char *input;
    /* A program runs on stage. Its output and behaviour without memory are not checked. */
    bool staged;
} command;

#define SKL   "--cpu", "skl"
#define ON    "--machine", "virtual:skl,part=plain,cores=1,llc=512K"
#define STAT  "stat", ON
#define SMALL "-w", "stream,size=4K"
#define EVENT "-e", "UNC_CBO_CACHE_LOOKUP:ANY_I"

/* Each command runs in a folder of its own, which prepare[] describes. */
static const command commands[] = {
    {{"list", SKL, "lookup"}},
    {{"list", SKL, "-j"}},
    {{"list", "--machine", "host", "--root", "root"}},
    {{"list", "--modelled", ON}},
    {{"list", "nothinglikeit"}},
    {{"info", SKL, "UNC_CBO_CACHE_LOOKUP:ANY_I:t=3"}},
    {{"info", SKL, "skl_unc_cbo"}},
    {{"info", SKL, "0x700"}},
    {{"info", "ivbep"}},
    {{"info", "MSR_UNC_CBO_0_PERFEVTSEL"}},
    {{"info", ON, "EDGE"}},
    {{"encode", SKL, "UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CLOCK"}},
    {{"encode", SKL, "-j", "UNC_CBO_CACHE_LOOKUP:ANY_I:e=1"}},
    {{"encode", "--libpfm", "-"}, "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I\nivbep_unc_ha0::X\n"},
    {{"encode", SKL, "UNC_CBO_CACHE_LOKUP:ANY_I"}},
    {{"decode", SKL, "0x700=0x408834"}},
    {{"decode", SKL, "-j", "0x700=0x408834", "0xe01=0x20000000"}},
    {{"decode", SKL, "0x700"}},
    {{"plan", ON, EVENT, "-e", "DRAM_DATA_READS"}},
    {{"plan", ON, "-j", EVENT}},
    {{"plan", "--machine", "virtual:ivbep,part=plain", "UNC_C_CLOCKTICKS"}},
    {{"plan", ON, EVENT, "--sample", "UNC_CLOCK=100"}},
    {{"plan", ON, "-j", "--until", "UNC_CLOCK=100"}},
    {{"explain", "log"}},
    {{"explain", "-a", "-o", "out", "log"}},
    {{"explain", "out"}},
    {{STAT, SMALL}},
    {{STAT, SMALL, EVENT, "-o", "out"}},
    {{STAT, SMALL, EVENT, "-j"}},
    {{"diff", "old", "new", "--fail-if", "bytes > +2%", "--markdown", "out", "--junit",
      "/dev/null"}},
    {{"diff", "-j", "old", "new"}},
    {{"diff", "old", "log"}},
    {{STAT, SMALL, EVENT, "-x,", "--per-unit", "--header"}},
    {{STAT, SMALL, EVENT, "-I", "1us"}},
    {{STAT, SMALL, EVENT, "-r", "2"}},
    {{STAT, SMALL, EVENT, "--until", "UNC_CLOCK=100"}},
    {{STAT, SMALL, EVENT, "--until", "UNC_CLOCK=1000000"}},
    {{STAT, SMALL, EVENT, "--sample", "UNC_CLOCK=500"}},
    {{STAT, SMALL, EVENT, "--sample", "UNC_CLOCK=0"}},
    {{STAT, SMALL, "--passes", "repeat"}},
    {{STAT, SMALL, EVENT, "--log-registers", "out"}},
    {{"stat", "--replay", "recording"}},
    {{STAT, EVENT, "--", "true"}},
    {{STAT, EVENT, "--trace", "trace"}},
    {{"stat", ON ",tlb=on,pages=2M", EVENT, "--trace", "trace"}},
    {{"stat", ON ",tlb=on", EVENT, SMALL}},
    {{"trace", "-o", "/dev/null", "--",
      "./loop"}}, /* traces contain times, so no two are the same */
    {{"trace", "info", "trace"}},
    {{STAT, SMALL, "-e", "UNC_CBO_CACHE_LOKUP:ANY_I"}},
    {{STAT, "-w", "stream+dma,size=x"}},
    {{"stat", "--machine", "virtual:ivbep,part=plain", SMALL, "-e", "UNC_C_CLOCKTICKS"}},
    {{"stat", "--machine", "virtual:nhmex,part=plain,packages=1,cores=1", SMALL, "-e",
      "nhmex_unc_sbox::EGRESS_ARB_WINS:BL_CW"}},
    {{"report", "rec"}},
    {{"report", "rec", "--json", "--by", "shared-line"}},
    {{"report", "rec", "--children", "-x,"}},
    {{"report", "rec", "--export", "pprof", "-o", "out"}},
    {{"annotate", "rec", "(workload)"}},
    {{"allowlist", "--cpu", "nhmex"}},
    {{"stat", "--root", "root", "--driver", "registers", "--journal", "journal", "-x,", EVENT, "--",
      "true"}},
    {{"explain", ON, "--", "true"}, .staged = true},
    {{"regs", ON, "-a"}},
    {{"regs", "--root", "root", "-j"}},
    {{"vpmu", ON}, "wrmsr 0 0x700 0x408834\nrun stream,size=4K\nrdmsr 0 0x706\nrdmsr 0 0x1\n"},
    {{"stat", SMALL, EVENT,
      "-x,"}}, /* any machine, but not events of a host, whose counts always differ */
    {{"stat", "-e", "page-faults", "-o", "/dev/null", "--", "true"}},
    {{"doctor", "--root", "root"}},
    {{"doctor", "--root", "root", "-j"}},
    {{"machine", "gather", "--root", "root", "-o", "out"}},
    {{"machine", "gather", "--root", "root"}},
    {{"machine", "show", "gathered"}},
    {{"regs", "--root", "gathered"}},
    {{"restore", "--root", "root", "left"}},
    {{"restore", "-n", "--root", "root"}},
    {{"allowlist", SKL}},
    {{"allowlist", SKL, "-j"}},
    {{"help"}},
    {{"help", "workloads"}},
    {{"help", "skl-clock"}},
    {{"help", "topics"}},
    {{"help", "stat"}},
    {{"stat", "--help"}},
    {{"help", "--generate", "man"}},
    {{"help", "--generate", "man", "skl-imc"}},
    {{"help", "--generate", "markdown", "skl-arb"}},
    {{"help", "--generate", "man", "stat"}},
    {{"help", "--generate", "bash"}},
    {{"help", "--generate", "zsh"}},
    {{"--version"}},
    {{"sat"}},
    {{"stat", "--evnt", "x"}},
    {{"stat", "-r", "0"}},
};

/* ---- the folder ---- */

static folder work;
static char temporary[80]; /* $TMPDIR: beside it */

/* A desktop of the 6th generation, whose registers are files, and the files that the commands
 * read. */
static const char prepare[] =
    "B=$BOXSCORE M='--machine virtual:skl,part=plain,cores=1,llc=512K' W='-w stream,size=4K'\n"
    "echo old >out\n"
    "for n in old new; do echo "
    "'{\"unit\":\"\",\"event\":\"a::X\",\"value\":5,\"state\":\"counted\","
    "\"metrics\":[{\"name\":\"bytes\",\"value\":5,\"unit\":\"MB\"}]}\n{\"run\":{\"work\":\"\","
    "\"seconds\":1,"
    "\"environment\":{\"machine\":\"m\"}}}' >$n; done\n"
    "$B stat $M $W -e UNC_CBO_CACHE_LOOKUP:ANY_I --log-registers recording -o /dev/null\n"
    "cp $BUILD_ROOT/tests/tracer/traced_loop loop; $B trace -o trace -- ./loop; [ $? = 7 ]\n"
    "printf '# machine: virtual:skl,part=plain\\ncpu0 R 0xe01 0x0\\ncpu0 W 0x700 0x408834\\n"
    "cpu0 W 0x700 0xff408834\\n' >log\n"
    "$B machine gather --root root -o gathered\n"
    "$B stat --root root --driver registers --journal left -e UNC_CBO_CACHE_LOOKUP:ANY_M -- "
    "sh -c 'kill -9 $PPID'\n"
    "$B record $M $W -e UNC_CBO_CACHE_LOOKUP:ANY_I -o rec 2>/dev/null\n"
    "mkdir ../$N.kept && cp -a . ../$N.kept\n";

static void make_machine(void)
{
    folder root = {""};
    snprintf(root.root, sizeof root.root, "%.40s/root", work.root);
    mkdir(root.root, 0755);
    folder_text(&root, "/proc/cpuinfo",
                "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 94\n"
                "stepping\t: 3\n");
    folder_text(&root, "/proc/sys/kernel/random/boot_id", "6f3c0c1e-0000-4000-8000-0123456789ab\n");
    folder_text(&root, "/proc/sys/kernel/perf_event_paranoid", "-1\n");
    folder_text(&root, "/proc/modules", "msr 20480 0 - Live 0x0\n");
    folder_text(&root, "/sys/devices/system/cpu/online", "0\n");
    folder_text(&root, "/sys/bus/event_source/devices/uncore_imc/type", "12\n");
    folder_text(&root, "/sys/bus/event_source/devices/uncore_imc/cpumask", "0\n");
    folder_text(&root, "/sys/bus/event_source/devices/uncore_imc/format/event", "config:0-7\n");
    folder_text(&root, "/sys/bus/event_source/devices/uncore_imc/events/reads", "event=0x01\n");
    folder_msr(&root, 0, 0xe02, 0);
    folder_msr(&root, 0, 0x396, 5);
    folder_msr(&root, 0, 0x700, 0x408834);
}

static uint64_t found;

/* FNV-1a */
static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
    for (const unsigned char *p = bytes; n--; p++)
        h = (h ^ *p) * UINT64_C(0x100000001b3);
    return h;
}

static int add_file(const char *path, const struct stat *about, int kind, struct FTW *ftw)
{
    (void)ftw;
    uint64_t h = hash(UINT64_C(0xcbf29ce484222325), path, strlen(path));
    int fd = kind == FTW_F ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0 && about->st_size > 0) {
        void *bytes = mmap(NULL, (size_t)about->st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        assert_ptr_not_equal(bytes, MAP_FAILED);
        h = hash(h, bytes, (size_t)about->st_size);
        munmap(bytes, (size_t)about->st_size);
    }
    if (fd >= 0)
        close(fd);
    found += h; /* the order of files differs */
    return 0;
}

/* A hash over the names and contents of all files. */
static uint64_t files(void)
{
    found = 0;
    assert_int_equal(nftw(".", add_file, 16, FTW_PHYS), 0);
    return found;
}

static void make_files_again(uint64_t before)
{
    if (files() == before)
        return;
    ran r = run_shell("rm -rf ./* && cp -a ../$N.kept/. .");
    assert_silent(&r);
    assert_int_equal(files(), before);
}

static int begin(void **state)
{
    (void)state;
    work = folder_new();
    make_machine();
    if (chdir(work.root))
        return -1;
    setenv("N", strrchr(work.root, '/') + 1, 1);
    setenv("XDG_RUNTIME_DIR", work.root, 1);
    snprintf(temporary, sizeof temporary, "%s.temporary", work.root);
    setenv("TMPDIR", temporary, 1);
    if (mkdir(temporary, 0700))
        return -1;
    ran r = run_shell(prepare);
    assert_int_equal(r.status, 0);
    ran_free(&r);
    return 0;
}

static int end(void **state)
{
    (void)state;
    ran r = run_shell("rm -rf ../$N.kept ../$N.temporary");
    ran_free(&r);
    folder_end(&work);
    return chdir("/");
}

/* ---- one run ---- */

static failing_malloc *shared;
static unsigned long tried;
static unsigned wrong;

/* The result of a run, and a hash of the files that it left. */
typedef struct result {
    ran ran;
    uint64_t files;
} result;

/* Empties the folder of temporary files. Only valgrind's own may be left there, because a command
 * that gives up kills valgrind. Returns how many other files there were. */
static unsigned temporary_files(void)
{
    unsigned others = 0;
    DIR *d = opendir(temporary);
    assert_non_null(d);
    for (struct dirent *f; (f = readdir(d));) {
        if (f->d_name[0] == '.')
            continue;
        bool valgrind = strncmp(f->d_name, "valgrind_proc_", 14) == 0 ||
                        strncmp(f->d_name, "vgdb-pipe-", 10) == 0;
        if (!valgrind)
            fprintf(stderr, "left in $TMPDIR: %s\n", f->d_name);
        others += !valgrind;
    }
    closedir(d);
    ran r = run_shell("rm -rf \"$TMPDIR\"/*");
    assert_silent(&r);
    return others;
}

static result run_failing(const command *c, unsigned long nth, bool later)
{
    char preload[4096];
    *shared = (failing_malloc){.nth = nth, .later = later};
    snprintf(preload, sizeof preload, "%s/tests/memory/libfailing_malloc.so", getenv("BUILD_ROOT"));
    setenv("LD_PRELOAD", preload, 1);
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0", 1);
    result r = {.ran = run(c->input, c->arguments)};
    unsetenv("LD_PRELOAD");
    unsetenv("ASAN_OPTIONS");
    r.files = files() + temporary_files();
    return r;
}

/* Counts messages about memory, and others that the undisturbed run does not print. */
static void count_messages(const char *err, const char *usual, unsigned *memory, unsigned *others)
{
    *memory = *others = 0;
    for (const char *at = err; (at = strstr(at, "boxscore: ")); at++) {
        char line[512];
        if (at > err && at[-1] != '\n')
            continue; /* another program's output */
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        if (strstr(line, "out of memory") || strstr(line, "Cannot allocate memory"))
            ++*memory;
        else if (!strstr(usual, line))
            ++*others;
    }
}

static bool says_anything(const char *err)
{
    unsigned memory, others;
    count_messages(err, "", &memory, &others);
    return memory + others > 0;
}

static bool same(const command *c, const result *a, const result *b)
{
    if (c->staged && a->files == b->files && !says_anything(a->ran.err))
        return true;
    return a->ran.status == b->ran.status && a->files == b->files &&
           strcmp(a->ran.out, b->ran.out) == 0 && strcmp(a->ran.err, b->ran.err) == 0;
}

static bool says_so(const result *r, const result *usual, uint64_t before)
{
    unsigned memory, others;
    count_messages(r->ran.err, usual->ran.err, &memory, &others);
    return r->ran.status == 1 && memory == 1 && others == 0 &&
           (r->files == before || r->files == usual->files);
}

static void show(const command *c, unsigned long nth, bool later, const result *r,
                 const result *usual)
{
    fprintf(stderr, "allocation %lu%s:", nth, later ? " and later ones" : "");
    for (size_t i = 0; c->arguments[i]; i++)
        fprintf(stderr, " %s", c->arguments[i]);
    fprintf(stderr, "\n  status %d%s, %s\n", r->ran.status,
            r->files != usual->files ? ", other files" : "",
            r->ran.err[0] ? r->ran.err : "nothing said\n");
    if (r->ran.status == 0)
        fprintf(stderr, "  where it usually says: %s\n", usual->ran.err);
    wrong++;
}

/* ---- all of them ---- */

enum { ONE_IN = 47, ALIKE = 200, ONE_IN_ALIKE = 211, ONE_IN_ALIKE_LONG = 23 };

/* After the first ALIKE allocations come those for the blocks of a traced program. Two thousand of
 * them are alike, so fewer are tried. `number` counts the allocations of all commands, so that each
 * command skips different ones. */
static bool is_to_be_tried(unsigned long nth, unsigned long number)
{
    if (nth <= ALIKE)
        return is_tried(number, ONE_IN);
    return number % (is_long() ? ONE_IN_ALIKE_LONG : ONE_IN_ALIKE) == 0;
}

static void try_command(const command *c, unsigned long *number)
{
    uint64_t before = files();
    result usual = run_failing(c, 0, false);
    unsigned long needed = shared->done;
    make_files_again(before);
    result again = run_failing(c, 0, false);
    if (!same(c, &usual, &again))
        show(c, 0, false, &again, &usual);
    ran_free(&again.ran);
    make_files_again(before);
    for (unsigned long n = 1; n <= needed; n++, ++*number) {
        for (unsigned later = 0; later < 2 && is_to_be_tried(n, *number); later++) {
            result r = run_failing(c, n, later);
            if (!same(c, &r, &usual) && !says_so(&r, &usual, before))
                show(c, n, later, &r, &usual);
            ran_free(&r.ran);
            make_files_again(before);
            tried++;
        }
    }
    ran_free(&usual.ran);
}

static void each_allocation(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s.shared", work.root);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(ftruncate(fd, sizeof *shared), 0);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(shared, MAP_FAILED);
    close(fd);
    setenv("BX_FAILING_MALLOC", path, 1);
    unsigned long seed = seed_of_run(), number = seed;
    print_message("BX_SEED=%lu\n", seed);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        try_command(&commands[i], &number);
    assert_true(number - seed > 1000); /* the preloaded library was active */
    print_message("%zu commands, %lu runs with an allocation that failed\n",
                  sizeof commands / sizeof *commands, tried);
    munmap(shared, sizeof *shared);
    unlink(path);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation),
    };
    return cmocka_run_group_tests_name("out_of_memory", tests, begin, end);
}
