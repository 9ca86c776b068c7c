/* Reads a register and its contents from a word. */
#include "reglog/register_word.h"

#include "base/error.h"
#include "base/nearest.h"
#include "event/hint.h"
#include "register/register_name.h"
#include "reglog/foreign_internal.h"

typedef struct word {
    const struct bx_catalog *c;
    unsigned cpu;
    bx_str whole, address, value;
    bool decimal; /* the address was written in decimal, so the value is, too */
    bx_error *e;
} word;

static int refuse_part(const word *w, bx_str part, const char *what, const char *hint)
{
    bx_fail(w->e, BX_BAD_INPUT, (size_t)(part.p - w->whole.p), part.n ? part.n : 1, "%s", what);
    bx_hint(w->e, "%s", hint);
    return BX_BAD_INPUT;
}

/* ---- numbers ---- */

static bool all_digits(bx_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!bx_is_digit(s.p[i]))
            return false;
    return s.n > 0;
}

/* Reads a hexadecimal number: 0x700, 700H or 700. *plain: it has neither 0x nor H. */
static bool parse_number(bx_str s, uint64_t *value, bool *plain)
{
    bool prefixed = bx_str_starts_fold(s, BX_STR("0x"));
    bool marked = !prefixed && s.n > 1 && bx_lower(s.p[s.n - 1]) == 'h';
    *plain = !prefixed && !marked;
    return bx_log_hex(prefixed ? bx_str_sub(s, 2, s.n) : bx_str_sub(s, 0, s.n - marked), value);
}

/* ---- registers ---- */

const bx_cat_passive *bx_passive_at(const struct bx_catalog *c, unsigned cpu, const bx_raw *raw)
{
    const bx_cat_map_row *row = bx_map_find(c, cpu, raw->space, raw->address, NULL, NULL).row;
    return raw->space == BX_SPACE_MSR && row && row->passive != BX_NONE
               ? &bx_cat_passives(c)[row->passive]
               : NULL;
}

static bool is_known(const struct bx_catalog *c, unsigned cpu, const bx_raw *raw)
{
    return bx_register_at(c, cpu, raw->space, raw->address).reg != BX_NONE ||
           bx_passive_at(c, cpu, raw);
}

static int unknown_register(const word *w, const bx_raw *raw)
{
    const struct bx_catalog *c = w->c;
    bx_names others = {0};
    for (unsigned i = 0; i < bx_catalog_cpus(c); i++)
        if (is_known(c, i, raw))
            bx_names_add(&others, bx_catalog_cpu_name(c, i));
    bx_fail(w->e, BX_NOT_FOUND, 0, w->address.n, "the catalogue has no register of '%s' there",
            bx_catalog_cpu_name(c, w->cpu));
    if (others.n)
        bx_hint(w->e, "other CPU models have one: %s", others.text);
    else
        bx_hint(w->e, "boxscore info %s names its PMUs, boxscore info PMU their registers",
                bx_catalog_cpu_name(c, w->cpu));
    return BX_NOT_FOUND;
}

/* Takes the address of an MSR. Without 0x and H it is what is a register, in hexadecimal as rdmsr
 * and manuals write it, or in decimal. */
static int take_msr(word *w, bx_str s, bx_raw *raw, bool *found)
{
    bx_raw decimal = *raw;
    bool plain;
    *found = parse_number(s, &raw->address, &plain);
    if (!*found || !plain || !all_digits(s) || s.n > 19)
        return BX_OK;
    decimal.address = 0;
    for (size_t i = 0; i < s.n; i++)
        decimal.address = 10 * decimal.address + bx_digit_value(s.p[i]);
    bool as_hex = is_known(w->c, w->cpu, raw), as_decimal = is_known(w->c, w->cpu, &decimal);
    if (as_hex && as_decimal && raw->address != decimal.address) {
        int code =
            refuse_part(w, s, "this address is a register in hexadecimal and in decimal", "");
        bx_hint(w->e, "write 0x%.*s or 0x%llx", BX_QUOTED(s), (unsigned long long)decimal.address);
        return code;
    }
    w->decimal = as_decimal && !as_hex;
    if (w->decimal)
        *raw = decimal;
    return BX_OK;
}

