/* The files of a stage, without FUSE: the tree, and the behaviour of the devices. */
#include "../cmocked.h"

#include "machine/machine.h"
#include "stage/files/device.h"
#include "stage/files/machine_files.h"

#include <errno.h>
#include <string.h>

static bx_machine *opened(const char *spec)
{
    bx_machine *m = NULL;
    bx_error e = {0};
    if (bx_machine_open(bx_catalog_builtin(), spec, &m, &e) != BX_OK)
        fail_msg("%s", e.message);
    return m;
}

/* ---- MSRs, as in Linux's msr driver ---- */

static void whole_msrs_only(void **state)
{
    (void)state;
    bx_machine *m = opened("virtual:skl,part=plain");
    char bytes[24];
    size_t done;
    for (size_t n = 1; n < 24; n++)
        assert_int_equal(bx_device_msr.read(m->bus, 0, 0x700, bytes, n, &done), n % 8 ? EINVAL : 0);
    assert_int_equal(bx_device_msr.write(m->bus, 0, 0x700, bytes, 4, &done), EINVAL);
    bx_machine_close(m);
}

static void the_offset_is_the_number(void **state)
{
    (void)state;
    bx_machine *m = opened("virtual:skl,part=plain");
    const uint64_t control = 0x408834;
    uint64_t value[2] = {0};
    size_t done;
    assert_int_equal(
        bx_device_msr.write(m->bus, 0, 0x700, (const char *)&control, sizeof control, &done), 0);
    assert_int_equal(done, 8);
    /* A longer access repeats the same MSR. */
    assert_int_equal(bx_device_msr.read(m->bus, 0, 0x700, (char *)value, sizeof value, &done), 0);
    assert_int_equal(done, 16);
    assert_int_equal(value[0], control);
    assert_int_equal(value[1], control);
    /* The driver uses 32 bits of the offset. */
    assert_int_equal(bx_device_msr.read(m->bus, 0, UINT64_C(0x100000700), (char *)value, 8, &done),
                     0);
    assert_int_equal(value[0], control);
    bx_machine_close(m);
}

static void faults_are_eio(void **state)
{
    (void)state;
    bx_machine *m = opened("virtual:skl,part=plain");
    const uint64_t reserved = UINT64_C(1) << 63;
    uint64_t value;
    size_t done;
    assert_int_equal(bx_device_msr.read(m->bus, 0, 0x123, (char *)&value, 8, &done), EIO);
    assert_int_equal(bx_device_msr.write(m->bus, 0, 0x700, (const char *)&reserved, 8, &done), EIO);
    bx_machine_close(m);
}

/* ---- configuration space and memory ---- */

static void any_bytes_of_configuration_space(void **state)
{
    (void)state;
    static const char id[] = {(char)0x86, (char)0x80, 0x1f, 0x19};
    bx_machine *m = opened("virtual:skl,part=plain");
    char all[5000];
    size_t done;
    assert_int_equal(bx_device_pci.read(m->bus, 0, 0, all, sizeof all, &done), 0);
    assert_int_equal(done, 4096); /* and no more */
    assert_memory_equal(all, id, sizeof id);
    for (size_t from = 0; from < 80; from++) {
        for (size_t n = 0; n < 16; n++) {
            char part[16];
            assert_int_equal(bx_device_pci.read(m->bus, 0, from, part, n, &done), 0);
            assert_int_equal(done, n);
            assert_memory_equal(part, all + from, n);
        }
    }
    assert_int_equal(bx_device_pci.read(m->bus, 0, 4096, all, 4, &done), 0);
    assert_int_equal(done, 0);
    bx_machine_close(m);
}

