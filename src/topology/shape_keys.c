/* Reads, derives and checks the shape keys of a machine string. */
#include "topology/shape_keys.h"

#include "base/error.h"
#include "base/nearest.h"
#include "catalog/policies.h"
#include "topology/presets.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SLICE_BYTES = 2 << 20 };

static const bx_cat_shape *keys_of(const bx_topology *t)
{
    return &bx_cat_shapes(t->catalog)[bx_cat_cpus(t->catalog)[t->cpu].shapes.first];
}

unsigned bx_shape_count(const bx_topology *t)
{
    unsigned n = bx_cat_cpus(t->catalog)[t->cpu].shapes.n;
    return n < BX_SHAPES ? n : BX_SHAPES;
}

unsigned bx_shape_find(const bx_topology *t, bx_str key)
{
    const bx_cat_shape *keys = keys_of(t);
    for (unsigned i = 0, n = bx_shape_count(t); i < n && key.n; i++) {
        const char *name = bx_cat_z(t->catalog, keys[i].name);
        if (bx_lower(*name) == bx_lower(*key.p) && bx_str_eq_fold(key, bx_str_of(name)))
            return i;
    }
    return BX_SHAPES;
}

uint64_t bx_topology_shape(const bx_topology *t, const char *key)
{
    unsigned i = bx_shape_find(t, bx_str_of(key));
    return i < BX_SHAPES ? t->shape[i] : 0;
}

void bx_shape_defaults(bx_topology *t)
{
    for (unsigned i = 0; i < bx_shape_count(t); i++)
        t->shape[i] = keys_of(t)[i].preset;
    bx_preset_apply(t);
}

void bx_shape_derive(bx_topology *t)
{
    unsigned slices = bx_shape_find(t, BX_STR("slices")), llc = bx_shape_find(t, BX_STR("llc"));
    if (slices < BX_SHAPES && t->shape[slices] == 0)
        t->shape[slices] = bx_topology_shape(t, "cores");
    if (llc < BX_SHAPES && slices < BX_SHAPES && t->shape[llc] == 0)
        t->shape[llc] = t->shape[slices] * SLICE_BYTES;
}

static void format_number(uint64_t value, char *to, size_t room)
{
    if (value >= 1 << 20 && value % (1 << 20) == 0)
        snprintf(to, room, "%" PRIu64 "M", value >> 20);
    else if (value >= 1 << 10 && value % (1 << 10) == 0 && value < 1 << 20)
        snprintf(to, room, "%" PRIu64 "K", value >> 10);
    else if (value < 1 << 28 && value % (4 << 10) == 0 && value % 1000000) /* a size */
        snprintf(to, room, "%" PRIu64 "K", value >> 10);
    else if (value >= 1 << 20 && value % (4 << 10) == 0 && value % 1000000) /* an address */
        snprintf(to, room, "0x%" PRIx64, value);
    else
        snprintf(to, room, "%" PRIu64, value);
}

static int unknown_key(const bx_topology *t, size_t at, bx_str key, bx_error *e)
{
    bx_fail(e, BX_BAD_INPUT, at, key.n, "no key '%.*s' in a machine string", (int)key.n, key.p);
    char some[48] = "";
    const char *nearest = NULL;
    unsigned named = 0, length = 0;
    unsigned best = key.n < 3 ? (unsigned)key.n : 3; /* without a common letter, no word is near */
    for (unsigned i = 0; i < bx_shape_count(t); i++) {
        const char *name = bx_cat_z(t->catalog, keys_of(t)[i].name);
        unsigned d = bx_str_distance(key, bx_str_of(name), best);
        if (d < best) {
            best = d;
            nearest = name;
        }
        if (named == i && length + strlen(name) + 2 < sizeof some) {
            length += (unsigned)snprintf(some + length, sizeof some - length, "%s%s", i ? ", " : "",
                                         name);
            named++;
        }
    }
    if (nearest)
        bx_hint(e, BX_DID_YOU_MEAN_NAME("%s"), nearest);
    else if (named == bx_shape_count(t))
        bx_hint(e, "there are %s", some);
    else
        bx_hint(e, "there are %s and more: boxscore info %s", some,
                bx_cat_z(t->catalog, bx_cat_cpus(t->catalog)[t->cpu].name));
    return BX_BAD_INPUT;
}

/* Whether the key's values are called off and on. Of a mechanism that the processor never had,
 * there is only off. */
static bool is_switch(const bx_cat_shape *k)
{
    return k->lo == 0 && k->hi <= 1;
}

