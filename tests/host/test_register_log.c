/* The file of a register log: its lines, and the moment at which it gets its name. */
#include "../cmocked.h"

#include "host/folder.h"
#include "host/register_log/logger.h"
#include "host/register_log/replay.h"
#include "catalog/catalog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a bus with scripted answers ---- */

typedef struct scripted {
    struct bx_bus bus;
    int err; /* of the next accesses */
    uint64_t value;
    unsigned closed;
} scripted;

static int scripted_read(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    const scripted *t = (const scripted *)(const void *)bus;
    (void)at;
    if (!t->err)
        *value = t->value;
    return t->err;
}

static int scripted_write(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    (void)at;
    (void)value;
    return ((const scripted *)(const void *)bus)->err;
}

static void scripted_close(struct bx_bus *bus)
{
    ((scripted *)(void *)bus)->closed++;
}

static const scripted script = {.bus = {scripted_read, scripted_write, scripted_close, NULL}};

static uint64_t clock_at;

static uint64_t tick(const void *of)
{
    (void)of;
    return clock_at;
}

static bx_topology machine(void)
{
    bx_topology t;
    assert_int_equal(
        bx_topology_parse(bx_catalog_builtin(), BX_STR("virtual:skl,part=plain,cores=2"), &t, NULL),
        BX_OK);
    return t;
}

static int begin(const char *path, unsigned part, scripted *t, bx_register_logger **r, bx_error *e)
{
    const bx_topology topology = machine();
    const bx_register_logger_options o = {.path = path,
                                          .part = part,
                                          .topology = &topology,
                                          .notes = "events: A,B\nruns: 1\n",
                                          .clock = tick};
    return bx_register_logger_new(&o, &t->bus, r, e);
}

static bx_register_logger *begun(const char *path, unsigned part, scripted *t)
{
    bx_register_logger *r = NULL;
    bx_error e = {0};
    if (begin(path, part, t, &r, &e))
        fail_msg("%s", e.message);
    return r;
}

static void path_in(const folder *f, const char *name, char *path, size_t room)
{
    snprintf(path, room, "%s/%s", f->root, name);
}

static char *contents(const char *path)
{
    static char text[16384];
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[n] = '\0';
    return text;
}

static const bx_address msr = {.width = 64, .cpu = 1, .offset = 0x700};
static const bx_address pci = {.space = BX_SPACE_PCI, .width = 32, .offset = 0x48};
static const bx_address mem = {.space = BX_SPACE_MMIO, .width = 32, .offset = 0xfed15050};

static void lines(void **state)
{
    (void)state;
    char path[96];
    uint64_t value;
    scripted t = script;
    folder f = folder_new();
    bx_error e = {0};
    path_in(&f, "r", path, sizeof path);
    clock_at = 1000000;
    bx_register_logger *r = begun(path, 0, &t);
    struct bx_bus *bus = bx_register_logger_bus(r);
    bx_register_logger_note(r, "phase: one");
    clock_at += 5;
    t.value = 0x1234;
    assert_int_equal(bus->read(bus, &msr, &value), 0);
    assert_int_equal(value, 0x1234);
    clock_at += 5;
    assert_int_equal(bus->write(bus, &pci, 7), 0);
    t.err = EIO;
    assert_int_equal(bus->write(bus, &msr, 8), EIO);
    t.err = EACCES;
    value = 42;
    assert_int_equal(bus->read(bus, &mem, &value), EACCES);
    assert_int_equal(value, 42);
    t.err = EDOM;
    assert_int_equal(bus->read(bus, &mem, &value), EDOM);
    clock_at += 10;
    assert_int_equal(bx_register_logger_ran(r, 1000015, false, 0, &e),
                     BX_OK); /* followed by another */
    clock_at += 10;
    assert_int_equal(bx_register_logger_ran(r, 1000028, false, 0, &e), BX_OK);
    bx_register_logger_read_clock(r);
    clock_at += 1;
    assert_int_equal(bx_register_logger_ran(r, 1000040, true, 3, &e), BX_OK);
    assert_int_equal(bx_register_logger_time(r), 1000031);
    bx_register_logger_note(r, "phase: two");
    assert_int_equal(bx_register_logger_end(r, &e), BX_OK);
    const char *text = contents(path);
    const char *body = strstr(text, "# events: A,B\n# runs: 1\n");
    assert_non_null(body);
    assert_string_equal(body, "# events: A,B\n# runs: 1\n"
                              "# phase: one\n"
                              "cpu1 R 0x700 0x1234 @5\n"
                              "pci 00:00.0 W32 0x048 0x7 @10\n"
                              "cpu1 W 0x700 0x8 fault @10\n"
                              "mem R32 0xfed15050 0x0 EACCES @10\n"
                              "mem R32 0xfed15050 0x0 errno=33 @10\n"
                              "# ran @30 until 28\n"
                              "# looked @30\n"
                              "# ran to the end @31 until 40 status 3\n"
                              "# phase: two\n");
    assert_memory_equal(text, "# boxscore recording 1, part 1\n", 31);
    assert_non_null(strstr(text, "\n# machine: virtual:skl,part=plain,cores=2\n"));
    bus->close(bus);
    assert_int_equal(t.closed, 1);
    folder_end(&f);
}

static bx_replay *replayed(const char *path, unsigned part)
{
    bx_replay *r = NULL;
    bx_error e = {0};
    if (bx_replay_new(bx_catalog_builtin(), path, part, &r, &e))
        fail_msg("%s", e.message);
    return r;
}

