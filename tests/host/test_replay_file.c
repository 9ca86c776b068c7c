/* Replays of register logs, and errors for corrupted files and for other measurements. */
#include "../cmocked.h"

#include "host/folder.h"
#include "host/register_log/part.h"
#include "host/register_log/replay.h"
#include "base/buf.h"
#include "catalog/catalog.h"
#include "../dice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void path_in(const folder *f, const char *name, char *path, size_t room)
{
    snprintf(path, room, "%s/%s", f->root, name);
}

static const bx_address msr = {.width = 64, .cpu = 1, .offset = 0x700};
static const bx_address pci = {.space = BX_SPACE_PCI, .width = 32, .offset = 0x48};
static const bx_address mem = {.space = BX_SPACE_MMIO, .width = 32, .offset = 0xfed15050};

static bx_replay *replayed(const char *path, unsigned part)
{
    bx_replay *r = NULL;
    bx_error e = {0};
    if (bx_replay_new(bx_catalog_builtin(), path, part, &r, &e))
        fail_msg("%s", e.message);
    return r;
}

static int replay_error(const char *path, unsigned part, bx_error *e)
{
    bx_replay *r = NULL;
    *e = (bx_error){0};
    int code = bx_replay_new(bx_catalog_builtin(), path, part, &r, e);
    assert_int_equal(code, e->code);
    assert_null(r);
    return code;
}

static const char head[] = "# boxscore recording 1, part 1\n# machine: virtual:skl,cores=2\n";

/* Values, errors, times and the exit status are those recorded. */
static void answers(void **state)
{
    (void)state;
    char path[96];
    folder f = folder_new();
    char text[1024];
    snprintf(text, sizeof text, "%s%s", head,
             "# note: a b\n"
             "cpu1 R 0x700 0x1234 @5\n"
             "pci 00:00.0 W32 0x048 0x7 @10\n"
             "cpu1 W 0x700 0x8 fault @11\n"
             "mem R32 0xfed15050 0x0 errno=33 @12\n"
             "# ran @30 until 28\n"
             "# looked @31\n"
             "# ran to the end @40 status 3\n"
             "# phase: whatever\n"
             "cpu1 R 0x700 0x9 @41\n");
    folder_text(&f, "/r", text);
    path_in(&f, "r", path, sizeof path);
    bx_replay *r = replayed(path, 0);
    struct bx_bus *bus = bx_replay_bus(r);
    uint64_t value = 1;
    bool done = true;
    bx_error e = {0};
    bx_str note = bx_replay_note(r, "note");
    assert_true(bx_str_eq(note, BX_STR("a b")));
    assert_int_equal(bx_replay_note(r, "phase").n, 0); /* not in the header */
    assert_int_equal(bx_replay_topology(r)->cores, 2);
    assert_int_equal(bus->read(bus, &msr, &value), 0);
    assert_int_equal(value, 0x1234);
    assert_int_equal(bx_replay_time(r), 5);
    assert_int_equal(bus->write(bus, &pci, 7), 0);
    assert_int_equal(bus->write(bus, &msr, 8), EIO);
    assert_int_equal(bus->read(bus, &mem, &value), EDOM);
    assert_int_equal(value, 0x1234);
    /* Runs shorter than recorded: time passes, but the run is not done yet. */
    assert_int_equal(bx_replay_run(r, 20, &done, &e), BX_OK);
    assert_false(done);
    assert_int_equal(bx_replay_time(r), 20);
    assert_int_equal(bx_replay_run(r, 28, &done, &e), BX_OK);
    assert_false(done);
    assert_int_equal(bx_replay_time(r), 30);
    bx_replay_read_clock(r);
    assert_int_equal(bx_replay_time(r), 31);
    assert_int_equal(bx_replay_run(r, 39, &done, &e), BX_OK);
    assert_false(done);
    assert_int_equal(bx_replay_run(r, UINT64_MAX, &done, &e), BX_OK);
    assert_true(done);
    assert_int_equal(bx_replay_time(r), 40);
    assert_int_equal(bx_replay_status(r), 3);
    assert_int_equal(bx_replay_end(r, true, &e), BX_BAD_INPUT); /* one access is left */
    assert_non_null(strstr(e.message, "line 12: this was recorded, but the measurement is over"));
    bus->close(bus);
    folder_end(&f);
}