static bool is_always_off(const bx_cat_shape *k)
{
    return k->hi == 0;
}

static bool is_named(const bx_topology *t, const bx_cat_shape *k)
{
    return bx_is_named_key(bx_cat_str(t->catalog, k->name));
}

static bool read_value(const bx_topology *t, const bx_cat_shape *k, bx_str value, uint64_t *to)
{
    if (is_named(t, k))
        return bx_named_number(bx_cat_str(t->catalog, k->name), value, to);
    if (!is_switch(k))
        return bx_str_size(value, to);
    *to = bx_str_eq_fold(value, BX_STR("on"));
    return *to || bx_str_eq_fold(value, BX_STR("off"));
}

void bx_shape_format(const bx_topology *t, unsigned key, char *to, size_t room)
{
    uint64_t value = t->shape[key];
    const bx_cat_shape *k = &keys_of(t)[key];
    if (is_named(t, k))
        snprintf(to, room, "%s", bx_named_value(bx_cat_str(t->catalog, k->name), value));
    else if (is_switch(k))
        snprintf(to, room, "%s", value ? "on" : "off");
    else
        format_number(value, to, room);
}

static void hint_at_names(bx_str key, bx_str value, bx_error *e)
{
    bx_nearest nearest = bx_nearest_to(value);
    const char *name;

    for (uint64_t i = 0; (name = bx_named_value(key, i)); i++)
        bx_nearest_offer(&nearest, name);
    bx_nearest_hint(e, &nearest);
    if (!e->hint[0])
        bx_hint(e, "it has a name, such as %s", bx_named_value(key, 1));
}

/* The CPUs with virtual machines on which this key can be on. */
static void hint_at_owners(const struct bx_catalog *c, bx_str key, bx_error *e)
{
    char names[64] = "";
    unsigned length = 0;

    for (unsigned i = 0; i < c->cpus.n; i++) {
        const bx_cat_cpu *cpu = &bx_cat_cpus(c)[i];
        const bx_cat_shape *keys = &bx_cat_shapes(c)[cpu->shapes.first];
        const char *name = bx_cat_z(c, cpu->name);
        bool has = false;
        for (unsigned k = 0; k < cpu->shapes.n; k++)
            has |= !is_always_off(&keys[k]) && bx_str_eq(bx_cat_str(c, keys[k].name), key);
        if (has && bx_cat_is_virtual(c, cpu) && length + strlen(name) + 3 < sizeof names)
            length += (unsigned)snprintf(names + length, sizeof names - length, "%s%s",
                                         length ? ", " : "", name);
    }
    if (length)
        bx_hint(e, "leave it out; the machines that can have it are %s", names);
}

/* Something other than off is asked of a mechanism that the processor never had. */
static int had_none(const bx_topology *t, const bx_cat_shape *k, bx_str part, size_t at,
                    bx_error *e)
{
    bx_fail(e, BX_BAD_INPUT, at, part.n, "'%s' is always off: %s had none",
            bx_cat_z(t->catalog, k->name),
            bx_cat_z(t->catalog, bx_cat_cpus(t->catalog)[t->cpu].name));
    hint_at_owners(t->catalog, bx_cat_str(t->catalog, k->name), e);
    return BX_BAD_INPUT;
}

/* The value of a key cannot be read. Says why: "'x' is" … */
static int bad_value(const bx_topology *t, const bx_cat_shape *k, bx_str part, bx_str value,
                     size_t at, bx_error *e)
{
    bx_str key = bx_cat_str(t->catalog, k->name);
    const char *name = bx_cat_z(t->catalog, k->name), *written = value.p ? value.p : "";
    size_t n = value.n ? value.n : part.n;

    at += value.n ? key.n + 1 : 0;
    if (is_named(t, k)) {
        bx_fail(e, BX_BAD_INPUT, at, n, "'%.*s' is no %s", (int)value.n, written,
                bx_named_kind(key));
        hint_at_names(key, value, e);
        return BX_BAD_INPUT;
    }
    bx_fail(e, BX_BAD_INPUT, at, n, "'%.*s' is %s", (int)value.n, written,
            is_switch(k) ? "neither on nor off" : "not a number");
    if (is_switch(k))
        bx_hint(e, "write %s=on or %s=off", name, name);
    else if (!bx_hint_at_size(e, value))
        bx_hint(e, "write %s=NUMBER, with K, M or G after it if you like", name);
    return BX_BAD_INPUT;
}

