/* A machine in one file: the archive opens as that machine again, and has no data that identifies
 * its owner. */
#include "../cmocked.h"

#include "host/gather/archive.h"
#include "host/folder.h"
#include "host/bus/registers.h"
#include "machine/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static folder client(void)
{
    folder f = folder_new();
    folder_text(&f, "/proc/cpuinfo",
                "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 94\n"
                "stepping\t: 3\n\nprocessor\t: 1\nvendor_id\t: GenuineIntel\n");
    folder_text(&f, "/proc/sys/kernel/osrelease", "6.1.0\n");
    folder_text(&f, "/proc/sys/kernel/hostname", "secret-name\n");
    folder_text(&f, "/proc/version", "Linux version 6.1.0 (secret-user@secret-name)\n");
    folder_text(&f, "/proc/modules",
                "msr 16384 0 - Live 0xffffffffc0secret\nsecret_module 1 0 - Live 0xff\n");
    folder_text(&f, "/sys/devices/system/cpu/online", "0-1\n");
    folder_text(&f, "/sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
    folder_text(&f, "/sys/devices/system/cpu/cpu0/topology/core_id", "0\n");
    folder_text(&f, "/sys/devices/system/cpu/cpu1/topology/physical_package_id", "0\n");
    folder_text(&f, "/sys/devices/system/cpu/cpu1/topology/core_id", "4\n");
    folder_text(&f, "/sys/bus/event_source/devices/uncore_cbox_0/type", "15\n");
    folder_text(&f, "/sys/bus/event_source/devices/uncore_cbox_0/format/umask", "config:8-15\n");
    folder_text(&f, "/sys/bus/event_source/devices/uncore_cbox_0/events/clockticks", "event=0x0\n");
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        folder_msr(&f, cpu, 0x396, 5);
        folder_msr(&f, cpu, 0x700, 0x408834 + cpu);
        folder_msr(&f, cpu, 0x4f, 0x5ec2e7); /* MSR_PPIN: SDM volume 4 */
        folder_msr(&f, cpu, 0xe02, 0);
    }
    return f;
}

static char *gathered(const folder *f)
{
    bx_buf text = {0};
    bx_error e = {0};
    if (bx_archive_gather(bx_catalog_builtin(), f->root, "CPU  one\nkernel  other\n", &text, &e))
        fail_msg("%s", e.message);
    return text.p;
}

static void has(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("no '%s' in:\n%s", part, text ? text : "");
}

static void what_is_in_it(void **state)
{
    (void)state;
    folder f = client();
    char *text = gathered(&f);
    assert_memory_equal(text, "# boxscore machine 1\n# by boxscore " BX_VERSION "\n", 30);
    has(text, "\n# CPU  one\n# kernel  other\n");
    has(text, "\n> /proc/sys/kernel/osrelease\n|6.1.0\n");
    has(text, "\n> /proc/cpuinfo\n|processor\t: 0\n|vendor_id\t: GenuineIntel\n");
    has(text, "\n> /proc/modules\n|msr 0 0 - Live 0x0\n> ");
    has(text, "\n> /sys/devices/system/cpu/cpu1/topology/core_id\n|4\n");
    has(text, "\n> /sys/bus/event_source/devices/uncore_cbox_0/format/umask\n|config:8-15\n");
    has(text, "\n> /dev/cpu/0/msr\n");
    has(text, "\n= 8 0x700 0x408834\n");
    has(text, "\n= 8 0x700 0x408835\n");
    has(text, "\n= 8 0x396 0x5\n");
    assert_null(strstr(text, "secret"));
    assert_null(strstr(text, "processor\t: 1"));
    assert_null(strstr(text, "0x4f "));
    assert_null(strstr(text, "5ec2e7"));
    assert_null(strstr(text, f.root));
    free(text);
    folder_end(&f);
}

static int unpacked(const folder *f, const char *text, char **root, bx_error *e)
{
    char path[96];
    folder_text(f, "/m", text);
    snprintf(path, sizeof path, "%s/m", f->root);
    *e = (bx_error){0};
    int code = bx_archive_unpack(path, root, e);
    assert_int_equal(code, e->code);
    unlink(path);
    return code;
}

/* The archive opens as a machine again, and gathering this machine gives the same text. */
/* Drops the lines of registers that cannot be read, because the reason has changed. */
static char *readable(char *text)
{
    char *to = text;
    for (char *line = text, *end; *line; line = end) {
        end = strchr(line, '\n') + 1;
        char *reason = strstr(line, " cannot be read: ");
        if (reason && reason < end)
            continue;
        memmove(to, line, (size_t)(end - line));
        to += end - line;
    }
    *to = '\0';
    return text;
}