/* The error names the first access that differs, and its line. */
static void differences(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bx_address at;
        bool write;
        uint64_t value;
        const char *message;
    } all[] = {
        {"cpu1 R 0x701 0x0 @1\n",
         {.width = 64, .cpu = 1, .offset = 0x700},
         false,
         0,
         "line 3: asked for 'cpu1 R 0x700', but recorded was 'cpu1 R 0x701'"},
        {"cpu0 R 0x700 0x0 @1\n",
         {.width = 64, .cpu = 1, .offset = 0x700},
         false,
         0,
         "line 3: asked for 'cpu1 R 0x700', but recorded was 'cpu0 R 0x700'"},
        {"cpu1 W 0x700 0x5 @1\n",
         {.width = 64, .cpu = 1, .offset = 0x700},
         false,
         0,
         "line 3: asked for 'cpu1 R 0x700', but recorded was 'cpu1 W 0x700 0x5'"},
        {"cpu1 W 0x700 0x5 @1\n",
         {.width = 64, .cpu = 1, .offset = 0x700},
         true,
         6,
         "line 3: asked for 'cpu1 W 0x700 0x6', but recorded was 'cpu1 W 0x700 0x5'"},
        {"mem R32 0x700 0x5 @1\n",
         {.space = 2, .width = 64, .offset = 0x700},
         false,
         0,
         "line 3: asked for 'mem R64 0x700', but recorded was 'mem R32 0x700'"},
        {"# ran @5\n",
         {.width = 64, .offset = 0x700},
         false,
         0,
         "line 3: asked for 'cpu0 R 0x700', but recorded was that the work goes on"},
        {"",
         {.width = 64, .offset = 0x700},
         false,
         0,
         "line 2: asked for 'cpu0 R 0x700', but recorded was nothing more"},
        {"# boxscore recording 1, part 2\n",
         {.width = 64, .offset = 0x700},
         false,
         0,
         "line 3: asked for 'cpu0 R 0x700', but recorded was nothing more"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char path[96], text[512];
        folder f = folder_new();
        snprintf(text, sizeof text, "%s%s", head, all[i].line);
        folder_text(&f, "/r", text);
        path_in(&f, "r", path, sizeof path);
        bx_replay *r = replayed(path, 0);
        struct bx_bus *bus = bx_replay_bus(r);
        uint64_t value = 77;
        bx_error e = {0};
        bool done;
        assert_int_equal(all[i].write ? bus->write(bus, &all[i].at, all[i].value)
                                      : bus->read(bus, &all[i].at, &value),
                         ECANCELED);
        assert_int_equal(value, 77);
        assert_int_equal(bus->read(bus, &all[i].at, &value), ECANCELED);
        assert_int_equal(bx_replay_run(r, 9, &done, NULL), BX_BAD_INPUT);
        assert_int_equal(bx_replay_end(r, false, &e), BX_BAD_INPUT);
        if (!strstr(e.message, all[i].message) || !*e.hint)
            fail_msg("%s\n%s", e.message, all[i].message);
        bus->close(bus);
        folder_end(&f);
    }
}

static void damaged(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } all[] = {
        {"cpu1 R 0x7z0 0x0 @1\n", "line 3: this is no address"},
        {"cpu1 R 0x700 0x0\n", "line 3: the access has no time, or one before the last"},
        {"cpu1 R 0x700 0x0 @1", "line 3: the file ends in the middle of a line"},
        {"# looked @9\ncpu1 R 0x700 0x0 @8\n", "line 4: the access has no time, or one before"},
        {"# ran @9 until\n", "line 3: the comment is no longer as it was recorded"},
        {"# ran @9 until 1x\n", "line 3: the comment is no longer as it was recorded"},
        {"# ran to the end @9 status 256\n", "line 3: the comment is no longer as it was recorded"},
        {"# ran to the end @9\n", "line 3: the comment is no longer as it was recorded"},
        {"# looked @99999999999999999999\n", "line 3: the comment is no longer as it was recorded"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char path[96], text[512];
        folder f = folder_new();
        snprintf(text, sizeof text, "%s%s", head, all[i].text);
        folder_text(&f, "/r", text);
        path_in(&f, "r", path, sizeof path);
        bx_error e = {0};
        bx_replay *r = NULL;
        if (bx_replay_new(bx_catalog_builtin(), path, 0, &r, &e) == BX_OK) {
            struct bx_bus *bus = bx_replay_bus(r);
            uint64_t value;
            bx_replay_read_clock(r);
            assert_int_equal(bus->read(bus, &msr, &value), ECANCELED);
            bx_replay_end(r, false, &e);
            bus->close(bus);
        }
        if (!strstr(e.message, all[i].message))
            fail_msg("%s\n%s", e.message, all[i].message);
        folder_end(&f);
    }
}

static void no_recordings(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned part;
        int code;
        const char *message;
    } all[] = {
        {"", 0, BX_BAD_INPUT, "is no register log of a measurement"},
        {"\n", 0, BX_BAD_INPUT, "is no register log of a measurement"},
        {"# machine: virtual:skl\ncpu0 R 0x700 0x0 @0\n", 0, BX_BAD_INPUT,
         "is no register log of a measurement"},
        {"# boxscore recording 2, part 1\n", 0, BX_BAD_INPUT, "is no register log"},
        {"# boxscore recording 1, part 1", 0, BX_BAD_INPUT, "line 1: the file ends in the middle"},
        {"# boxscore recording 1, part 1\n", 0, BX_NOT_FOUND, "does not say which CPU model"},
        {"# boxscore recording 1, part 1\n# machine: virtual:nosuch\n", 0, BX_NOT_FOUND,
         "no CPU model or part 'nosuch'"},
        {"# boxscore recording 1, part 1\n# machine: host,cpu=skl,cores=2\n", 0, BX_BAD_INPUT,
         "of no possible machine"},
        {"# boxscore recording 1, part 1\n# machine: host,cores=2,packages=1\n", 0, BX_NOT_FOUND,
         "not in the catalogue"},
        {"# boxscore recording 1, part 1\n# machine: virtual:skl\n", 1, BX_BAD_INPUT,
         "has no run 2"},
    };
    char path[96];
    bx_error e;
    folder f = folder_new();
    path_in(&f, "r", path, sizeof path);
    assert_int_equal(replay_error(path, 0, &e), BX_SYSTEM);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        unlink(path);
        folder_text(&f, "/r", all[i].text);
        if (replay_error(path, all[i].part, &e) != all[i].code ||
            !strstr(e.message, all[i].message))
            fail_msg("%zu: %d %s", i, e.code, e.message);
        assert_true(e.at == 0 && e.len == 0); /* of which text? */
    }
    folder_end(&f);
}