static int read_key(bx_topology *t, bool *given, bx_str spec, bx_str part, bx_error *e)
{
    bx_str value = part, key = bx_str_cut(&value, '=');
    size_t at = (size_t)(part.p - spec.p);
    if (part.n == 0)
        return bx_fail(e, BX_BAD_INPUT, at, 1, "nothing follows the comma");
    if (bx_preset_is_key(t, key))
        return BX_OK; /* it has already been read */
    unsigned i = bx_shape_find(t, key);
    if (i == BX_SHAPES)
        return unknown_key(t, at, key, e);
    const char *name = bx_cat_z(t->catalog, keys_of(t)[i].name);
    if (given[i])
        return bx_fail(e, BX_BAD_INPUT, at, part.n, "'%s' is given twice", name);
    uint64_t number;
    const bx_cat_shape *k = &keys_of(t)[i];
    bool is_read = value.p && read_value(t, k, value, &number);
    if (is_always_off(k) && (!is_read || number))
        return had_none(t, k, part, at, e);
    if (!is_read)
        return bad_value(t, k, part, value, at, e);
    if (number < k->lo || number > k->hi) {
        char lo[24], hi[24];
        format_number(k->hi, hi, sizeof hi);
        if (hi[1] == 'x')
            snprintf(lo, sizeof lo, "0x%" PRIx64, k->lo);
        else
            format_number(k->lo, lo, sizeof lo);
        bx_fail(e, BX_BAD_INPUT, at + key.n + 1, value.n, "%s=%.*s is out of range", name,
                (int)value.n, value.p);
        bx_hint(e, "%s goes from %s to %s", name, lo, hi);
        return BX_BAD_INPUT;
    }
    t->shape[i] = number;
    given[i] = true;
    return BX_OK;
}

/* The position in spec of the key that causes an impossible shape. */
static bx_str culprit(bx_str spec, bx_str keys, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (bx_str rest = keys; rest.p;) {
            bx_str part = bx_str_trim(bx_str_cut(&rest, ','));
            bx_str value = part, key = bx_str_cut(&value, '=');
            if (bx_str_eq_fold(key, bx_str_of(names[i])))
                return part;
        }
    }
    return spec;
}

static bool power_of_two(uint64_t n)
{
    return n && (n & (n - 1)) == 0;
}

/* Checks that a base address has no bits that the register lacks. */
static int check_base(const bx_topology *t, bx_str spec, bx_str keys, bx_error *e)
{
    uint64_t bar = bx_topology_shape(t, "bar");
    const bx_cat_cpu *cpu = &bx_cat_cpus(t->catalog)[t->cpu];
    for (unsigned i = 0; bar && i < cpu->pmus.n; i++) {
        bx_span regs = bx_cat_pmus(t->catalog)[cpu->pmus.first + i].regs;
        for (unsigned k = 0; k < regs.n; k++) {
            uint16_t base = bx_cat_regs(t->catalog)[regs.first + k].base;
            uint64_t mask =
                base == BX_NONE ? bar : bx_cat_field_mask(&bx_cat_fields(t->catalog)[base]);
            if (!(bar & ~mask))
                continue;
            bx_str at = culprit(spec, keys, (const char *const[]){"bar"}, 1);
            bx_fail(e, BX_BAD_INPUT, (size_t)(at.p - spec.p), at.n,
                    "no base address can be 0x%" PRIx64, bar);
            bx_hint(e, "bar=0x%" PRIx64 " would do: a multiple of 0x%" PRIx64, bar & mask,
                    mask & -mask);
            return BX_BAD_INPUT;
        }
    }
    return BX_OK;
}

static int check_refresh(const bx_topology *t, bx_str spec, bx_str keys, bx_error *e)
{
    uint64_t takes = bx_topology_shape(t, "dram_rfc"), every = bx_topology_shape(t, "dram_refi");
    if (every == 0 || takes < every)
        return BX_OK;
    bx_str at = culprit(spec, keys, (const char *const[]){"dram_refi", "dram_rfc"}, 2);
    bx_fail(e, BX_BAD_INPUT, (size_t)(at.p - spec.p), at.n,
            "memory that is refreshed for %" PRIu64 " of every %" PRIu64 " ns", takes, every);
    bx_hint(e, "dram_rfc is to be less than dram_refi");
    return BX_BAD_INPUT;
}

/* Checks the memory: bits of an address are the numbers of rank and bank, and the position in a
 * row. */
