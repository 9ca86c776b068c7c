/* A PMU type's line, its registers and their fields. */
#include "compile/build/build.h"

#include "base/buf.h"
#include "base/error.h"

enum { UNITS_MOST = 255, REGS_MOST = 255 };

/* The count in a clause "0..n"; 1 if it is not given. */
static uint64_t count_of(bx_build *b, const bx_syntax_node *node, const char *word, uint64_t most)
{
    bx_str s = bx_syntax_arg(node, word, 0);
    uint64_t first = 0, last = 0;
    if (s.p)
        bx_form_pair(s, &first, &last);
    if (first != 0 || last >= most) {
        bx_build_fail(b, node, s, "range", "%s count from 0 to at most %llu", word,
                      (unsigned long long)most - 1);
        return 1;
    }
    return last + 1;
}

/* The distance of counter numbers from unit to unit. It is limited, so that numbers stay small. */
static uint8_t counter_stride(bx_build *b, const bx_syntax_node *node)
{
    uint64_t n = bx_syntax_number(node, "stride", 0);
    if (n > UINT8_MAX)
        bx_build_fail(b, node, bx_syntax_arg(node, "stride", 0), "range", "stride is at most %d",
                      UINT8_MAX);
    return (uint8_t)n;
}

void bx_build_pmu(bx_build *b, const bx_syntax_node *file, uint16_t cpu)
{
    const bx_syntax_node *node = file->first;
    bx_cat_pmu pmu = {
        .name = bx_build_text(b, bx_syntax_arg(node, NULL, 0)),
        .title = bx_build_clause_text(b, node, "title"),
        .source = bx_build_clause_text(b, node, "source"),
        .note = bx_build_notes(b, node),
        .kernel = bx_build_clause_text(b, node, "kernel"),
        .likwid = bx_build_clause_text(b, node, "likwid"),
        .unit_label = bx_build_clause_text(b, node, "label"),
        .cpu = cpu,
        .scope = bx_build_scope(b, node),
        .unit_max = (uint8_t)count_of(b, node, "units", UNITS_MOST),
        .unit_key = bx_build_text(b, bx_syntax_arg(node, "units", 1)),
        .unit_field = BX_NONE,
        .select_event = BX_NONE,
        .select_umask = BX_NONE,
        .stride = counter_stride(b, node),
        .architectural = (uint32_t)bx_syntax_number(node, "architectural", 0),
        .only_virtual = bx_syntax_has(node, "virtual"),
    };
    bx_str bias = bx_syntax_arg(node, "count", 1);
    int64_t n = bias.p ? bx_form_signed(bias) : 0;
    if (n < -UNITS_MOST || n > UNITS_MOST)
        bx_build_fail(b, node, bias, "range", "at most %d units more or fewer", UNITS_MOST);
    pmu.unit_bias = (int16_t)n;
    uint16_t i = bx_build_add(b, BX_T_PMUS, node);
    *BX_ROW(b, bx_cat_pmu, BX_T_PMUS, i) = pmu;
}

static const char *const kinds[] = {
    [BX_FIELD_RW] = "rw",   [BX_FIELD_RO] = "ro",           [BX_FIELD_WO] = "wo",
    [BX_FIELD_W1C] = "w1c", [BX_FIELD_IGNORED] = "ignored",
};

static const char *const resets[] = {
    [BX_RESETS_CONTROLS] = "controls",
    [BX_RESETS_COUNTERS] = "counters",
    [BX_RESETS_COUNTER] = "counter",
    [BX_RESETS_PACKAGE] = "package",
};

static uint8_t resets_of(bx_build *b, const bx_syntax_node *node)
{
    bx_str word = bx_syntax_arg(node, "resets", 0);
    unsigned first = BX_RESETS_CONTROLS, n = sizeof resets / sizeof *resets - first;
    return word.p ? (uint8_t)(first +
                              bx_build_keyword(b, node, word, "thing to reset", resets + first, n))
                  : BX_RESETS_NOTHING;
}

