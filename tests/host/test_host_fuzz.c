/* Machines with corrupted files: no access out of bounds, a consistent result or an error with a
 * message, and no file left open. */
#include "../cmocked.h"

#include "host/host.h"
#include "host/pmus.h"
#include "host/bus/registers.h"
#include "../dice.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The corrupted files; each has its own parser. */
static const struct {
    const char *file, *text;
} files[] = {
    {"/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 62\n"
                      "model name\t: Xeon\nstepping\t: 4\nflags\t\t: fpu hypervisor\n\n"
                      "processor\t: 1\nvendor_id\t: GenuineIntel\n"},
    {"/sys/devices/system/cpu/online", "0-1,12-13\n"},
    {"/sys/devices/system/cpu/present", "0-23\n"},
    {"/sys/devices/system/cpu/cpu1/topology/physical_package_id", "1\n"},
    {"/sys/devices/system/cpu/cpu1/topology/core_id", "1\n"},
    {"/sys/devices/system/cpu/cpu12/topology/physical_package_id", "0\n"},
    {"/sys/bus/event_source/devices/uncore_cbox_1/type", "21\n"},
    {"/sys/bus/event_source/devices/uncore_cbox_1/cpumask", "0,12\n"},
    {"/sys/bus/event_source/devices/uncore_cbox_1/format/umask", "config:8-15\n"},
    {"/sys/bus/event_source/devices/uncore_cbox_1/format/filter_opc", "config1:23-31,60-63\n"},
    {"/sys/bus/event_source/devices/uncore_cbox_1/events/llc", "event=0x34,umask=0x3,core=?\n"},
    {"/sys/bus/event_source/devices/uncore_cbox_1/events/llc.scale", "6.103515625e-5\n"},
    {"/sys/bus/event_source/devices/uncore_cbox_1/events/llc.unit", "MiB\n"},
    {"/sys/bus/event_source/devices/uncore_cbox_1/caps/max_precise", "3\n"},
    {"/sys/bus/pci/devices/0000:00:1f.0/resource",
     "0x00000000fed10000 0x00000000fed10fff 0x0000000000040200\n"},
    {"/proc/sys/kernel/perf_event_paranoid", "2\n"},
    {"/sys/kernel/security/lockdown", "[none] integrity confidentiality\n"},
};
enum { FILES = sizeof files / sizeof *files, ROOM = 4096 };

static folder machine(void)
{
    const uint64_t word = 1;
    folder f = folder_new();
    for (size_t i = 0; i < FILES; i++)
        folder_text(&f, files[i].file, files[i].text);
    pmus_server_cbox(&f, 0, 20);
    folder_msr(&f, 0, 0xd1f + 3 * 0x20, 0);
    folder_msr(&f, 1, 0xd1f + 3 * 0x20, 0);
    folder_put(&f, "/sys/bus/pci/devices/0000:00:1f.0/resource0", 0, &word, sizeof word);
    return f;
}

/* Numbers that may overflow a parser. */
static const char *const words[] = {
    "18446744073709551615",
    "99999999999999999999",
    "-1",
    "0x",
    "4294967296",
    "65535",
    "0-65534",
    "65534-0",
    "config2:0-63",
    ",",
    "-",
    "\n",
    "\n\n\n",
    "=?",
    "1e400",
    "1e-300",
    "%s",
    "",
};

static size_t spoil(uint64_t *dice, const char *text, char *to)
{
    size_t n = strlen(text);
    memcpy(to, text, n);
    for (unsigned k = 1 + dice_below(dice, 3); k > 0; k--) {
        size_t at = dice_below(dice, (unsigned)n + 1), left = n - at;
        const char *word = words[dice_below(dice, sizeof words / sizeof *words)];
        size_t length = strlen(word), cut = dice_below(dice, 5);
        switch (dice_below(dice, 5)) {
        case 0: /* another byte */
            to[at < n ? at : 0] = (char)dice_next(dice);
            break;
        case 1: /* the file ends here */
            n = at;
            break;
        case 2: /* bytes are missing */
            cut = cut < left ? cut : left;
            memmove(to + at, to + at + cut, left - cut);
            n -= cut;
            break;
        case 3: /* bytes are repeated */
            if (2 * n < ROOM) {
                memcpy(to + n, to, n);
                n *= 2;
            }
            break;
        default: /* bytes are inserted */
            if (n + length < ROOM) {
                memmove(to + at + length, to + at, left);
                memcpy(to + at, word, length);
                n += length;
            }
            break;
        }
    }
    return n;
}

static void put(const folder *f, const char *file, const char *bytes, size_t n)
{
    char path[192];
    snprintf(path, sizeof path, "%s%s", f->root, file);
    assert_int_equal(truncate(path, 0), 0);
    folder_put(f, file, 0, bytes, n);
}

/* ---- invariants ---- */

