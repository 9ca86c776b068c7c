/* Journals: writing and reading, corrupted files, and the machine of a journal. Also the process
 * that a lock's record names. */
#include "../cmocked.h"

#include "host/folder.h"
#include "guard/journal.h"
#include "guard/journal_undo.h"
#include "host/system/file.h"
#include "catalog/catalog.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bx_journal_op ops[] = {
    {{.space = BX_SPACE_MSR, .width = 64, .cpu = 8, .offset = 0xe01}, 1, false, 0, 0, "GLOBAL"},
    {{.space = BX_SPACE_PCI, .width = 32, .cpu = 8, .offset = 0x48}, 1, false, 7, 7, "BAR"},
    {{.space = BX_SPACE_MSR, .width = 64, .cpu = 3, .offset = 0x186},
     0,
     true,
     5,
     15,
     "PerfEvtSel0"},
    {{.space = BX_SPACE_MSR, .width = 64, .cpu = 8, .offset = 0xe01},
     1,
     false,
     UINT64_C(0x8000000020000005),
     UINT64_MAX,
     "GLOBAL"},
};

static const bx_journal sample = {
    .machine = "/tmp/a machine",
    .boot = "6f3c0c1e-0000-4000-8000-0123456789ab",
    .cpu = "skl",
    .counts = "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CLOCK",
    .owner = {4711, 12345},
    .ops = ops,
    .n = sizeof ops / sizeof *ops,
};

static void text_there_and_back(void **state)
{
    (void)state;
    bx_buf text = {0}, again = {0};
    bx_arena arena = {0};
    bx_journal j;
    bx_error e = {0};
    bx_journal_format(&sample, &text);
    assert_int_equal(bx_journal_parse((bx_str){text.p, text.n}, &arena, &j, &e), BX_OK);
    assert_string_equal(j.machine, sample.machine);
    assert_string_equal(j.boot, sample.boot);
    assert_string_equal(j.cpu, sample.cpu);
    assert_string_equal(j.counts, sample.counts);
    assert_int_equal(j.owner.pid, 4711);
    assert_int_equal(j.owner.start_time, 12345);
    assert_int_equal(j.n, 4);
    for (size_t i = 0; i < j.n; i++) {
        assert_memory_equal(&j.ops[i].at, &ops[i].at, sizeof(bx_address));
        assert_int_equal(j.ops[i].package, ops[i].package);
        assert_int_equal(j.ops[i].core, ops[i].core);
        assert_int_equal(j.ops[i].value, ops[i].value);
        assert_int_equal(j.ops[i].check, ops[i].check);
        assert_string_equal(j.ops[i].name, ops[i].name);
    }
    bx_journal_format(&j, &again);
    assert_string_equal(again.p, text.p);
    bx_buf_free(&text);
    bx_buf_free(&again);
    bx_arena_free(&arena);
}

/* A complete journal, but with a width that no register has. */
static void widths_of_no_register(void **state)
{
    (void)state;
    static const uint8_t widths[] = {0, 4, 8, 16, 63};
    for (size_t i = 0; i < sizeof widths; i++) {
        bx_journal_op op = ops[0];
        bx_journal j = sample;
        bx_buf text = {0};
        bx_arena arena = {0};
        bx_error e = {0};
        op.at.width = widths[i];
        j.ops = &op;
        j.n = 1;
        bx_journal_format(&j, &text);
        assert_int_equal(bx_journal_parse((bx_str){text.p, text.n}, &arena, &j, &e), BX_BAD_INPUT);
        assert_string_equal(e.message, "it is not a journal of this version");
        bx_buf_free(&text);
        bx_arena_free(&arena);
    }
}