static bx_span add_fields(bx_build *b, const bx_syntax_node *reg_node, uint16_t reg)
{
    uint16_t first = bx_build_n(b, BX_T_FIELDS);
    for (const bx_syntax_node *node = reg_node->first; node; node = node->next) {
        uint64_t hi, lo;
        bx_form_pair(bx_syntax_arg(node, NULL, 1), &hi, &lo);
        bx_cat_field field = {
            .name = bx_build_text(b, bx_syntax_arg(node, NULL, 0)),
            .title = bx_build_clause_text(b, node, "title"),
            .note = bx_build_notes(b, node),
            .kernel = bx_build_clause_text(b, node, "kernel"),
            .reg = reg,
            .lo = (uint8_t)lo,
            .hi = (uint8_t)hi,
            .kind = (uint8_t)bx_build_keyword(b, node, bx_syntax_arg(node, NULL, 2), "kind of bits",
                                              kinds, BX_FIELD_IGNORED + 1),
            .resets = resets_of(b, node),
            .clears = BX_NONE,
            .runs = bx_syntax_has(node, "runs"),
        };
        uint16_t i = bx_build_add(b, BX_T_FIELDS, node);
        *BX_ROW(b, bx_cat_field, BX_T_FIELDS, i) = field;
    }
    return bx_build_span(b, BX_T_FIELDS, first);
}

static const struct {
    const char *word;
    enum bx_space space;
} spaces[] = {{"msr", BX_SPACE_MSR}, {"pci", BX_SPACE_PCI}, {"mmio", BX_SPACE_MMIO}};

/* The clause with the register's addresses: exactly one of msr, pci and mmio. */
static const bx_clause *find_space(bx_build *b, const bx_syntax_node *node, uint8_t *space)
{
    const bx_clause *found = NULL;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        const bx_clause *c = bx_clause_find(node->clauses, spaces[i].word);
        if (c && found) {
            bx_build_fail(b, node, c->key, "space", "a register is in one space only");
            return NULL;
        }
        if (c) {
            found = c;
            *space = (uint8_t)spaces[i].space;
        }
    }
    if (!found)
        bx_build_fail(b, node, node->head.key, "space",
                      "this register has no address: none of msr, pci, mmio");
    return found;
}

/* The addresses of register n of a pattern in every unit. The clause lists them for unit 0, and
 * `stride` gives the others; or it lists them for all units, unit by unit. In MMIO space, the base
 * comes first. Units that are cores have the same addresses. */
static uint32_t add_addresses(bx_build *b, const bx_syntax_node *node, const bx_clause *space,
                              unsigned n, unsigned of, const bx_cat_pmu *pmu)
{
    uint32_t first = bx_build_n(b, BX_T_ADDRS);
    bool cores = pmu->scope == BX_SCOPE_CORE, strides = bx_syntax_has(node, "stride");
    bool listed = !strides && !cores;
    unsigned units = pmu->unit_max;
    if (cores && strides)
        bx_build_fail(b, node, space->key, "addresses", "each core has the same addresses");
    uint64_t stride = bx_syntax_number(node, "stride", 0);
    unsigned before = bx_syntax_has(node, "mmio") ? 1 : 0, given = space->n - before;
    if (given != (listed ? of * units : of)) {
        bx_build_fail(b, node, space->key, "addresses", "%u addresses for %u registers%s", given,
                      cores ? of : of * units, strides ? " with a stride" : "");
        bx_hint(b->e, "list the addresses of all %u registers%s", listed ? of * units : of,
                cores       ? ", which each core has"
                : strides   ? " of unit 0, and no others"
                : units > 1 ? ", unit by unit; or those of unit 0, and their `stride`"
                            : "");
        return first;
    }
    if (strides && units == 1) {
        bx_build_fail(b, node, bx_syntax_arg(node, "stride", 0), "addresses",
                      "a stride, but the PMU has one unit");
        bx_hint(b->e, "take it out, or give the PMU `units` such as 0..3");
    }
    for (unsigned unit = 0; unit < units; unit++) {
        uint64_t at = bx_form_address(space->args[before + (listed ? unit * of + n : n)]);
        if (!listed)
            at += unit * (stride & UINT32_MAX);
        if (at > UINT32_MAX || stride > UINT32_MAX)
            bx_build_fail(b, node, space->key, "addresses", "address beyond 32 bits");
        uint16_t i = bx_build_add(b, BX_T_ADDRS, node);
        *BX_ROW(b, uint32_t, BX_T_ADDRS, i) = (uint32_t)at;
    }
    return first;
}