static void check_cpus(const bx_cpus *cpus)
{
    unsigned all = bx_cpus_all(cpus), cores = cpus->packages * cpus->cores;
    assert_true(cpus->packages > 0 && cpus->cores > 0 && all <= BX_NO_CPU);
    assert_true(cpus->fitted >= cpus->cores);
    for (unsigned i = 0; i < all; i++) {
        assert_true(bx_cpus_package(cpus, i) < cpus->packages);
        assert_true(i < cores || cpus->logical[i] != BX_NO_CPU);
    }
    for (unsigned package = 0; package < cpus->packages; package++)
        assert_int_not_equal(cpus->logical[package * cpus->cores], BX_NO_CPU);
}

static void parse_events(bx_perf *p)
{
    static const char *const events[] = {"uncore_cbox_1/llc,core=1/", "uncore_cbox_1/umask=3/",
                                         "uncore_cbox/event=1,filter_opc=0x1fff/", "r1a8"};
    for (size_t i = 0; i < p->n; i++)
        assert_true(bx_perf_describe(p, &p->pmus[i]));
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        bx_perf_event event;
        bx_error e = {0};
        bool known;
        int code = bx_perf_parse(p, bx_str_of(events[i]), &event, &known, &e);
        assert_int_equal(code, e.code);
        assert_true(code == BX_OK ? event.n > 0 : e.message[0]);
        assert_true(code != BX_OK || (event.scale == event.scale && event.name && event.unit));
    }
}

static void read_some(const bx_host *h)
{
    const bx_address at[] = {
        {.width = 64, .offset = 0xd16},
        {.width = 64, .cpu = 1, .offset = 0xd16},
        {.width = 64, .cpu = 0xfffe, .offset = 0xd16},
        {.space = BX_SPACE_MMIO, .width = 64, .offset = 0xfed10000},
        {.space = BX_SPACE_MMIO, .width = 64, .offset = 0xfed11ff8},
    };
    uint64_t value;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        assert_in_range(h->bus->read(h->bus, &at[i], &value), 0, 200);
}

static bool open_it(const folder *f, unsigned driver)
{
    const bx_machine_options o = {
        .size = sizeof o, .root = f->root, .driver = driver, .helper = ""};
    bx_host h;
    bx_error e = {0};
    int code = bx_host_open(bx_catalog_builtin(), &o, &h, &e);
    if (code != BX_OK) {
        assert_int_equal(code, BX_NO_ACCESS);
        assert_int_equal(code, e.code);
        assert_true(e.message[0]);
        return false;
    }
    check_cpus(h.cpus);
    parse_events(&h.perf);
    if (h.bus)
        read_some(&h);
    if (h.bus)
        h.bus->close(h.bus);
    bx_host_close(&h);
    return true;
}

static unsigned descriptors(void)
{
    unsigned n = 0;
    DIR *open_ones = opendir("/proc/self/fd");
    assert_non_null(open_ones);
    while (readdir(open_ones))
        n++;
    closedir(open_ones);
    return n;
}

static void corrupted_files(void **state)
{
    (void)state;
    uint64_t dice = 20;
    unsigned opened = 0, rounds = getenv("BX_LONG") ? 20000 : 150;
    unsigned before = descriptors();
    folder f = machine();
    assert_true(open_it(&f, BX_DRIVER_REGISTERS));
    assert_true(open_it(&f, BX_DRIVER_PERF));
    for (unsigned round = 0; round < rounds; round++) {
        char text[ROOM];
        size_t i = round % FILES, n = spoil(&dice, files[i].text, text);
        put(&f, files[i].file, text, n);
        opened += open_it(&f, round & 1 ? BX_DRIVER_AUTO : BX_DRIVER_REGISTERS);
        put(&f, files[i].file, files[i].text, strlen(files[i].text));
    }
    assert_in_range(opened, rounds / 2, rounds - 1); /* some machines opened, and some did not */
    assert_int_equal(descriptors(), before);
    print_message("%u corrupted files tried\n", rounds);
    folder_end(&f);
}

/* Folders, dangling and circular links, or sockets instead of files. */
static void files_that_are_none(void **state)
{
    (void)state;
    folder f = machine();
    for (size_t i = 0; i < FILES; i++) {
        for (unsigned kind = 0; kind < 4; kind++) {
            char path[192];
            snprintf(path, sizeof path, "%s%s", f.root, files[i].file);
            assert_int_equal(remove(path), 0);
            if (kind == 0)
                assert_int_equal(mkdir(path, 0700), 0);
            else if (kind == 1)
                assert_int_equal(symlink(path, path), 0);
            else if (kind == 2)
                assert_int_equal(symlink("/no/such/file", path), 0);
            else
                assert_int_equal(mknod(path, S_IFSOCK | 0600, 0), 0);
            open_it(&f, BX_DRIVER_AUTO);
            assert_int_equal(remove(path), 0);
            folder_text(&f, files[i].file, files[i].text);
        }
    }
    folder_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corrupted_files),
        cmocka_unit_test(files_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