/* Journals cut at any byte, and with any bit flipped. */
static void nothing_torn_is_taken(void **state)
{
    (void)state;
    bx_buf text = {0};
    bx_journal j;
    bx_journal_format(&sample, &text);
    for (size_t n = 0; n < text.n; n++) {
        bx_arena arena = {0};
        assert_int_equal(bx_journal_parse((bx_str){text.p, n}, &arena, &j, NULL), BX_BAD_INPUT);
        bx_arena_free(&arena);
    }
    for (size_t bit = 0; bit < 8 * text.n; bit++) {
        bx_arena arena = {0};
        text.p[bit / 8] = (char)(text.p[bit / 8] ^ 1 << bit % 8);
        assert_int_equal(bx_journal_parse((bx_str){text.p, text.n}, &arena, &j, NULL),
                         BX_BAD_INPUT);
        text.p[bit / 8] = (char)(text.p[bit / 8] ^ 1 << bit % 8);
        bx_arena_free(&arena);
    }
    bx_buf_free(&text);
}

static void a_file_is_whole(void **state)
{
    (void)state;
    folder f = folder_new();
    bx_arena arena = {0};
    bx_journal j;
    bx_error e = {0}, none = {0}, cut = {0};
    char path[128];
    snprintf(path, sizeof path, "%s/a.journal", f.root);
    assert_int_equal(bx_journal_read(path, &arena, &j, &none), BX_NOT_FOUND);
    assert_int_equal(bx_journal_write(path, &sample, &e), BX_OK);
    assert_int_equal(bx_journal_read(path, &arena, &j, &e), BX_OK);
    assert_string_equal(j.counts, sample.counts);
    assert_int_equal(truncate(path, 100), 0);
    assert_int_equal(bx_journal_read(path, &arena, &j, &cut), BX_BAD_INPUT);
    assert_non_null(strstr(cut.message, "it is cut off or damaged"));
    assert_int_equal(bx_journal_write(path, &sample, &none), BX_SYSTEM); /* it stays */
    assert_int_equal(bx_journal_read(path, &arena, &j, &e), BX_BAD_INPUT);
    snprintf(path, sizeof path, "%s/none/a.journal", f.root);
    e = (bx_error){0};
    assert_int_equal(bx_journal_write(path, &sample, &e), BX_SYSTEM);
    assert_non_null(strstr(e.hint, "another file for the journal"));
    bx_arena_free(&arena);
    folder_end(&f);
}

/* Files with similar names are not touched, because they may belong to others. The journal leaves
 * no other file. */
static void nothing_else_is_touched(void **state)
{
    (void)state;
    folder f = folder_new();
    bx_error e = {0};
    char path[128], link_to[128], bytes[64];
    snprintf(path, sizeof path, "%s/y", f.root);
    folder_text(&f, "/y.new", "unrelated");
    folder_text(&f, "/other", "unrelated");
    snprintf(link_to, sizeof link_to, "%s/other", f.root);
    assert_int_equal(symlink(link_to, path), 0);
    assert_int_equal(bx_journal_write(path, &sample, &e), BX_SYSTEM);
    unlink(path);
    assert_int_equal(bx_journal_write(path, &sample, &e), BX_OK);
    assert_int_equal(bx_journal_write(path, &sample, &e), BX_SYSTEM);
    assert_int_equal(bx_file_read(f.root, "/y.new", bytes, sizeof bytes).n, 9);
    assert_int_equal(bx_file_read(f.root, "/other", bytes, sizeof bytes).n, 9);
    unsigned files = 0;
    DIR *d = opendir(f.root);
    assert_non_null(d);
    for (const struct dirent *entry; (entry = readdir(d));)
        files += entry->d_name[0] != '.';
    closedir(d);
    assert_int_equal(files, 3);
    folder_end(&f);
}