/* The format has MSRs with consecutive numbers, 8 bytes each. */
static void neighbours(void **state)
{
    (void)state;
    static const char text[] = "# boxscore machine 1\n> /dev/cpu/0/msr\n= 8 0x706 0x123456789\n"
                               "= 8 0x707 0xabc\n= 8 0x709 0x1\n";
    folder other = folder_new();
    char *root = NULL;
    bx_error e;
    uint64_t value = 0;
    uint16_t logical = 0;
    assert_int_equal(unpacked(&other, text, &root, &e), BX_OK);
    const bx_cpus cpus = {.packages = 1, .cores = 1, .logical = &logical};
    struct bx_bus *bus = bx_registers_open(root, &cpus);
    assert_non_null(bus);
    assert_int_equal(bus->read(bus, &(bx_address){.width = 64, .offset = 0x706}, &value), 0);
    assert_true(value == UINT64_C(0x123456789));
    assert_int_equal(bus->read(bus, &(bx_address){.width = 64, .offset = 0x707}, &value), 0);
    assert_true(value == 0xabc);
    assert_int_equal(bus->read(bus, &(bx_address){.width = 64, .offset = 0x708}, &value), ENODATA);
    assert_int_equal(bus->write(bus, &(bx_address){.width = 64, .offset = 0x706}, 0), EROFS);
    bus->close(bus);
    bx_archive_remove(root);
    free(root);
    folder_end(&other);
}

static void the_same_machine(void **state)
{
    (void)state;
    folder f = client(), other = folder_new();
    char *text = gathered(&f), *root = NULL;
    bx_error e;
    bx_machine *m = NULL;
    assert_int_equal(unpacked(&other, text, &root, &e), BX_OK);
    const bx_machine_options o = {.size = sizeof o, .root = root, .driver = BX_DRIVER_REGISTERS};
    if (bx_machine_open_with(bx_catalog_builtin(), "host", &o, &m, &e))
        fail_msg("%s", e.message);
    assert_int_equal(bx_machine_packages(m), 1);
    assert_int_equal(bx_machine_cores(m), 2);
    bx_machine_close(m);
    folder again = {""};
    snprintf(again.root, sizeof again.root, "%s", root);
    char *second = gathered(&again);
    assert_string_equal(readable(second), readable(text));
    free(second);
    bx_archive_remove(root);
    assert_int_equal(access(root, F_OK), -1);
    free(root);
    free(text);
    folder_end(&other);
    folder_end(&f);
}

/* A machine without files, and a machine with an unknown CPU: the archive says so. */
static void nothing_there(void **state)
{
    (void)state;
    folder f = folder_new();
    char *text = gathered(&f);
    has(text, "\n# no registers: ");
    free(text);
    folder_end(&f);
}

static void refused(void **state)
{
    (void)state;
    static const char head[] = "# boxscore machine 1\n";
    static const struct {
        const char *text, *message;
    } all[] = {
        {"x\n", "line 2: '> FILE' comes first"},
        {"> /etc/passwd\n", "line 2: this is no file of a machine"},
        {"> /proc/../etc\n", "line 2: this is no file of a machine"},
        {"> /sys//x\n", "line 2: this is no file of a machine"},
        {"> /sys/x/\n", "line 2: this is no file of a machine"},
        {"> /sys/a b\n", "line 2: this is no file of a machine"},
        {"> /sys/x\n> /sys/x\n", "line 3: the file was there before"},
        {"> /sys/x\n> /sys/x/y\n", "cannot be unpacked"},
        {"> /sys/x\n= 3 0x0 0x0\n", "line 3: this is no register"},
        {"> /sys/x\n= 8 0x0\n", "line 3: this is no register"},
        {"> /sys/x\n= 8 0x10000000001 0x0\n", "line 3: this is no register"},
        {"> /sys/x\n?\n", "line 3: a line begins with"},
        {"> /sys/x\n|y", "line 3: the file ends in the middle of a line"},
    };
    folder f = folder_new();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[256], *root = NULL;
        bx_error e;
        snprintf(text, sizeof text, "%s%s", head, all[i].text);
        assert_int_not_equal(unpacked(&f, text, &root, &e), BX_OK);
        assert_null(root);
        if (!strstr(e.message, all[i].message))
            fail_msg("%s: %s", all[i].text, e.message);
    }
    folder_end(&f);
}

/* 64 MiB are read, one byte more is not. */
static void too_large(void **state)
{
    (void)state;
    enum { LARGEST = 64 << 20 };
    folder f = folder_new();
    char path[96], *root = NULL;
    bx_error taken = {0}, refused = {0};
    folder_text(&f, "/m", "# boxscore machine 1\n");
    snprintf(path, sizeof path, "%s/m", f.root);
    assert_int_equal(truncate(path, LARGEST), 0);
    assert_int_equal(bx_archive_unpack(path, &root, &taken), BX_BAD_INPUT);
    assert_non_null(strstr(taken.message, "line 2: "));
    assert_int_equal(truncate(path, LARGEST + 1), 0);
    assert_int_equal(bx_archive_unpack(path, &root, &refused), BX_BAD_INPUT);
    assert_non_null(strstr(refused.message, "the file is too large"));
    assert_null(root);
    folder_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_it),    cmocka_unit_test(neighbours),
        cmocka_unit_test(the_same_machine), cmocka_unit_test(nothing_there),
        cmocka_unit_test(refused),          cmocka_unit_test(too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