/* A host is read again: CPU, packages, cores and numbers of units. */
static void hosts(void **state)
{
    (void)state;
    char path[96];
    scripted t = script;
    folder f = folder_new();
    bx_topology topology;
    path_in(&f, "r", path, sizeof path);
    bx_topology_real(bx_catalog_builtin(), machine().cpu, 1, 7, &topology);
    topology.units[1] = 3;
    const bx_register_logger_options o = {.path = path, .topology = &topology, .clock = tick};
    bx_register_logger *r;
    assert_int_equal(bx_register_logger_new(&o, &t.bus, &r, NULL), BX_OK);
    bx_register_logger_bus(r)->close(bx_register_logger_bus(r));
    bx_replay *again = replayed(path, 0);
    const bx_topology *found = bx_replay_topology(again);
    assert_true(found->is_this_machine);
    assert_int_equal(found->cpu, topology.cpu);
    assert_int_equal(found->packages, 1);
    assert_int_equal(found->cores, 7);
    assert_memory_equal(found->units, topology.units, sizeof topology.units);
    assert_memory_equal(found->shape, topology.shape, sizeof topology.shape);
    bx_replay_bus(again)->close(bx_replay_bus(again));
    folder_end(&f);
}

/* The older file stays until the new one is complete; further runs are appended. */
static void takes_its_place(void **state)
{
    (void)state;
    char path[96], part[104];
    uint64_t value;
    scripted t = script;
    folder f = folder_new();
    path_in(&f, "r", path, sizeof path);
    snprintf(part, sizeof part, "%s.part", path);
    folder_text(&f, "/r", "older");
    folder_text(&f, "/r.part",
                "what a run that was killed has left, and is longer than a head of a "
                "register log, which takes several lines: it is of no use to anybody");
    bx_register_logger *r = begun(path, 0, &t);
    struct bx_bus *bus = bx_register_logger_bus(r);
    assert_string_equal(contents(path), "older");
    assert_int_equal(bus->read(bus, &msr, &value), 0);
    bx_register_logger_note(r, "phase: done");
    assert_non_null(strstr(contents(part), "# runs: 1\ncpu1 R 0x700 0x0 @"));
    assert_null(strstr(contents(part), "killed"));
    /* Two loggers cannot write one file at the same time. */
    bx_register_logger *second = NULL;
    bx_error e = {0};
    scripted other = script;
    assert_int_equal(begin(path, 0, &other, &second, &e), BX_SYSTEM);
    assert_non_null(strstr(e.message, "busy"));
    assert_int_equal(other.closed, 0);
    assert_int_equal(bx_register_logger_end(r, &e), BX_OK);
    assert_int_equal(access(part, F_OK), -1);
    assert_int_equal(bus->read(bus, &msr, &value), 0); /* no longer recorded */
    bus->close(bus);
    r = begun(path, 1, &t);
    bx_register_logger_bus(r)->close(bx_register_logger_bus(r));
    const char *text = contents(path);
    assert_memory_equal(text, "# boxscore recording 1, part 1\n", 31);
    assert_non_null(strstr(text, "\n# boxscore recording 1, part 2\n"));
    bx_replay *again = replayed(path, 1);
    assert_int_equal(bx_replay_end(again, true, NULL), BX_OK);
    bx_replay_bus(again)->close(bx_replay_bus(again));
    folder_end(&f);
}

/* Somebody has put another file at the temporary file's name. It is neither followed nor
 * written. */
static void a_planted_name(void **state)
{
    (void)state;
    char path[96], part[104], other[104];
    folder f = folder_new();
    path_in(&f, "r", path, sizeof path);
    path_in(&f, "r.part", part, sizeof part);
    path_in(&f, "other", other, sizeof other);
    folder_text(&f, "/other", "somebody's");
    for (unsigned i = 0; i < 5; i++) {
        scripted t = script;
        bx_register_logger *r = NULL;
        bx_error e = {0};
        int planted = i == 0   ? symlink("other", part)
                      : i == 1 ? symlink("none", part)
                      : i == 2 ? link(other, part)
                      : i == 3 ? mkfifo(part, 0644)
                               : 0;
        assert_int_equal(planted, 0);
        if (i == 4) {
            if (getuid() != 0)
                break;
            folder_text(&f, "/r.part", "somebody's");
            assert_int_equal(chown(part, 65534, 65534), 0);
        }
        assert_int_equal(begin(path, 0, &t, &r, &e), BX_SYSTEM);
        assert_non_null(strstr(e.message, "/r.part' is not a regular file of ours"));
        assert_string_equal(e.hint, "remove that, or record to another file");
        assert_string_equal(contents(other), "somebody's");
        assert_int_equal(access(path, F_OK), -1);
        assert_int_equal(unlink(part), 0); /* it is still there */
        path_in(&f, "none", other, sizeof other);
        assert_int_equal(access(other, F_OK), -1);
        path_in(&f, "other", other, sizeof other);
    }
    folder_end(&f);
}

static void cannot_be_written(void **state)
{
    (void)state;
    scripted t = script;
    bx_register_logger *r = NULL;
    bx_error e = {0};
    assert_int_equal(begin("/dev/full", 0, &t, &r, &e), BX_SYSTEM);
    assert_string_equal(e.message,
                        "the register log '/dev/full' cannot be written: No space left on device");
    e = (bx_error){0};
    assert_int_equal(begin("/no/such/folder/r", 0, &t, &r, &e), BX_SYSTEM);
    assert_null(r);
    assert_int_equal(t.closed, 0);
    assert_int_equal(begin("/dev/null", 0, &t, &r, &e), BX_OK);
    assert_int_equal(bx_register_logger_end(r, NULL), BX_OK);
    bx_register_logger_bus(r)->close(bx_register_logger_bus(r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),

        cmocka_unit_test(hosts),          cmocka_unit_test(takes_its_place),
        cmocka_unit_test(a_planted_name), cmocka_unit_test(cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