/* Parts of all lengths, so that first lines are at all offsets of a block. Each part is found, with
 * the number of lines before it. Missing parts are not found. */
static void every_part(void **state)
{
    (void)state;
    enum { PARTS = 700 };
    static unsigned long lines[PARTS];
    char path[96], expected[32];
    bx_error e;
    bx_buf text = {0};
    folder f = folder_new();
    unsigned long n = 0;
    for (unsigned part = 0; part < PARTS; part++) {
        unsigned accesses = part == 350 ? 9000 : part * 7919 % 61;
        bx_buf_f(&text, "# boxscore recording 1, part %u\n# machine: virtual:skl,cores=2\n",
                 part + 1);
        for (unsigned i = 0; i < accesses; i++)
            bx_buf_f(&text, "cpu1 R 0x700 0x%x @%u\n", part, i);
        bx_buf_z(&text, "cpu1 R 0x7z0 0x0 @99999\n");
        lines[part] = n += accesses + 3;
    }
    assert_false(text.failed);
    folder_put(&f, "/r", 0, text.p, text.n);
    path_in(&f, "r", path, sizeof path);
    for (unsigned part = 0; part < PARTS; part++) {
        uint64_t value;
        unsigned accesses = part == 350 ? 9000 : part * 7919 % 61;
        if (accesses) {
            bx_replay *r = replayed(path, part);
            struct bx_bus *bus = bx_replay_bus(r);
            for (unsigned i = 0; i < accesses; i++) {
                assert_int_equal(bus->read(bus, &msr, &value), 0);
                assert_int_equal(value, part);
            }
            assert_int_equal(bus->read(bus, &msr, &value), ECANCELED);
            e = (bx_error){0};
            bx_replay_end(r, false, &e);
            bus->close(bus);
        } else {
            assert_int_equal(replay_error(path, part, &e), BX_BAD_INPUT);
        }
        snprintf(expected, sizeof expected, "line %lu: this is no address", lines[part]);
        if (!strstr(e.message, expected))
            fail_msg("%s: %s", e.message, expected);
    }
    assert_int_equal(replay_error(path, PARTS, &e), BX_BAD_INPUT);
    assert_non_null(strstr(e.message, "has no run 701"));
    bx_buf_free(&text);
    folder_end(&f);
}

/* Numbers ascend with gaps, and some lines only look like first lines. Binary search finds the same
 * parts as reading line by line. */
static void parts_by_halving(void **state)
{
    (void)state;
    uint64_t dice = 7;
    for (unsigned round = 0; round < 40; round++) {
        enum { MOST = 400 };
        uint64_t begins[MOST] = {0}; /* of [number] */
        bx_buf text = {0};
        folder f = folder_new();
        char path[96];
        unsigned number = 1;
        bx_buf_z(&text, BX_PART_LINE "1\n");
        while (number < MOST - 4 && text.n < 200000) {
            for (unsigned lines = dice_below(&dice, round % 8 ? 40 : 2000); lines > 0; lines--)
                bx_buf_f(&text, "cpu0 R 0x700 0x%x @0\n", dice_below(&dice, 1u << 31));
            if (dice_below(&dice, 4) == 0)
                bx_buf_z(&text, dice_below(&dice, 2) ? BX_PART_LINE "\n" : BX_PART_LINE "x7\n");
            if (dice_below(&dice, 4) == 0)
                bx_buf_f(&text, " " BX_PART_LINE "%u\n", number + 7);
            number += 1 + dice_below(&dice, 3);
            begins[number] = text.n;
            bx_buf_f(&text, BX_PART_LINE "%u%s", number, dice_below(&dice, 9) ? "\n" : "");
            if (text.p[text.n - 1] != '\n')
                break; /* the file ends there */
        }
        folder_put(&f, "/r", 0, text.p, text.n);
        path_in(&f, "r", path, sizeof path);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        for (unsigned i = 2; i < MOST; i++)
            assert_int_equal(bx_part_find(fd, i), begins[i]);
        close(fd);
        bx_buf_free(&text);
        folder_end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers),    cmocka_unit_test(differences),
        cmocka_unit_test(damaged),    cmocka_unit_test(no_recordings),
        cmocka_unit_test(every_part), cmocka_unit_test(parts_by_halving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