static int check_memory(const bx_topology *t, bx_str spec, bx_str keys, bx_error *e)
{
    static const char *const names[] = {"dram_channels", "dram_ranks", "dram_banks", "dram_row",
                                        "dram_groups"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint64_t value = bx_topology_shape(t, names[i]);
        if ((value & (value - 1)) == 0)
            continue;
        bx_str at = culprit(spec, keys, &names[i], 1);
        bx_fail(e, BX_BAD_INPUT, (size_t)(at.p - spec.p), at.n, "%s=%" PRIu64 " is no power of two",
                names[i], value);
        bx_hint(e, "bits of an address are its number: 1, 2, 4 and so on");
        return BX_BAD_INPUT;
    }
    return check_refresh(t, spec, keys, e);
}

static int check_pages(const bx_topology *t, bx_str spec, bx_str keys, bx_error *e)
{
    unsigned key = bx_shape_find(t, BX_STR("pages"));
    if (key == BX_SHAPES || t->shape[key] == keys_of(t)[key].lo ||
        t->shape[key] == keys_of(t)[key].hi)
        return BX_OK;
    bx_str at = culprit(spec, keys, (const char *const[]){"pages"}, 1);
    bx_fail(e, BX_BAD_INPUT, (size_t)(at.p - spec.p), at.n, "no processor has pages of that size");
    bx_hint(e, "pages=4K or pages=2M would do");
    return BX_BAD_INPUT;
}

/* Limits of core_hz, relative to the uncore: on a slower core, the cost of a block of instructions
 * would not fit. */
enum { CORE_SLOWER = 4, CORE_FASTER = 64 };

static int check_clock(const bx_topology *t, bx_str spec, bx_str keys, bx_error *e)
{
    uint64_t core = bx_topology_shape(t, "core_hz"), uncore = bx_topology_shape(t, "hz");
    if (core == 0 || (core >= uncore / CORE_SLOWER && core / CORE_FASTER <= uncore))
        return BX_OK;
    bx_str at = culprit(spec, keys, (const char *const[]){"core_hz", "hz"}, 2);
    bx_fail(e, BX_BAD_INPUT, (size_t)(at.p - spec.p), at.n,
            "cores at %" PRIu64 " Hz, the uncore at %" PRIu64 " Hz", core, uncore);
    bx_hint(e, "a core's clock is from a quarter of the uncore's to %d times that", CORE_FASTER);
    return BX_BAD_INPUT;
}

/* ---- the last-level cache ---- */

/* Each way of a slice has a power of two of sets: bits of the address are the index of a set. */
enum { LINE = 64, SETS_LEAST = 64, SETS_MOST = 1 << 20 };

static bool takes_ways(uint64_t slice, uint64_t ways, uint64_t least)
{
    uint64_t sets = slice / LINE / ways;
    return slice % (LINE * ways) == 0 && power_of_two(sets) && sets >= least && sets <= SETS_MOST;
}

/* How few sets the models can have: a client, whose key `slices` tells it, has more. */
static uint64_t least_sets(const bx_topology *t)
{
    return bx_shape_find(t, BX_STR("slices")) < BX_SHAPES ? SETS_LEAST : 1;
}

/* The ways of a slice of so many bytes, the nearest to those of the processor, the more of two; 0:
 * there are none. */
static uint64_t ways_for(const bx_cat_shape *key, uint64_t slice, uint64_t least)
{
    for (uint64_t off = 0; off <= key->hi - key->lo; off++) {
        if (key->preset + off <= key->hi && takes_ways(slice, key->preset + off, least))
            return key->preset + off;
        if (key->preset >= key->lo + off && takes_ways(slice, key->preset - off, least))
            return key->preset - off;
    }
    return 0;
}

uint64_t bx_shape_slices(const bx_topology *t)
{
    uint64_t slices = bx_topology_shape(t, "slices");
    return slices ? slices : bx_topology_shape(t, "cores");
}

/* Sets `llc_ways`, unless it is given, to what the size of the LLC takes. */
static void derive_ways(bx_topology *t, const bool *given)
{
    unsigned key = bx_shape_find(t, BX_STR("llc_ways"));
    uint64_t llc = bx_topology_shape(t, "llc"), slices = bx_shape_slices(t);
    if (key == BX_SHAPES || given[key] || llc == 0 || slices == 0 || llc % slices)
        return;
    uint64_t ways = ways_for(&keys_of(t)[key], llc / slices, least_sets(t));
    if (ways)
        t->shape[key] = ways;
}

