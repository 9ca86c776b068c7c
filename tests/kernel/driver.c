/* Implements driver.h: executes the guest's register accesses on the virtual machine. */
#include "driver.h"

#include "carrier.h"
#include "../cmocked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- an access ---- */

static void remember(driver *d, const bx_reglog_access *a)
{
    if (d->done == d->room) {
        d->room = d->room ? 2 * d->room : 256;
        d->accesses = realloc(d->accesses, d->room * sizeof *d->accesses);
        assert_non_null(d->accesses);
    }
    d->accesses[d->done++] = *a;
    d->faults += a->faulted;
    bx_explain_access(d->explain, a, &d->explained);
}

/* Returns whether the access was executed. Otherwise it faulted, and a read gives 0. */
static bool carry_out(driver *d, bool write, bx_address at, uint64_t *value)
{
    bx_bus *bus = d->machine->bus;
    bool faulted = at.offset == d->broken && d->broken;
    if (!faulted)
        faulted = write ? bus->write(bus, &at, *value) : bus->read(bus, &at, value);
    if (faulted && !write)
        *value = 0;
    bx_reglog_access a = {.at = at, .write = write, .faulted = faulted, .value = *value};
    remember(d, &a);
    return !faulted;
}

static unsigned bits_for(unsigned n)
{
    unsigned bits = 0;
    while (1U << bits < n)
        bits++;
    return bits;
}

/* In an APIC id, the fields for thread and core have as many bits as their numbers need. */
static uint16_t cpu_of(const driver *d, unsigned apic)
{
    unsigned cores = d->machine->topology.cores, bits = bits_for(cores);
    unsigned core = apic >> bits_for(d->threads);
    return (uint16_t)((core >> bits) * cores + (core & ((1U << bits) - 1)));
}

/* Reads of the virtual machine's own host bridge registers go to the machine; everything else is
 * qemu's. */
static bool is_ours(uint32_t where, bool write)
{
    unsigned offset = where & 0xfff;
    return !write && where >> 12 == 0 && (offset < 4 || (offset >= 0x48 && offset < 0x50));
}

static void on_message(void *context, const uint8_t message[GUEST_MESSAGE],
                       uint8_t reply[GUEST_REPLY])
{
    driver *d = context;
    carrier_message m = carrier_take(message);
    bx_address at = {.space = BX_SPACE_MSR, .width = 64, .offset = m.where};
    if (m.pci && !is_ours(m.where, m.write)) {
        carrier_reply(reply, 0, CARRIER_NOT_OURS);
        return;
    }
    if (m.pci)
        at =
            (bx_address){.space = BX_SPACE_PCI, .width = (uint8_t)(8 * m.bytes), .offset = m.where};
    else
        at.cpu = cpu_of(d, m.apic);
    bool fine = carry_out(d, m.write, at, &m.value);
    carrier_reply(reply, m.value, fine ? CARRIER_FINE : CARRIER_FAULTS);
}

/* ---- functions of the header ---- */

/* Moves the device's memory, whose address is in base address register 2, while its decoder is
 * off. */
static void place_memory(driver *d)
{
    static const char config[] = "/sys/bus/pci/devices/0000:00:02.0/config";
    guest_ask(d->guest, "poke %s 0x04 2 0", config);
    guest_ask(d->guest, "poke %s 0x18 4 0xfed10000", config);
    guest_ask(d->guest, "poke %s 0x1c 4 0", config);
    guest_ask(d->guest, "poke %s 0x04 2 2", config);
}

void driver_boot(driver *d, bx_machine *m, const driver_options *o)
{
    char more[512] = "";
    *d = (driver){.machine = m, .threads = o->threads ? o->threads : 1};
    d->explain = bx_explain_new(&m->topology, true, NULL);
    assert_non_null(d->explain);
    if (o->memory)
        snprintf(more, sizeof more,
                 "-object memory-backend-file,id=registers,size=32K,share=on,mem-path='%s' "
                 "-device ivshmem-plain,memdev=registers,addr=2",
                 o->memory);
    guest_options g = {.cpu = o->cpu,
                       .packages = m->topology.packages,
                       .cores = m->topology.cores,
                       .threads = d->threads,
                       .more = more,
                       .kernel = o->kernel,
                       .programs = o->programs,
                       .on_message = on_message,
                       .context = d};
    d->guest = guest_boot(&g);
    if (o->memory)
        place_memory(d);
    carrier_install(d->guest, o->pci);
    if (!o->pci)
        return;
    /* The kernel has already examined qemu's host bridge, so it has to do so again. */
    guest_ask(d->guest, "put /sys/bus/pci/devices/0000:00:00.0/remove 1");
    guest_ask(d->guest, "put /sys/bus/pci/rescan 1");
}

size_t driver_explained(const driver *d, size_t from, const char *word, char *to, size_t room)
{
    size_t lines = 0, used = 0;
    const char *at = d->explained.p ? d->explained.p + from : "";
    const char *end = d->explained.p ? d->explained.p + d->explained.n : at;
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
    bx_buf_free(&d->explained);
    free(d->accesses);
    *d = (driver){0};
}