/* A name that the user chose is used only if no data is lost. */
static void room_for_a_journal(void **state)
{
    (void)state;
    folder f = folder_new();
    char path[128], other[128];
    bx_error e = {0}, used = {0}, link_error = {0};
    bx_journal_file open_file;
    snprintf(path, sizeof path, "%s/y", f.root);
    snprintf(other, sizeof other, "%s/z", f.root);
    assert_int_equal(bx_journal_make_room(path, &e), BX_OK); /* nothing is there */
    folder_text(&f, "/y", "");
    assert_int_equal(bx_journal_make_room(path, &e), BX_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(bx_journal_file_open(path, &open_file, &e),
                     BX_OK); /* as an idle helper has it */
    assert_int_equal(bx_journal_make_room(path, &used), BX_NO_ACCESS);
    assert_non_null(strstr(used.message, "y' cannot be the journal: another process uses it"));
    unlink(path); /* nobody would find what the helper writes to the removed file */
    assert_int_equal(bx_journal_file_put(&open_file, &sample), ENOENT);
    close(open_file.fd);
    folder_text(&f, "/z", "somebody's");
    assert_int_equal(bx_journal_make_room(other, &e), BX_NO_ACCESS);
    assert_non_null(strstr(e.message, "z' cannot be the journal: the file is not empty"));
    assert_int_equal(symlink(other, path), 0);
    assert_int_equal(bx_journal_make_room(path, &link_error), BX_NO_ACCESS);
    assert_int_equal(access(other, F_OK), 0);
    folder_end(&f);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Writes a journal in a child, and kills the child after `delay` seconds. Negative: the child ends
 * by itself. */
static void write_in_child(const char *path, double delay)
{
    pid_t child = fork();
    if (child == 0) {
        bx_journal_write(path, &sample, NULL);
        _exit(0);
    }
    if (delay >= 0) {
        usleep((useconds_t)(delay * 1e6));
        kill(child, SIGKILL);
    }
    waitpid(child, NULL, 0);
}

/* The process is killed at any moment of writing: the journal is complete or absent, and there is
 * no other file. The delays go to twice the time of a writer that is not killed. */
static void killed_while_writing(void **state)
{
    (void)state;
    enum { KILLS = 200 };
    folder f = folder_new();
    char path[128];
    snprintf(path, sizeof path, "%s/y", f.root);
    double began = seconds(), whole = 0;
    for (int i = -1; i < KILLS; i++) {
        bx_arena arena = {0};
        bx_journal j;
        write_in_child(path, i < 0 ? -1 : 2 * whole * i / KILLS);
        if (i < 0)
            whole = seconds() - began;
        int rc = bx_journal_read(path, &arena, &j, NULL);
        assert_true(rc == BX_OK || (i >= 0 && rc == BX_NOT_FOUND));
        bx_arena_free(&arena);
        unlink(path);
        assert_int_equal(rmdir(f.root), 0); /* it is empty */
        assert_int_equal(mkdir(f.root, 0755), 0);
    }
    folder_end(&f);
}

/* A user who can write a journal decides what is written to registers. */
static void of_whom(void **state)
{
    (void)state;
    folder f = folder_new();
    bx_arena arena = {0};
    bx_journal j;
    char path[128];
    snprintf(path, sizeof path, "%s/y", f.root);
    static const struct {
        mode_t mode;
        uid_t user;
        int rc;
    } cases[] = {{0600, 0, BX_OK},
                 {0644, 0, BX_OK},
                 {0664, 0, BX_NO_ACCESS},
                 {0646, 0, BX_NO_ACCESS},
                 {0644, 65534, BX_NO_ACCESS}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bx_error e = {0};
        unlink(path);
        assert_int_equal(bx_journal_write(path, &sample, &e), BX_OK);
        assert_int_equal(chmod(path, cases[i].mode), 0);
        if (cases[i].user && (getuid() != 0 || chown(path, cases[i].user, 0) != 0))
            continue;
        assert_int_equal(bx_journal_read(path, &arena, &j, &e), cases[i].rc);
        if (cases[i].rc) {
            assert_non_null(strstr(e.message, "' is not trusted: "));
            assert_string_not_equal(e.hint, "");
        }
    }
    bx_arena_free(&arena);
    folder_end(&f);
}

/* A file that stays open: a text is valid until the next one is complete, even if writing is cut
 * short. */
static void a_file_that_stays_open(void **state)
{
    (void)state;
    folder f = folder_new();
    bx_journal_file jf;
    bx_error e = {0};
    char path[128];
    static char bytes[1 << 16];
    snprintf(path, sizeof path, "%s/helper.journal", f.root);
    assert_int_equal(bx_journal_file_open(path, &jf, &e), BX_OK);
    size_t largest = 0;
    for (unsigned i = 0; i < 40; i++) {
        bx_arena arena = {0};
        bx_journal j = sample, got;
        char counts[16];
        snprintf(counts, sizeof counts, "EVENT%u", i);
        j.counts = counts;
        j.n = i % 13 % 5; /* shorter and longer texts; 0 empties the file */
        assert_int_equal(bx_journal_file_try(&jf), 0);
        assert_int_equal(bx_journal_file_put(&jf, &j), 0);
        int rc = bx_journal_read(path, &arena, &got, NULL);
        assert_int_equal(rc, j.n ? BX_OK : BX_NOT_FOUND);
        if (j.n) {
            assert_string_equal(got.counts, counts);
            assert_int_equal(got.n, j.n);
        }
        off_t size = lseek(jf.fd, 0, SEEK_END);
        largest = (size_t)size > largest ? (size_t)size : largest;
        bx_arena_free(&arena);
    }
    assert_true(largest < 3000); /* at most three times the longest text */
    /* The file is cut, and any bit of the first line is flipped. */
    bx_journal j = sample;
    assert_int_equal(bx_journal_file_put(&jf, &j), 0);
    ssize_t n = pread(jf.fd, bytes, sizeof bytes, 0);
    assert_true(n > BX_JOURNAL_HEAD);
    for (size_t bit = 0; bit < 8 * BX_JOURNAL_HEAD; bit++) {
        bx_arena arena = {0};
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        bx_str text = bx_journal_in_force((bx_str){bytes, (size_t)n});
        assert_int_equal(bx_journal_parse(text, &arena, &j, NULL), BX_BAD_INPUT);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        bx_arena_free(&arena);
    }
    bx_arena arena = {0};
    assert_int_equal(ftruncate(jf.fd, n - 1), 0);
    assert_int_equal(bx_journal_read(path, &arena, &j, NULL), BX_BAD_INPUT);
    assert_int_equal(ftruncate(jf.fd, 0), 0);
    assert_int_equal(pwrite(jf.fd, "x", 1, BX_JOURNAL_HEAD), 1); /* killed in the first text */
    assert_int_equal(bx_journal_read(path, &arena, &j, NULL), BX_NOT_FOUND);
    bx_arena_free(&arena);
    close(jf.fd);
    folder_end(&f);
}

static void of_which_machine(void **state)
{
    (void)state;
    folder f = folder_new();
    char path[BX_MACHINE_PATH], boot[BX_BOOT_ID];
    bx_machine_path(f.root, path);
    bx_journal j = {.machine = path, .boot = "-"};
    assert_true(bx_journal_is_current(&j, f.root)); /* the machine has no boot id */
    folder_text(&f, "/proc/sys/kernel/random/boot_id", "6f3c0c1e-0000-4000-8000-0123456789ab\n");
    assert_false(bx_journal_is_current(&j, f.root));
    bx_boot_id(f.root, boot);
    assert_string_equal(boot, "6f3c0c1e-0000-4000-8000-0123456789ab");
    j.boot = boot;
    assert_true(bx_journal_is_current(&j, f.root));
    assert_false(bx_journal_is_current(&j, ""));
    folder_end(&f);
}

static void owners(void **state)
{
    (void)state;
    bx_owner self = bx_owner_self(), other = self;
    char command[64];
    assert_int_equal(self.pid, getpid());
    assert_true(bx_owner_lives(self));
    other.start_time++; /* another process with the same number */
    assert_false(bx_owner_lives(other));
    bx_owner_command(self.pid, command, sizeof command);
    assert_non_null(strstr(command, "test_journal"));
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_false(bx_owner_lives((bx_owner){child, self.start_time})); /* a zombie */
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* ---- executing a journal ---- */

static struct {
    uint64_t msr[0x200];
    unsigned gone, fails; /* mask of CPUs; number of accesses that still fail */
    unsigned order[16], writes;
} machine;

static int read_msr(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    (void)bus;
    if (machine.gone >> at->cpu & 1)
        return ENXIO;
    *value = machine.msr[at->offset];
    return 0;
}

static int write_msr(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    (void)bus;
    if (machine.gone >> at->cpu & 1)
        return ENXIO;
    if (machine.fails && machine.fails--)
        return EIO;
    if (at->offset != 0x104) /* a register that ignores writes */
        machine.msr[at->offset] = value;
    machine.order[machine.writes++ % 16] = (unsigned)at->offset;
    return 0;
}

#define PUT(where, content, bits)                                                                  \
    {                                                                                              \
        {.space = BX_SPACE_MSR, .width = 64, .cpu = 4, .offset = where}, 7, false, content, bits,  \
            "R"                                                                                    \
    }

static bx_putback done[8];

static size_t put_back(bx_journal_op *list, size_t n, const folder *f)
{
    static const uint16_t logical[] = {4, 5};
    static const bx_cpus cpus = {.packages = 1, .cores = 2, .logical = logical};
    struct bx_bus bus = {.read = read_msr, .write = write_msr};
    const bx_journal j = {.ops = list, .n = n};
    memset(done, 0, sizeof done);
    size_t not_restored;
    assert_true(bx_put_back(&j, &bus, f->root, &cpus, done, &not_restored));
    return not_restored;
}

static void carried_out_in_order(void **state)
{
    (void)state;
    folder f = folder_new();
    bx_journal_op list[] = {PUT(0x100, 0, 0), PUT(0x101, 9, 0xff), PUT(0x100, 3, 0xff)};
    memset(&machine, 0, sizeof machine);
    machine.msr[0x100] = 42;
    machine.fails = 1; /* then all registers are tried again */
    assert_int_equal(put_back(list, 3, &f), 0);
    assert_int_equal(machine.msr[0x100], 3);
    assert_int_equal(machine.msr[0x101], 9);
    assert_int_equal(machine.order[machine.writes - 1], 0x100);
    assert_true(!done[0].last && done[1].last && done[2].last);
    assert_true(done[2].known && done[2].before == 42);
    folder_end(&f);
}

static void what_reads_otherwise_is_left(void **state)
{
    (void)state;
    folder f = folder_new();
    bx_journal_op list[] = {PUT(0x104, 3, 0xff), PUT(0x104, 3, 0), PUT(0x105, 1, 1)};
    memset(&machine, 0, sizeof machine);
    assert_int_equal(put_back(list, 1, &f), 1);
    assert_int_equal(done[0].err, EBADMSG);
    assert_int_equal(put_back(list + 1, 2, &f), 0); /* bits that are not checked */
    folder_end(&f);
}

/* CPU 4 is offline; CPU 5 is also in package 7. */
static void another_cpu_of_the_package(void **state)
{
    (void)state;
    folder f = folder_new();
    bx_journal_op list[] = {PUT(0x100, 3, 0xff)};
    folder_text(&f, "/sys/devices/system/cpu/cpu5/topology/physical_package_id", "7\n");
    memset(&machine, 0, sizeof machine);
    list[0].at.cpu = 9;
    assert_int_equal(put_back(list, 1, &f), 0);
    assert_int_equal(machine.msr[0x100], 3);
    list[0].core = true;
    assert_int_equal(put_back(list, 1, &f), 1);
    assert_int_equal(done[0].err, ENXIO);
    folder_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_there_and_back),
        cmocka_unit_test(widths_of_no_register),
        cmocka_unit_test(nothing_torn_is_taken),
        cmocka_unit_test(a_file_is_whole),
        cmocka_unit_test(nothing_else_is_touched),
        cmocka_unit_test(room_for_a_journal),
        cmocka_unit_test(killed_while_writing),
        cmocka_unit_test(of_whom),
        cmocka_unit_test(a_file_that_stays_open),
        cmocka_unit_test(of_which_machine),
        cmocka_unit_test(owners),
        cmocka_unit_test(carried_out_in_order),
        cmocka_unit_test(what_reads_otherwise_is_left),
        cmocka_unit_test(another_cpu_of_the_package),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
