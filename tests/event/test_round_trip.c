/* Random values of the registers that select an event, for every PMU. They are decoded to a string;
 * reading this string, or perf's spelling of it, gives the same registers. */
#include "space.h"

#include "../dice.h"
#include "../rounds.h"
#include "base/bits.h"
#include "register/register.h"
#include "event/decode/decode.h"
#include "event/event.h"

enum { MOST = 64 }; /* shared registers of a unit */

/* The values of a unit's registers: a counter's control register and all shared registers. */
typedef struct reading {
    const bx_cat_counter *counter;
    unsigned unit;
    uint16_t reg[1 + MOST]; /* the control register first */
    bx_raw raw[1 + MOST];
    size_t n;
} reading;

static const bx_cat_pmu *pmu_of(const reading *r)
{
    return &bx_cat_pmus(built_in())[r->counter->pmu];
}

static const bx_cat_modifier *modifier_of(const reading *r, unsigned local)
{
    return &bx_cat_modifiers(built_in())[pmu_of(r)->modifiers.first + local];
}

static uint64_t field_mask(uint16_t field)
{
    return field == BX_NONE ? 0 : bx_cat_field_mask(&bx_cat_fields(built_in())[field]);
}

/* ---- what the registers hold ---- */

/* Any value, or one with few bits set, few bits clear, or none set. */
static uint64_t any_value(uint64_t *seed)
{
    uint64_t value = dice_next(seed);
    switch (dice_below(seed, 4)) {
    case 0:
        return value;
    case 1:
        return value & dice_next(seed) & dice_next(seed);
    case 2:
        return 0;
    default:
        return value | dice_next(seed) | dice_next(seed);
    }
}

static uint64_t put(uint64_t value, uint16_t field, uint64_t part)
{
    if (field == BX_NONE)
        return value;
    const bx_cat_field *f = &bx_cat_fields(built_in())[field];
    return (value & ~field_mask(field)) | (part << f->lo & field_mask(field));
}

/* Half of the values select an event that has a name. */
static uint64_t any_control(const reading *r, uint64_t value, uint64_t *seed)
{
    const bx_cat_pmu *pmu = pmu_of(r);
    if (!pmu->events.n || dice_below(seed, 2))
        return value;
    const bx_cat_event *e =
        &bx_cat_events(built_in())[pmu->events.first + dice_below(seed, pmu->events.n)];
    if (e->slot != BX_NONE) {
        bx_span places = bx_cat_slots(built_in())[e->slot].places;
        const bx_cat_place *p =
            &bx_cat_places(built_in())[places.first + dice_below(seed, places.n)];
        return (value & ~p->control_mask) | p->control;
    }
    if (e->umasks.n && dice_below(seed, 2))
        value =
            put(value, pmu->select_umask,
                bx_cat_umasks(built_in())[e->umasks.first + dice_below(seed, e->umasks.n)].value);
    return put(value, pmu->select_event, e->code);
}

static void add(reading *r, uint16_t reg, uint64_t value)
{
    assert_true(r->n < 1 + MOST);
    r->reg[r->n] = reg;
    r->raw[r->n++] =
        bx_register_raw(built_in(), reg, r->unit, value & bx_cat_regs(built_in())[reg].bits.stored);
}

static reading any_reading(const bx_cat_counter *counter, uint64_t *seed)
{
    reading r = {.counter = counter};
    bx_span regs = pmu_of(&r)->regs;
    r.unit = dice_below(seed, pmu_of(&r)->unit_max);
    add(&r, counter->control, any_control(&r, any_value(seed), seed) | counter->enable);
    for (uint16_t i = regs.first; i < regs.first + regs.n; i++)
        if (bx_cat_regs(built_in())[i].flags & BX_REG_SHARED)
            add(&r, i, any_value(seed));
    return r;
}

/* ---- which bits select ---- */

/* The bits of the control register that select something. If a place is selected, the code field of
 * events without a place is not part of it; else the field of places is not. */
static uint64_t selecting(const reading *r)
{
    const bx_cat_pmu *pmu = pmu_of(r);
    uint16_t place = bx_place_selected(built_in(), pmu, r->raw[0].value);
    uint64_t mask = 0, common = UINT64_MAX;
    for (unsigned i = 0; i < pmu->modifiers.n; i++)
        if (modifier_of(r, i)->reg == BX_NONE)
            mask |= modifier_of(r, i)->mask;
    if (place != BX_NONE)
        return mask | bx_cat_places(built_in())[place].control_mask;
    for (unsigned s = 0; s < pmu->slots.n; s++) {
        bx_span places = bx_cat_slots(built_in())[pmu->slots.first + s].places;
        for (unsigned i = 0; i < places.n; i++)
            common &= bx_cat_places(built_in())[places.first + i].control_mask;
    }
    return mask | (pmu->slots.n ? common : 0) | field_mask(pmu->select_event) |
           field_mask(pmu->select_umask);
}

static void show(const reading *r, const char *text)
{
    print_message("'%s'\n", text);
    for (size_t i = 0; i < r->n; i++)
        print_message("  %s = 0x%llx\n", space_name(bx_cat_regs(built_in())[r->reg[i]].name),
                      (unsigned long long)r->raw[i].value);
}

