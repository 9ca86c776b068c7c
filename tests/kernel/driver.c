#include "driver.h"

#include "cmocked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Modules lie above the kernel (Documentation/x86/x86_64/mm.rst); the driver is the only one. */
static const uint64_t modules = 0xffffffffa0000000, modules_end = 0xffffffffff000000;

/* ---- finding the instructions ---- */

enum { BEGINNING = 32 }; /* of a function, in bytes: none of them does much before its access */

static void find_site(driver *d, gdbstub *g, uint64_t function, uint8_t opcode)
{
    uint8_t code[BEGINNING];
    driver_site *s = &d->sites[d->n];
    *s = (driver_site){.write = opcode == 0x30};
    gdbstub_read(g, function, code, sizeof code);
    for (size_t i = 0; i + 1 < sizeof code; i++) {
        if (code[i] == 0x0f && code[i + 1] == opcode) {
            s->at = function + i;
            d->n++;
            return;
        }
        s->pushed += (code[i] & 0xf8) == 0x50;
    }
    fail_msg("no MSR instruction in the function at %" PRIx64, function);
}

/* A row of the kernel's table of exceptions: places relative to themselves, and what to do
 * (arch/x86/include/asm/extable.h, extable_fixup_types.h). */
typedef struct row {
    int32_t instruction, fixup, data;
} row;

enum { EX_TYPE_WRMSR = 8, EX_TYPE_RDMSR, EX_TYPE_WRMSR_SAFE, EX_TYPE_RDMSR_SAFE };

static void find_fixup(driver_site *s, uint64_t table, const row *rows, size_t n)
{
    static const enum gdb_register order[] = {GDB_RAX, GDB_RCX, GDB_RDX, GDB_RBX,
                                              GDB_RSP, GDB_RBP, GDB_RSI, GDB_RDI};
    for (size_t i = 0; i < n; i++) {
        uint64_t at = table + i * sizeof *rows;
        if (at + (uint64_t)(int64_t)rows[i].instruction != s->at)
            continue;
        unsigned type = rows[i].data & 0xff, reg = rows[i].data >> 8 & 0xf;
        assert_in_range(type, EX_TYPE_WRMSR, EX_TYPE_RDMSR_SAFE);
        assert_in_range(reg, 0, 7);
        s->fixup = at + 4 + (uint64_t)(int64_t)rows[i].fixup;
        s->error = type >= EX_TYPE_WRMSR_SAFE ? (int)order[reg] : -1;
        return;
    }
    fail_msg("the kernel does not expect a fault at %" PRIx64, s->at);
}

static void find_symbols(driver *d)
{
    driver_symbols *s = &d->symbols;
    const char *found = guest_ask(
        d->guest, "symbols native_read_msr native_write_msr native_read_msr_safe "
                  "native_write_msr_safe __start___ex_table __stop___ex_table pci_conf1_read");
    int n = sscanf(
        found, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64,
        &s->read_msr, &s->write_msr, &s->read_msr_safe, &s->write_msr_safe, &s->table,
        &s->table_end, &s->pci_read);
    if (n != 7 || !s->read_msr || !s->write_msr || !s->read_msr_safe || !s->write_msr_safe ||
        !s->table || s->table_end <= s->table || !s->pci_read)
        fail_msg("the kernel lacks a symbol: %s", found);
}

static void arm(void *context, gdbstub *g)
{
    driver *d = context;
    const driver_symbols *s = &d->symbols;
    find_site(d, g, s->read_msr, 0x32);
    find_site(d, g, s->write_msr, 0x30);
    find_site(d, g, s->read_msr_safe, 0x32);
    find_site(d, g, s->write_msr_safe, 0x30);
    size_t bytes = s->table_end - s->table;
    row *rows = malloc(bytes);
    assert_non_null(rows);
    gdbstub_read(g, s->table, rows, bytes);
    for (size_t i = 0; i < d->n; i++) {
        find_fixup(&d->sites[i], s->table, rows, bytes / sizeof *rows);
        gdbstub_break(g, d->sites[i].at, true);
    }
    free(rows);
}

/* ---- an access ---- */

static bool carry_out(driver *d, bool write, bx_address at, uint64_t *value)
{
    bx_bus *bus = d->machine->bus;
    bool faulted = write ? bus->write(bus, &at, *value) : bus->read(bus, &at, value);
    if (d->done == d->room) {
        d->room = d->room ? 2 * d->room : 256;
        d->accesses = realloc(d->accesses, d->room * sizeof *d->accesses);
        assert_non_null(d->accesses);
    }
    bx_reg_access *a = &d->accesses[d->done++];
    *a = (bx_reg_access){
        .at = at, .write = write, .faulted = faulted, .value = faulted && !write ? 0 : *value};
    d->faults += faulted;
    bx_explain_access(d->explain, a, &d->told);
    return !faulted;
}

static void access_msr(driver *d, const driver_site *s, gdbstub *g, unsigned cpu,
                       const uint64_t r[GDB_REGISTERS])
{
    bx_address at = {
        .space = BX_SPACE_MSR, .width = 64, .cpu = (uint16_t)cpu, .offset = (uint32_t)r[GDB_RCX]};
    uint64_t value = r[GDB_RDX] << 32 | (uint32_t)r[GDB_RAX];
    bool fine = carry_out(d, s->write, at, &value);
    if (!fine && s->error >= 0) {
        gdbstub_set(g, (enum gdb_register)s->error, (uint64_t)-EIO);
    } else if (!s->write) {
        gdbstub_set(g, GDB_RAX, fine ? (uint32_t)value : 0);
        gdbstub_set(g, GDB_RDX, fine ? value >> 32 : 0);
    }
    gdbstub_set(g, GDB_RIP, fine ? s->at + 2 : s->fixup);
}