/* 334060-001, section 3: DRAM_DATA_READS is at offset 5050H of the base address at 48H. */
static void counters_in_memory(void **state)
{
    (void)state;
    bx_machine *m = opened("virtual:skl,part=plain,bar=0xfed20000");
    bx_error e = {0};
    bool finished = false;
    uint64_t base = 0;
    uint32_t reads = 1, again = 0;
    size_t done;
    assert_int_equal(bx_device_pci.read(m->bus, 0, 0x48, (char *)&base, 8, &done), 0);
    assert_int_equal(base, 0xfed20001);
    base &= ~UINT64_C(0x7fff);
    assert_int_equal(bx_device_memory.read(m->bus, 0, base + 0x5050, (char *)&reads, 4, &done), 0);
    assert_int_equal(reads, 0);
    assert_int_equal(bx_machine_load_workload(m, "stream,size=64K", &e), BX_OK);
    assert_int_equal(bx_machine_run(m, UINT64_MAX, &finished, &e), BX_OK);
    assert_int_equal(bx_device_memory.read(m->bus, 0, base + 0x5050, (char *)&reads, 4, &done), 0);
    assert_int_equal(reads, 3 * 1024); /* three arrays of 64 KiB */
    for (size_t i = 0; i < 4; i++)     /* reading byte by byte returns the same */
        assert_int_equal(
            bx_device_memory.read(m->bus, 0, base + 0x5050 + i, (char *)&again + i, 1, &done), 0);
    assert_int_equal(again, reads);
    /* An address without a register reads as all ones, as on hardware. */
    assert_int_equal(bx_device_memory.read(m->bus, 0, 0x1000, (char *)&reads, 4, &done), 0);
    assert_int_equal(reads, UINT32_MAX);
    bx_machine_close(m);
}

/* ---- the tree ---- */

static const bx_tree_node *at(const bx_tree *t, const char *path)
{
    size_t node = 0;
    for (bx_str rest = bx_str_of(path); rest.p;) {
        ptrdiff_t found = bx_tree_find(t, node, bx_str_cut(&rest, '/'));
        if (found == BX_TREE_NO_NODE)
            return NULL;
        node = (size_t)found;
    }
    return &t->nodes[node];
}

static void has_text(const bx_tree *t, const char *path, const char *text)
{
    const bx_tree_node *node = at(t, path);
    if (!node || node->kind != BX_TREE_TEXT)
        fail_msg("%s is no text", path);
    if (!bx_str_eq(node->text, bx_str_of(text)))
        fail_msg("%s: %.*s", path, (int)node->text.n, node->text.p);
    assert_int_equal(node->size, strlen(text));
}

static void two_packages(void **state)
{
    (void)state;
    bx_machine *m = opened("virtual:ivbep,part=plain,packages=2,cores=10");
    bx_tree t;
    bx_tree_new(&t);
    bx_machine_files_add(&t, m, m->bus);
    assert_false(t.arena.failed);
    has_text(&t, "sys/devices/system/cpu/online", "0-19\n");
    has_text(&t, "sys/devices/system/cpu/offline", "\n");
    has_text(&t, "sys/devices/system/cpu/cpu13/topology/physical_package_id", "1\n");
    has_text(&t, "sys/devices/system/cpu/cpu13/topology/core_id", "3\n");
    has_text(&t, "sys/devices/system/cpu/cpu13/topology/core_siblings_list", "10-19\n");
    has_text(&t, "sys/devices/system/cpu/cpu13/topology/core_siblings", "000ffc00\n");
    has_text(&t, "sys/devices/system/cpu/cpu13/topology/thread_siblings", "00002000\n");
    has_text(&t, "sys/devices/system/node/online", "0-1\n");
    has_text(&t, "sys/devices/system/node/node1/cpulist", "10-19\n");
    has_text(&t, "sys/devices/system/node/node1/distance", "20 10\n");
    assert_int_equal(at(&t, "dev/cpu/19/msr")->kind, BX_TREE_DEVICE);
    assert_int_equal(at(&t, "dev/cpu/19/msr")->number, 19);
    assert_null(at(&t, "dev/cpu/20"));
    /* CPU 13: package 1, core 3; four bits for ten cores. */
    const bx_tree_node *info = at(&t, "proc/cpuinfo");
    assert_non_null(info);
    assert_non_null(strstr(info->text.p, "processor\t: 13\n"));
    assert_non_null(strstr(strstr(info->text.p, "processor\t: 13\n"), "\napicid\t\t: 19\n"));
    assert_non_null(strstr(info->text.p, "\nmodel\t\t: 62\n"));
    bx_tree_free(&t);
    bx_machine_close(m);
}