static void assert_same(const reading *r, const char *text, const bx_evsel *event)
{
    bx_regvalue to[1 + BX_EXTRAS];
    size_t n = bx_event_registers(built_in(), event, r->counter->index, to);
    uint64_t mask = selecting(r);
    if ((to[0].value & mask) != (r->raw[0].value & mask)) {
        show(r, text);
        fail_msg("its control register is 0x%llx, 0x%llx of it selects",
                 (unsigned long long)to[0].value, (unsigned long long)mask);
    }
    for (size_t i = 1; i < n; i++)
        for (size_t j = 1; j < r->n; j++)
            if (to[i].reg == r->reg[j] && to[i].value != (r->raw[j].value & to[i].mask)) {
                show(r, text);
                fail_msg("%s is 0x%llx of 0x%llx",
                         space_name(bx_cat_regs(built_in())[to[i].reg].name),
                         (unsigned long long)to[i].value, (unsigned long long)to[i].mask);
            }
}

/* ---- one reading ---- */

static unsigned named, coded, with_perf; /* what was decoded */

static void holds(const reading *r)
{
    const bx_cat_pmu *pmu = pmu_of(r);
    bx_decoded decoded;
    char string[TEXT], perf[TEXT];
    size_t found;
    bx_error e = {0};
    if (bx_decode(built_in(), pmu->cpu, r->raw, r->n, &decoded, 1, &found, &e))
        fail_msg("%s", e.message);
    if (!found)
        return; /* a control register that has only enables set */
    named += decoded.event.event != BX_RAW;
    coded += decoded.event.event == BX_RAW;
    canonical(&decoded.event, string);
    bx_evsel second = space_canonical(pmu, string, &decoded.event, string);
    assert_same(r, string, &second);
    second.unit = (int16_t)r->unit;
    if (!bx_event_format_perf(built_in(), &second, perf, sizeof perf))
        return;
    with_perf++;
    bx_evsel third = space_read_back(pmu, perf, string);
    assert_same(r, perf, &third);
}

/* Some PMUs have counters without known events. */
static bool has_events(const bx_cat_counter *counter)
{
    bx_span events = bx_cat_pmus(built_in())[counter->pmu].events;
    for (unsigned i = 0; i < events.n; i++)
        if (bx_cat_events(built_in())[events.first + i].counters >> counter->index & 1)
            return true;
    return false;
}

static void of_counter(const bx_cat_counter *counter)
{
    uint64_t seed = counter->pmu * 100u + counter->index;
    named = coded = with_perf = 0;
    for (unsigned i = 0, n = rounds_of(300, 100000); i < n; i++) {
        reading r = any_reading(counter, &seed);
        holds(&r);
    }
    print_message("%s, counter %u: %u events, %u raw codes, %u with perf's spelling\n",
                  space_name(bx_cat_pmus(built_in())[counter->pmu].name), counter->index, named,
                  coded, with_perf);
    assert_true(named || !has_events(counter));
    assert_true(coded && with_perf);
}

static void every_pmu(void **state)
{
    (void)state;
    for (uint16_t i = 0; i < built_in()->counters.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(built_in())[i];
        if (counter->control != BX_NONE && !bx_counts_one(counter))
            of_counter(counter);
    }
}

/* ---- values that documents refuse, but registers can have ---- */

/* libpfm4's page of the Ivy Bridge-EP C-Box: `e` must be combined with a threshold, `nf` has 8 bits
 * (the register has 16). 323535-001 p113: count mode 3 is not defined. */
static const struct {
    const char *cpu, *named, *raw;
    uint64_t control, filter; /* of unit 0: FILTER1 of the C-Box */
} refused[] = {
    {"ivbep", "UNC_C_LLC_LOOKUP:DATA_READ:e=1:state=0",
     "ivbep_unc_cbo0::RAW:code=0x34:umask=0x3:e=1", 0x440334, 0},
    {"ivbep", "UNC_C_LLC_LOOKUP:ANY:NID:nf=60907",
     "ivbep_unc_cbo0::RAW:code=0x34:umask=0x51:nf=60907", 0x405134, 0xedeb},
    {"ivbep", "UNC_C_TOR_INSERTS:NID_ALL:nf=256", "ivbep_unc_cbo0::RAW:code=0x35:umask=0x48:nf=256",
     0x404835, 0x100},
    {"nhmex", "PAGE_HIT:mode=3", "nhmex_unc_mbox0::RAW:code=0x14:mode=3", 0x284d, 0},
};

static void refused_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        int cpu = bx_cat_find_cpu(built_in(), bx_str_of(refused[i].cpu));
        bool cbox = strcmp(refused[i].cpu, "ivbep") == 0;
        const bx_raw held[] = {{BX_SPACE_MSR, cbox ? 0xd10 : 0xcb0, refused[i].control},
                               {BX_SPACE_MSR, 0xd14, 0},
                               {BX_SPACE_MSR, 0xd1a, refused[i].filter}};
        bx_evsel event;
        bx_decoded decoded;
        size_t n;
        char is[TEXT];
        assert_int_not_equal(bx_event_parse(built_in(), cpu, refused[i].named,
                                            strlen(refused[i].named), &event, NULL),
                             BX_OK);
        assert_int_equal(bx_decode(built_in(), cpu, held, cbox ? 3 : 1, &decoded, 1, &n, NULL),
                         BX_OK);
        assert_string_equal(canonical(&decoded.event, is), refused[i].raw);
        event = space_read_back(&bx_cat_pmus(built_in())[decoded.event.pmu], refused[i].raw, "it");
        assert_true(event.event == BX_RAW && event.control == refused[i].control);
        assert_int_equal(event.extras, refused[i].filter != 0);
        assert_true(!event.extras || event.extra[0].value == refused[i].filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pmu),
        cmocka_unit_test(refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
