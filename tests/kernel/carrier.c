/* Implements carrier.h: puts carrier.S into the guest's kernel, and decodes its messages. */
#include "carrier.h"

#include "../cmocked.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages ---- */

carrier_message carrier_take(const uint8_t message[GUEST_MESSAGE])
{
    carrier_message m = {.apic = message[1], .bytes = message[2]};
    m.pci = message[0] == 'p' || message[0] == 'q';
    m.write = message[0] == 'w' || message[0] == 'q';
    memcpy(&m.where, message + 4, sizeof m.where);
    memcpy(&m.value, message + 8, sizeof m.value);
    return m;
}

void carrier_reply(uint8_t reply[GUEST_REPLY], uint64_t value, enum carrier_result result)
{
    memcpy(reply, &value, sizeof value);
    reply[8] = (uint8_t)result;
}

/* ---- code ---- */

/* tests/kernel/carrier.S */
extern const uint8_t carrier_begin[], carrier_end[], carrier_read_msr[], carrier_write_msr[],
    carrier_read_msr_safe[], carrier_write_msr_safe[], carrier_pci_read[], carrier_pci_write[],
    carrier_own_pci_read[], carrier_own_pci_write[];

/* Addresses of the kernel's functions and tables. */
enum symbol {
    READ_MSR,
    WRITE_MSR,
    READ_MSR_SAFE,
    WRITE_MSR_SAFE,
    TABLE, /* of functions that modules are linked to when they are loaded (paravirt_patch) */
    MSR_DEVICE_READS,
    MSR_DEVICE_WRITES,
    PCI_READ,
    PCI_WRITE,
    PCI_TABLE,
    PLACE, /* a long function that only runs before another kernel starts; our code replaces it */
    SYMBOLS,
};

static const char *const names[SYMBOLS] = {
    "native_read_msr", "native_write_msr",    "native_read_msr_safe", "native_write_msr_safe",
    "pv_ops",          "__rdmsr_safe_on_cpu", "__wrmsr_safe_on_cpu",  "pci_conf1_read",
    "pci_conf1_write", "pci_direct_conf1",    "machine_kexec_prepare"};

typedef struct installing {
    uint64_t symbol[SYMBOLS];
    bool pci;
} installing;

static uint64_t moved(const installing *i, const uint8_t *code)
{
    return i->symbol[PLACE] + (uint64_t)(code - carrier_begin);
}

/* Replaces a word in the first 512 bytes of a table. */
static void replace_word(gdbstub *g, uint64_t table, uint64_t was, uint64_t is)
{
    uint64_t words[64];
    gdbstub_read(g, table, words, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i] == was) {
            gdbstub_write(g, table + i * sizeof is, &is, sizeof is);
            return;
        }
    fail_msg("the table at %" PRIx64 " has no %" PRIx64, table, was);
}

/* Replaces the target of a call in a short function. */
static void replace_call(gdbstub *g, uint64_t function, uint64_t was, uint64_t is)
{
    uint8_t code[96];
    gdbstub_read(g, function, code, sizeof code);
    for (size_t i = 0; i + 5 <= sizeof code; i++) {
        int32_t distance;
        uint64_t next = function + i + 5;
        memcpy(&distance, code + i + 1, sizeof distance);
        if (code[i] != 0xe8 || next + (uint64_t)(int64_t)distance != was)
            continue;
        distance = (int32_t)(is - next);
        gdbstub_write(g, function + i + 1, &distance, sizeof distance);
        return;
    }
    fail_msg("the function at %" PRIx64 " does not call %" PRIx64, function, was);
}

static void install(void *context, gdbstub *g)
{
    const installing *i = context;
    const uint64_t *s = i->symbol;
    gdbstub_write(g, s[PLACE], carrier_begin, (size_t)(carrier_end - carrier_begin));
    gdbstub_write(g, moved(i, carrier_own_pci_read), &s[PCI_READ], sizeof s[PCI_READ]);
    gdbstub_write(g, moved(i, carrier_own_pci_write), &s[PCI_WRITE], sizeof s[PCI_WRITE]);
    replace_word(g, s[TABLE], s[READ_MSR], moved(i, carrier_read_msr));
    replace_word(g, s[TABLE], s[WRITE_MSR], moved(i, carrier_write_msr));
    replace_word(g, s[TABLE], s[READ_MSR_SAFE], moved(i, carrier_read_msr_safe));
    replace_word(g, s[TABLE], s[WRITE_MSR_SAFE], moved(i, carrier_write_msr_safe));
    replace_call(g, s[MSR_DEVICE_READS], s[READ_MSR_SAFE], moved(i, carrier_read_msr_safe));
    replace_call(g, s[MSR_DEVICE_WRITES], s[WRITE_MSR_SAFE], moved(i, carrier_write_msr_safe));
    if (!i->pci)
        return;
    replace_word(g, s[PCI_TABLE], s[PCI_READ], moved(i, carrier_pci_read));
    replace_word(g, s[PCI_TABLE], s[PCI_WRITE], moved(i, carrier_pci_write));
}

void carrier_install(guest *g, bool pci)
{
    installing i = {.pci = pci};
    char question[512] = "symbols";
    for (size_t k = 0; k < SYMBOLS; k++)
        snprintf(question + strlen(question), sizeof question - strlen(question), " %s", names[k]);
    const char *answer = guest_ask(g, "%s", question);
    for (size_t k = 0; k < SYMBOLS; k++) {
        char *end;
        i.symbol[k] = strtoull(answer, &end, 16);
        if (!i.symbol[k])
            fail_msg("the kernel has no %s", names[k]);
        answer = end;
    }
    guest_pause(g, install, &i);
}