/* pci_conf1_read(segment, bus, devfn, register, length, value): what the machine has of its host
 * bridge is read there. False: it is qemu's. */
static bool access_pci(driver *d, gdbstub *g, const uint64_t r[GDB_REGISTERS])
{
    uint32_t bus = (uint32_t)r[GDB_RSI], function = (uint32_t)r[GDB_RDX];
    uint32_t offset = (uint32_t)r[GDB_RCX], bytes = (uint32_t)r[GDB_R8];
    if (bus || function || (offset >= 4 && (offset < 0x48 || offset >= 0x50)))
        return false;
    bx_address at = {.space = BX_SPACE_PCI, .width = (uint8_t)(8 * bytes), .offset = offset};
    uint64_t value, back;
    assert_true(carry_out(d, false, at, &value));
    uint32_t low = (uint32_t)value;
    gdbstub_write(g, r[GDB_R9], &low, sizeof low);
    gdbstub_read(g, r[GDB_RSP], &back, sizeof back);
    gdbstub_set(g, GDB_RAX, 0);
    gdbstub_set(g, GDB_RSP, r[GDB_RSP] + 8);
    gdbstub_set(g, GDB_RIP, back);
    return true;
}

static bool is_the_drivers(const driver *d, const driver_site *s, gdbstub *g,
                           const uint64_t r[GDB_REGISTERS])
{
    uint64_t back, msr = (uint32_t)r[GDB_RCX];
    if (msr >= d->from && msr < d->to)
        return true;
    gdbstub_read(g, r[GDB_RSP] + 8 * s->pushed, &back, sizeof back);
    return back >= modules && back < modules_end;
}

static void stopped(void *context, gdbstub *g, unsigned cpu)
{
    driver *d = context;
    uint64_t r[GDB_REGISTERS];
    gdbstub_registers(g, r);
    uint64_t at = r[GDB_RIP];
    for (size_t i = 0; i < d->n; i++)
        if (d->sites[i].at == at && is_the_drivers(d, &d->sites[i], g, r)) {
            access_msr(d, &d->sites[i], g, cpu, r);
            return;
        }
    if (at == d->symbols.pci_read && access_pci(d, g, r))
        return;
    /* The kernel's own: the instruction does what it does in qemu. */
    d->others++;
    gdbstub_break(g, at, false);
    gdbstub_step(g, cpu);
    gdbstub_break(g, at, true);
}

/* ---- what the header promises ---- */

void driver_boot(driver *d, const char *cpu, bx_machine *m, const char *memory)
{
    char more[512] = "";
    *d = (driver){.machine = m};
    d->explain = bx_explain_new(&m->topology, true, NULL);
    assert_non_null(d->explain);
    if (memory)
        snprintf(more, sizeof more,
                 "-object memory-backend-file,id=registers,size=32K,share=on,mem-path='%s' "
                 "-device ivshmem-plain,memdev=registers,addr=2",
                 memory);
    guest_options o = {.cpu = cpu,
                       .packages = m->topology.packages,
                       .cores = m->topology.cores,
                       .more = more,
                       .on_stop = stopped,
                       .context = d};
    d->guest = guest_boot(&o);
    if (!memory)
        return;
    /* The device's memory, of which base address register 2 tells the place, is moved while its
     * decoder is off. */
    static const char config[] = "/sys/bus/pci/devices/0000:00:02.0/config";
    guest_ask(d->guest, "poke %s 0x04 2 0", config);
    guest_ask(d->guest, "poke %s 0x18 4 0xfed10000", config);
    guest_ask(d->guest, "poke %s 0x1c 4 0", config);
    guest_ask(d->guest, "poke %s 0x04 2 2", config);
}

static void arm_pci(void *context, gdbstub *g)
{
    driver *d = context;
    gdbstub_break(g, d->symbols.pci_read, true);
}

static void disarm_pci(void *context, gdbstub *g)
{
    driver *d = context;
    gdbstub_break(g, d->symbols.pci_read, false);
}

void driver_load(driver *d, bool pci)
{
    find_symbols(d);
    guest_pause(d->guest, arm);
    if (pci) {
        /* The kernel has long looked at qemu's host bridge: it looks again. */
        guest_pause(d->guest, arm_pci);
        guest_ask(d->guest, "put /sys/bus/pci/devices/0000:00:00.0/remove 1");
        guest_ask(d->guest, "put /sys/bus/pci/rescan 1");
    }
    guest_ask(d->guest, "insmod /intel-uncore.ko");
    if (pci)
        guest_pause(d->guest, disarm_pci);
}

size_t driver_told(const driver *d, size_t from, const char *word, char *to, size_t room)
{
    size_t lines = 0, used = 0;
    const char *at = d->told.p ? d->told.p + from : "";
    const char *end = d->told.p ? d->told.p + d->told.n : at;
    to[0] = '\0';
    while (at < end) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((feed ? feed : end) - at);
        if (memmem(at, n, word, strlen(word))) {
            lines++;
            if (used + n + 2 < room)
                used += (size_t)snprintf(to + used, room - used, "%.*s\n", (int)n, at);
        }
        at += n + 1;
    }
    return lines;
}

void driver_end(driver *d)
{
    guest_free(d->guest);
    bx_explain_free(d->explain);
    bx_buf_free(&d->told);
    free(d->accesses);
    *d = (driver){0};
}