static uint16_t find_base(bx_build *b, const bx_syntax_node *node, uint16_t pmu)
{
    bx_str base = bx_syntax_arg(node, "mmio", 0);
    uint16_t reg;
    return base.p ? bx_build_resolve(b, node, pmu, BX_NONE, base, base, &reg) : BX_NONE;
}

/* Registers that are `like` another one share its fields. */
static bx_span find_fields(bx_build *b, const bx_syntax_node *node, uint16_t pmu, uint16_t reg)
{
    bx_str like = bx_syntax_arg(node, "like", 0);
    if (!like.p)
        return add_fields(b, node, reg);
    uint16_t other = bx_build_find_reg(b, node, pmu, like, like);
    if (node->first)
        bx_build_fail(b, node->first, node->first->head.key, "like",
                      "the fields are those of the other register");
    return other == BX_NONE ? (bx_span){0, 0} : BX_ROW(b, bx_cat_reg, BX_T_REGS, other)->fields;
}

/* The address of the MSR in earlier generations; 0 if there is none. */
static uint32_t former_msr(bx_build *b, const bx_syntax_node *node)
{
    uint64_t msr = bx_syntax_number(node, "former", 0);
    if (msr > UINT32_MAX)
        bx_build_fail(b, node, bx_syntax_arg(node, "former", 0), "range", "this is not an MSR");
    return (uint32_t)msr;
}

/* Its other names, with register n's number in them. */
static bx_cat_text other_names(bx_build *b, const bx_syntax_node *node, uint64_t n)
{
    bx_buf names = {0};
    for (unsigned i = 0; bx_syntax_arg(node, "also", i).p; i++) {
        if (i)
            bx_buf_z(&names, " ");
        bx_buf_str(&names, bx_build_fill_range(b, bx_syntax_arg(node, "also", i), n));
    }
    if (names.failed)
        bx_build_fail_memory(b);
    bx_cat_text text = names.n ? bx_build_text(b, (bx_str){names.p, names.n}) : 0;
    bx_buf_free(&names);
    return text;
}

uint32_t bx_build_package_stride(bx_build *b, const bx_syntax_node *node, const char *word)
{
    enum { BUS = 1 << 20 };
    uint64_t stride = bx_syntax_number(node, word, 0);
    if (stride > UINT32_MAX || stride % BUS)
        bx_build_fail(b, node, bx_syntax_arg(node, word, 0), "range",
                      "packages are whole buses apart: 1M, 2M, …");
    return (uint32_t)stride;
}

static uint32_t package_stride(bx_build *b, const bx_syntax_node *node)
{
    bx_str given = bx_syntax_arg(node, "step", 0);
    if (given.p && !bx_syntax_has(node, "pci"))
        bx_build_fail(b, node, given, "space", "packages differ in the buses of PCI only");
    return bx_build_package_stride(b, node, "step");
}

/* The bit that a write copies into those above it; 0 if there is none. */
static uint8_t extends_bit(bx_build *b, const bx_syntax_node *node, uint64_t width)
{
    uint64_t bit = bx_syntax_number(node, "extends", 1);
    if (bit < 1 || bit >= width)
        bx_build_fail(b, node, bx_syntax_arg(node, "extends", 0), "range",
                      "a bit of the register above bit 0");
    return bx_syntax_has(node, "extends") ? (uint8_t)bit : 0;
}