/* Writes the nearest size of an LLC that is possible, below or above one that is not; "": none. */
static void possible_llc(const bx_topology *t, const bx_cat_shape *key, uint64_t llc, bool above,
                         uint64_t most, char *to, size_t room)
{
    uint64_t step = (uint64_t)LINE * SETS_LEAST, slices = bx_shape_slices(t);
    uint64_t slice = llc / slices / step * step;
    to[0] = '\0';
    slice += above ? step : 0;
    for (; slice > 0 && slice * slices <= most; slice += above ? step : -step)
        if (ways_for(key, slice, least_sets(t))) {
            format_number(slice * slices, to, room);
            return;
        }
}

static int check_llc(const bx_topology *t, bx_str spec, bx_str keys, bx_error *e)
{
    unsigned of_ways = bx_shape_find(t, BX_STR("llc_ways")),
             of_llc = bx_shape_find(t, BX_STR("llc"));
    if (of_ways == BX_SHAPES || of_llc == BX_SHAPES || t->shape[of_llc] == 0)
        return BX_OK;
    uint64_t llc = t->shape[of_llc], slices = bx_shape_slices(t), ways = t->shape[of_ways];
    const bx_cat_shape *key = &keys_of(t)[of_ways];
    if (llc % slices == 0 && takes_ways(llc / slices, ways, least_sets(t)))
        return BX_OK;
    bx_str at = culprit(spec, keys, (const char *const[]){"llc", "slices", "llc_ways", "cores"}, 4);
    char is[24], below[24], above[24];
    format_number(llc, is, sizeof is);
    if (llc % slices == 0 && ways_for(key, llc / slices, least_sets(t))) {
        bx_fail(e, BX_BAD_INPUT, (size_t)(at.p - spec.p), at.n,
                "no cache of %s in %" PRIu64 " slices of %" PRIu64 " ways: sets are a power of two",
                is, slices, ways);
        bx_hint(e, "leave llc_ways out, or llc_ways=%" PRIu64,
                ways_for(key, llc / slices, least_sets(t)));
        return BX_BAD_INPUT;
    }
    possible_llc(t, key, llc, false, keys_of(t)[of_llc].hi, below, sizeof below);
    possible_llc(t, key, llc, true, keys_of(t)[of_llc].hi, above, sizeof above);
    bx_fail(e, BX_BAD_INPUT, (size_t)(at.p - spec.p), at.n,
            "no cache of %s in %" PRIu64 " slices: 64 sets or more, a power of two, of %" PRIu64
            " to %" PRIu64 " ways",
            is, slices, key->lo, key->hi);
    bx_hint(e, "%s%s%s%s%s would do", *below ? "llc=" : "", below, *below && *above ? " or " : "",
            *above ? "llc=" : "", above);
    return BX_BAD_INPUT;
}

/* The published slice hash (docs/explanation/model-client.md) gives only powers of two. */
static int check_spec(const bx_topology *t, bx_str spec, bx_str keys, bx_error *e)
{
    uint64_t slices = bx_topology_shape(t, "slices");
    if (slices == 0 || !bx_cat_is_virtual(t->catalog, &bx_cat_cpus(t->catalog)[t->cpu]))
        return BX_OK; /* without a model nothing has an LLC */
    if (!power_of_two(slices)) {
        bx_str at = culprit(spec, keys, (const char *const[]){"slices", "cores"}, 2);
        bx_fail(e, BX_BAD_INPUT, (size_t)(at.p - spec.p), at.n,
                "%" PRIu64 " slices: the slice hash is known for 1, 2 and 4", slices);
        bx_hint(e, "slices=2 or slices=4 would do, with any number of cores");
        return BX_BAD_INPUT;
    }
    return BX_OK;
}

int bx_shape_read(bx_topology *t, bx_str spec, bx_str keys, bx_error *e)
{
    bool given[BX_SHAPES] = {false};
    int read = bx_preset_read(t, spec, keys, e);
    if (read != BX_OK)
        return read;
    bx_shape_defaults(t);
    for (bx_str rest = keys; rest.p;) {
        int code = read_key(t, given, spec, bx_str_trim(bx_str_cut(&rest, ',')), e);
        if (code != BX_OK)
            return code;
    }
    bx_shape_derive(t);
    derive_ways(t, given);
    int code = check_base(t, spec, keys, e);
    if (code == BX_OK)
        code = check_memory(t, spec, keys, e);
    if (code == BX_OK)
        code = check_pages(t, spec, keys, e);
    if (code == BX_OK)
        code = check_clock(t, spec, keys, e);
    if (code == BX_OK)
        code = check_spec(t, spec, keys, e);
    return code ? code : check_llc(t, spec, keys, e);
}
