/* Register values to events. An input is a CPU's name and addresses with values: "skl
 * 0x700=0x408f34 pci:0x48=1". Each decoded event is in the catalogue. If all registers that it
 * needs were read, its string means the same registers, and decoding these gives the same
 * string. */
#include "event/event.h"
#include "fuzz/fuzz.h"
#include "register/register.h"
#include "event/decode/decode.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 24, TEXT = 512 };

static bool has_prefix(bx_str *s, const char *prefix)
{
    bx_str p = bx_str_of(prefix);
    if (!bx_str_starts_fold(*s, p))
        return false;
    *s = bx_str_sub(*s, p.n, s->n);
    return true;
}

static bool read_word(bx_str word, bx_raw *raw)
{
    bx_str value = word, address = bx_str_cut(&value, '=');
    raw->space = has_prefix(&address, "pci:")    ? BX_SPACE_PCI
                 : has_prefix(&address, "mmio:") ? BX_SPACE_MMIO
                                                 : BX_SPACE_MSR;
    return value.p && bx_str_u64(address, &raw->address) && bx_str_u64(value, &raw->value);
}

static void canonical(const bx_catalog *c, const bx_evsel *event, char to[TEXT])
{
    FUZZ_MUST(bx_event_format(c, event, to, TEXT) < TEXT);
}

/* Registers of cores have equal addresses, so any core will do. */
static unsigned unit_of(const bx_evsel *event)
{
    return event->unit == BX_ANY ? 0 : (unsigned)event->unit;
}

static void check_registers(const bx_catalog *c, int cpu, const bx_evsel *event, const char *string)
{
    bx_regvalue regs[1 + BX_EXTRAS];
    bx_raw raw[1 + BX_EXTRAS];
    bx_decoded decoded;
    char again[TEXT];
    size_t found = 0, n = bx_event_registers(c, event, (unsigned)event->counter, regs);
    FUZZ_MUST(n);
    for (size_t i = 0; i < n; i++)
        raw[i] = bx_register_raw(c, regs[i].reg, unit_of(event), regs[i].value);
    FUZZ_MUST(bx_decode(c, cpu, raw, n, &decoded, 1, &found, NULL) == BX_OK);
    FUZZ_MUST(found == 1);
    canonical(c, &decoded.event, again);
    FUZZ_MUST(strcmp(string, again) == 0);
}

/* Uses the counter of the first event. */
static void check_same(const bx_catalog *c, const bx_evsel *a, const bx_evsel *b)
{
    bx_regvalue first[1 + BX_EXTRAS], second[1 + BX_EXTRAS];
    size_t n = bx_event_registers(c, a, (unsigned)a->counter, first);
    FUZZ_MUST(bx_event_registers(c, b, (unsigned)a->counter, second) == n);
    for (size_t i = 0; i < n; i++)
        FUZZ_MUST(first[i].reg == second[i].reg && first[i].value == second[i].value &&
                  first[i].mask == second[i].mask);
}

static void check_event(const bx_catalog *c, int cpu, const bx_decoded *d)
{
    char string[TEXT], again[TEXT];
    bx_evsel event;
    FUZZ_MUST(bx_event_is_valid(c, &d->event));
    bool of_core = bx_cat_pmus(c)[d->event.pmu].scope == BX_SCOPE_CORE;
    FUZZ_MUST((d->event.unit == BX_ANY) == of_core && d->event.counter >= 0);
    canonical(c, &d->event, string);
    FUZZ_MUST(bx_event_parse(c, cpu, string, strlen(string), &event, NULL) == BX_OK);
    FUZZ_MUST(event.extras >= d->event.extras);
    if (event.extras > d->event.extras) /* the reading lacks a filter that the event needs */
        return;
    canonical(c, &event, again);
    FUZZ_MUST(strcmp(string, again) == 0);
    check_same(c, &d->event, &event);
    if (bx_register_invalid_bits(c, d->reg, d->value) ==
        0) /* a register with invalid bits may contain nothing else */
        check_registers(c, cpu, &d->event, string);
}

static void decode(const bx_catalog *c, int cpu, bx_str text)
{
    bx_raw raw[WORDS];
    bx_decoded to[WORDS];
    bx_error e = {0};
    size_t n = 0, found = 0;
    while (text.p && n < WORDS)
        n += read_word(bx_str_cut(&text, ' '), &raw[n]);
    int code = bx_decode(c, cpu, raw, n, to, WORDS, &found, &e);
    fuzz_check_error(&e, code, 0);
    for (size_t i = 0; !code && i < found; i++)
        check_event(c, cpu, &to[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bx_catalog *c = bx_catalog_builtin();
    char *text = fuzz_exact(data, size);
    bx_str rest = {text, size}, name = bx_str_cut(&rest, ' ');
    for (int cpu = 0; cpu < (int)c->cpus.n; cpu++)
        if (bx_str_eq(name, bx_str_of(bx_catalog_cpu_name(c, (size_t)cpu))))
            decode(c, cpu, rest);
    free(text);
    return 0;
}