/* "00:00.0+0x48": bus, device and function as lspci has them. */
static bool take_pci(bx_str s, bx_raw *raw)
{
    uint64_t offset;
    bool plain;
    bx_str rest = s, function = bx_str_cut(&rest, '+');
    if (!rest.p || !bx_pci_bdf_parse(function, &raw->address) ||
        !parse_number(rest, &offset, &plain) || offset > 0xfff)
        return false;
    raw->address |= offset;
    return true;
}

static bool has_prefix(bx_str *s, const char *prefix)
{
    bx_str p = bx_str_of(prefix);
    if (!bx_str_starts_fold(*s, p))
        return false;
    *s = bx_str_sub(*s, p.n, s->n);
    return true;
}

/* "[space:]address" */
static int take_address(word *w, bx_raw *raw, bool *found)
{
    bx_str s = w->address;
    bool plain;
    raw->space = BX_SPACE_MSR;
    if (has_prefix(&s, "pci:")) {
        raw->space = BX_SPACE_PCI;
        *found = take_pci(s, raw);
        return BX_OK;
    }
    if (has_prefix(&s, "mmio:")) {
        raw->space = BX_SPACE_MMIO;
        has_prefix(&s, "BAR+");
        *found = parse_number(s, &raw->address, &plain);
        return BX_OK;
    }
    has_prefix(&s, "msr:");
    return take_msr(w, s, raw, found);
}

/* Whether the name is that of a register, or of registers of one kind, of which it takes the
 * first. */
static bool take_name(const word *w, bx_raw *raw, bx_nearest *near)
{
    bx_named_register found = bx_register_named(w->c, w->cpu, w->address, near);
    if (found.n)
        *raw = bx_register_raw(w->c, found.reg, found.unit, 0);
    return found.n > 0;
}

static int no_register(const word *w, const bx_nearest *near)
{
    int code =
        refuse_part(w, w->address, "this is no address",
                    "0x700, 700H, msr:0x700, pci:00:00.0+0x48, mmio:BAR+0x5050 or a register's "
                    "name; boxscore info NAME tells that of a register");
    if (near->name[0])
        bx_hint(w->e, BX_DID_YOU_MEAN_NAME("%s"), near->name);
    return code;
}

static int take_value(const word *w, bx_raw *raw)
{
    bool plain, fits = parse_number(w->value, &raw->value, &plain);
    if (w->decimal && all_digits(w->value))
        fits = bx_str_u64(w->value, &raw->value);
    if (fits)
        return BX_OK;
    bx_str part = w->value.n ? w->value : bx_str_sub(w->whole, w->address.n, 1);
    return refuse_part(
        w, part, "this is no value of a register",
        "a hexadecimal number of up to 64 bits, such as 0x408834, 408834H or 408834");
}

int bx_register_word_parse(const struct bx_catalog *c, unsigned cpu, bx_str text, bx_raw *raw,
                           bx_error *e)
{
    bx_str rest = text;
    word w = {.c = c, .cpu = cpu, .whole = text, .address = bx_str_cut(&rest, '='), .e = e};
    bx_nearest near = bx_nearest_to(w.address);
    bool found = false;
    *raw = (bx_raw){.address = 0};
    if (!rest.p)
        return refuse_part(&w, text, "a word of 'decode' is an address and a value",
                           "[msr:|pci:|mmio:]ADDRESS=VALUE, such as 0x700=0x408834");
    w.value = rest;
    int code = take_address(&w, raw, &found);
    if (code)
        return code;
    if (!found && !take_name(&w, raw, &near))
        return no_register(&w, &near);
    code = take_value(&w, raw);
    return code ? code : is_known(c, cpu, raw) ? BX_OK : unknown_register(&w, raw);
}