static void the_host_bridge(void **state)
{
    (void)state;
    bx_machine *m = opened("virtual:skl,part=plain");
    bx_tree t;
    bx_tree_new(&t);
    bx_machine_files_add(&t, m, m->bus);
    has_text(&t, "sys/bus/pci/devices/0000:00:00.0/vendor", "0x8086\n");
    has_text(&t, "sys/bus/pci/devices/0000:00:00.0/device", "0x191f\n");
    assert_int_equal(at(&t, "sys/bus/pci/devices/0000:00:00.0/config")->kind, BX_TREE_DEVICE);
    assert_int_equal(at(&t, "proc/bus/pci/00/00.0")->kind, BX_TREE_DEVICE);
    assert_non_null(strstr(at(&t, "proc/bus/pci/devices")->text.p, "0000\t8086191f\t"));
    bx_tree_free(&t);
    bx_machine_close(m);
}

/* LIKWID's perfmon_ivybridgeEP_counters.h and PCM's types.h: channel 0 of the memory controller is
 * 10.4, 0EB4H. Each package has it on its own bus, whose number is in 05.0 at 108H. */
static void functions_of_each_package(void **state)
{
    (void)state;
    bx_machine *m = opened("virtual:ivbep,part=plain,cores=3");
    bx_tree t;
    bx_tree_new(&t);
    bx_machine_files_add(&t, m, m->bus);
    has_text(&t, "sys/bus/pci/devices/0000:7f:10.4/vendor", "0x8086\n");
    has_text(&t, "sys/bus/pci/devices/0000:7f:10.4/device", "0x0eb4\n");
    has_text(&t, "sys/bus/pci/devices/0000:7f:10.4/class", "0x088000\n");
    has_text(&t, "sys/bus/pci/devices/0000:7f:10.4/numa_node", "1\n");
    has_text(&t, "sys/bus/pci/devices/0000:7f:10.4/local_cpulist", "3-5\n");
    has_text(&t, "sys/bus/pci/devices/0000:7f:10.4/local_cpus", "00000038\n");
    has_text(&t, "sys/bus/pci/devices/0000:3f:13.5/device", "0x0e36\n");
    assert_non_null(strstr(at(&t, "proc/bus/pci/devices")->text.p, "3f84\t80860eb4\t"));
    static const uint32_t buses[] = {0x13f00, 0x17f40};
    static const char *const files[] = {"proc/bus/pci/00/05.0", "proc/bus/pci/40/05.0"};
    for (size_t i = 0; i < 2; i++) {
        uint32_t value = 0;
        size_t done;
        const bx_tree_node *file = at(&t, files[i]);
        assert_non_null(file);
        assert_int_equal(
            file->device->read(file->context, file->number, 0x108, (char *)&value, 4, &done), 0);
        assert_int_equal(value, buses[i]);
    }
    /* ACPI: all bytes of a table add up to 0. Here 16 bytes from 44 on are the range of buses. */
    bx_str table = at(&t, "sys/firmware/acpi/tables/MCFG")->text;
    unsigned char sum = 0;
    for (size_t i = 0; i < table.n; i++)
        sum = (unsigned char)(sum + table.p[i]);
    assert_int_equal(sum, 0);
    assert_int_equal(table.n, 60);
    assert_memory_equal(table.p, "MCFG\x3c\0\0", 7);
    assert_memory_equal(table.p + 52, "\0\0\0\xff", 4);
    bx_tree_free(&t);
    bx_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_msrs_only),    cmocka_unit_test(the_offset_is_the_number),
        cmocka_unit_test(faults_are_eio),     cmocka_unit_test(any_bytes_of_configuration_space),
        cmocka_unit_test(counters_in_memory), cmocka_unit_test(two_packages),
        cmocka_unit_test(the_host_bridge),    cmocka_unit_test(functions_of_each_package),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