/* Sets the position of the register in Linux's perf_event_attr. */
static void set_config(bx_build *b, const bx_syntax_node *node, bx_cat_reg *reg)
{
    enum { WORDS = 3, BITS = 64 };
    bx_str word = bx_syntax_arg(node, "config", 0), bits = bx_syntax_arg(node, "config", 1);
    uint64_t n = 0, lo = 0, hi = 0;
    if (!word.p)
        return;
    bx_form_pair(bits, &lo, &hi);
    if (!bx_str_u64(word, &n) || n >= WORDS)
        bx_build_fail(b, node, word, "range", "there are config 0, 1 and 2");
    else if (hi >= BITS || hi < lo)
        bx_build_fail(b, node, bits, "range", "bits 0 to 63, the lowest first");
    reg->config = (uint8_t)(n + 1);
    reg->config_lo = (uint8_t)lo;
    reg->config_hi = (uint8_t)hi;
}

/* Whether a write faults while the register's precondition does not hold. */
static bool may_fault(bx_build *b, const bx_syntax_node *node)
{
    static const char *const effects[] = {"faults"};
    bx_str word = bx_syntax_arg(node, "precondition", 1);
    return word.p && bx_build_keyword(b, node, word, "effect", effects, 1) == 0;
}

/* The register, described earlier, whose count this one also shows. */
static uint16_t find_shown(bx_build *b, const bx_syntax_node *node, uint16_t pmu, uint64_t n)
{
    bx_str at = bx_syntax_arg(node, "shows", 0);
    return at.p ? bx_build_find_reg(b, node, pmu, bx_build_fill(b, at, "n", n), at) : BX_NONE;
}

static void add_reg(bx_build *b, const bx_syntax_node *node, uint16_t pmu)
{
    bx_str pattern = bx_syntax_arg(node, NULL, 0);
    uint64_t lo, hi, width = bx_syntax_number(node, "width", 64);
    bx_build_range(pattern, &lo, &hi);
    if (hi < lo || hi - lo >= REGS_MOST)
        bx_build_fail(b, node, pattern, "range", "at most %d registers of one kind", REGS_MOST);
    if (width != 32 && width != 64)
        bx_build_fail(b, node, bx_syntax_arg(node, "width", 0), "width",
                      "registers have 32 or 64 bits");
    bx_cat_reg reg = {
        .title = bx_build_clause_text(b, node, "title"),
        .source = bx_build_clause_text(b, node, "source"),
        .note = bx_build_notes(b, node),
        .pmu = pmu,
        .width = (uint8_t)width,
        .reset = bx_syntax_number(node, "reset", 0),
        .flags = (uint8_t)((bx_syntax_has(node, "shared") ? BX_REG_SHARED : 0) |
                           (may_fault(b, node) ? BX_REG_FAULTS : 0)),
        .extends = extends_bit(b, node, width),
        .former = former_msr(b, node),
        .package_stride = package_stride(b, node),
        .precondition = BX_NONE,
        .shows = BX_NONE,
        .kernel = bx_build_clause_text(b, node, "kernel"),
    };
    set_config(b, node, &reg);
    const bx_clause *space = find_space(b, node, &reg.space);
    reg.base = find_base(b, node, pmu);
    reg.fields = find_fields(b, node, pmu, bx_build_n(b, BX_T_REGS));
    unsigned of = (unsigned)(hi - lo) + 1;
    for (unsigned n = 0; n < of && !b->failed; n++) {
        reg.name = bx_build_text(b, bx_build_fill_range(b, pattern, lo + n));
        reg.also = other_names(b, node, lo + n);
        reg.shows = find_shown(b, node, pmu, lo + n);
        reg.first_addr =
            add_addresses(b, node, space, n, of, BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu));
        uint16_t i = bx_build_add(b, BX_T_REGS, node);
        *BX_ROW(b, bx_cat_reg, BX_T_REGS, i) = reg;
    }
}

void bx_build_regs(bx_build *b, const bx_syntax_node *file, uint16_t pmu)
{
    uint16_t first = bx_build_n(b, BX_T_REGS);
    for (const bx_syntax_node *node = file->first; node && !b->failed; node = node->next)
        if (bx_syntax_is(node, "reg"))
            add_reg(b, node, pmu);
    BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->regs = bx_build_span(b, BX_T_REGS, first);
}
