/* Finds the PCI functions that the catalogue describes, and adds the files of each. */
#include "stage/files/pci.h"

#include "base/buf.h"
#include "register/register.h"
#include "stage/files/cpulist.h"
#include "stage/files/device.h"

#include <stdio.h>
#include <string.h>

typedef struct tree_builder {
    bx_tree *tree;
    bx_machine *machine;
    struct bx_bus *bus; /* through which the files access registers */
    bx_buf devices;     /* proc/bus/pci/devices */
} tree_builder;

/* A path within a function's folder. */
typedef struct path {
    char z[96];
} path;

static path file_of(uint64_t function, const char *name)
{
    unsigned bus = (unsigned)(function >> 20), slot = (unsigned)(function >> 12 & 0xff);
    path p;
    snprintf(p.z, sizeof p.z, "sys/bus/pci/devices/0000:%02x:%02x.%x%s%.16s", bus, slot >> 3,
             slot & 7, *name ? "/" : "", name);
    return p;
}

static unsigned read_config(const tree_builder *b, uint64_t function, unsigned reg, unsigned width)
{
    const bx_address at = {
        .space = BX_SPACE_PCI, .width = (uint8_t)width, .offset = function | reg};
    uint64_t value = 0;
    b->machine->bus->read(b->machine->bus, &at, &value);
    return (unsigned)value;
}

/* Adds the function's line to proc/bus/pci/devices: bus and slot, vendor and device, interrupt, six
 * base addresses and the ROM's, and their sizes. */
static void list(tree_builder *b, uint64_t function, unsigned vendor, unsigned device)
{
    bx_buf_f(&b->devices, "%04x\t%04x%04x\t0", (unsigned)(function >> 12), vendor, device);
    for (unsigned i = 0; i < 14; i++)
        bx_buf_f(&b->devices, "\t%16x", 0);
    bx_buf_z(&b->devices, "\t\n");
}

static void add_sys(tree_builder *b, uint64_t function, unsigned vendor, unsigned device)
{
    enum { CLASS = 8, RANGES = 7 };
    bx_buf ranges = {0};
    for (unsigned i = 0; i < RANGES; i++)
        bx_buf_f(&ranges, "0x%016x 0x%016x 0x%016x\n", 0, 0, 0);
    bx_tree_device(b->tree, file_of(function, "config").z, &bx_device_pci, b->bus, function,
                   BX_DEVICE_PCI_SIZE);
    bx_tree_line(b->tree, file_of(function, "vendor").z, "0x%04x", vendor);
    bx_tree_line(b->tree, file_of(function, "device").z, "0x%04x", device);
    bx_tree_line(b->tree, file_of(function, "class").z, "0x%06x",
                 read_config(b, function, CLASS, 32) >> 8);
    bx_tree_line(b->tree, file_of(function, "irq").z, "0");
    bx_tree_text(b->tree, file_of(function, "resource").z,
                 (bx_str){ranges.p ? ranges.p : "", ranges.n});
    b->tree->arena.failed |= ranges.failed;
    bx_buf_free(&ranges);
}

/* The NUMA node and CPUs near the function: those of its package. */
static void add_locality(tree_builder *b, uint64_t function, unsigned package)
{
    unsigned cores = b->machine->topology.cores, first = package * cores;
    bx_tree_line(b->tree, file_of(function, "numa_node").z, "%u", package);
    bx_tree_line(b->tree, file_of(function, "local_cpulist").z, "%s",
                 bx_cpulist_range(first, cores).z);
    bx_tree_line(b->tree, file_of(function, "local_cpus").z, "%s",
                 bx_cpulist_mask(first, cores, b->machine->topology.packages * cores).z);
}

static void add_function(tree_builder *b, uint64_t function, unsigned package)
{
    enum { VENDOR = 0, DEVICE = 2 };
    size_t folder = bx_tree_folder(b->tree, file_of(function, "").z);
    if (bx_tree_find(b->tree, folder, BX_STR("config")) != BX_TREE_NO_NODE)
        return;
    unsigned vendor = read_config(b, function, VENDOR, 16);
    unsigned device = read_config(b, function, DEVICE, 16);
    add_sys(b, function, vendor, device);
    add_locality(b, function, package);
    unsigned bus = (unsigned)(function >> 20), slot = (unsigned)(function >> 12 & 0xff);
    path file;
    snprintf(file.z, sizeof file.z, "proc/bus/pci/%02x/%02x.%x", bus, slot >> 3, slot & 7);
    bx_tree_device(b->tree, file.z, &bx_device_pci, b->bus, function, BX_DEVICE_PCI_SIZE);
    list(b, function, vendor, device);
}

/* Adds the function that has a register of a unit, once for each package with a function of its
 * own. */
static void add_functions(tree_builder *b, unsigned reg, unsigned unit)
{
    const bx_topology *t = &b->machine->topology;
    unsigned packages = bx_cat_regs(t->catalog)[reg].package_stride ? t->packages : 1;
    for (unsigned package = 0; package < packages; package++)
        add_function(b, bx_register_offset_in(t->catalog, package, reg, unit) & ~UINT64_C(0xfff),
                     package);
}

/* Adds the functions that have registers of PMUs. */
static void add_described(tree_builder *b)
{
    const bx_topology *t = &b->machine->topology;
    const bx_cat_cpu *cpu = &bx_cat_cpus(t->catalog)[t->cpu];
    for (unsigned i = 0; i < cpu->pmus.n; i++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(t->catalog)[cpu->pmus.first + i];
        unsigned units = bx_topology_units(t, (uint16_t)(cpu->pmus.first + i));
        for (unsigned j = 0; j < pmu->regs.n; j++) {
            unsigned reg = pmu->regs.first + j;
            bool is_pci = bx_cat_regs(t->catalog)[reg].space == BX_SPACE_PCI;
            for (unsigned unit = 0; is_pci && unit < units; unit++)
                add_functions(b, reg, unit);
        }
    }
}

static void add_passive(tree_builder *b)
{
    const bx_topology *t = &b->machine->topology;
    const bx_cat_cpu *cpu = &bx_cat_cpus(t->catalog)[t->cpu];
    for (unsigned package = 0; package < t->packages; package++)
        for (unsigned i = 0; i < cpu->functions.n; i++) {
            const bx_cat_function *f = &bx_cat_functions(t->catalog)[cpu->functions.first + i];
            if (package == 0 || f->stride)
                add_function(b, f->address + (uint64_t)package * f->stride, package);
        }
}

/* Adds the ACPI table MCFG, with one range: all buses of segment 0 (PCI Firmware Specification 3.0,
 * section 4.1.2). PCM looks for functions on the buses that the table names. */
static void add_table(tree_builder *b)
{
    enum { LENGTH = 4, REVISION = 8, SUM = 9, OEM = 10, BASE = 44, LAST_BUS = 55, SIZE = 60 };
    unsigned char table[SIZE] = "MCFG", sum = 0;
    table[LENGTH] = SIZE;
    table[REVISION] = 1;
    memcpy(table + OEM, "BXSCORVIRTUAL ", 14);
    table[BASE + 3] = 0x80; /* 2 GiB: nothing can be mapped there */
    table[LAST_BUS] = 255;
    for (unsigned i = 0; i < SIZE; i++)
        sum = (unsigned char)(sum + table[i]);
    table[SUM] = (unsigned char)(0x100 - sum);
    bx_tree_text(b->tree, "sys/firmware/acpi/tables/MCFG", (bx_str){(const char *)table, SIZE});
}

void bx_pci_add(bx_tree *t, bx_machine *machine, struct bx_bus *bus)
{
    tree_builder b = {.tree = t, .machine = machine, .bus = bus};
    add_described(&b);
    add_passive(&b);
    add_table(&b);
    bx_tree_folder(t, "sys/bus/pci/devices");
    bx_tree_text(t, "proc/bus/pci/devices", (bx_str){b.devices.p ? b.devices.p : "", b.devices.n});
    t->arena.failed |= b.devices.failed;
    bx_buf_free(&b.devices);
}
