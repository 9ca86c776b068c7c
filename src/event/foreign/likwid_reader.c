/* Reads LIKWID's spelling: EVENT_UMASK:COUNTER[:OPTION[=hex]…]. The counter names PMU and unit, so
 * event names may leave both out. Numbers are hexadecimal with or without 0x. */
#include "event/foreign/foreign.h"
#include "base/bits.h"
#include "event/hint.h"
#include "event/pattern.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

/* A counter that the text names, in one PMU. */
typedef struct likwid_counter {
    uint16_t pmu;
    uint8_t index;
    int16_t unit;
} likwid_counter;

static bool counter_named(const struct bx_catalog *c, uint16_t pmu, bx_str name, likwid_counter *s)
{
    const bx_cat_pmu *p = &bx_cat_pmus(c)[pmu];
    bx_numbers common;
    bool fits = bx_pattern_match(bx_cat_z(c, p->likwid), name, &common);
    for (unsigned i = 0; i < p->counters.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(c)[p->counters.first + i];
        bx_numbers found = common;
        if (counter->likwid ? !bx_pattern_match(bx_cat_z(c, counter->likwid), name, &found) : !fits)
            continue;
        if (found.n != BX_NO_NUMBER && found.n != counter->index)
            continue;
        *s = (likwid_counter){pmu, counter->index, BX_ANY};
        if (found.unit != BX_NO_NUMBER)
            s->unit = (int16_t)found.unit;
        return true;
    }
    return false;
}

/* The parts of a name: an event, optionally a unit mask, and with ports the port and the place. */
typedef struct split {
    uint16_t event, umask; /* BX_NONE: no unit mask */
    int16_t port, place;   /* BX_ANY: not given */
} split;

static bool take_number(bx_str *rest, int16_t *to)
{
    uint32_t value;
    size_t n = bx_digits(*rest, &value);
    *to = (int16_t)(value < INT16_MAX ? value : INT16_MAX);
    *rest = bx_str_sub(*rest, n, rest->n);
    return n > 0;
}

static bool take_word(bx_str *rest, bx_str word)
{
    if (!bx_str_starts_fold(*rest, word))
        return false;
    *rest = bx_str_sub(*rest, word.n, rest->n);
    return true;
}

/* Reads "PORT2_IPERF1_" between event and unit mask: the port and which register of the slot. */
static void take_place(const struct bx_catalog *c, const bx_cat_event *event, bx_str *rest,
                       split *to)
{
    split s = *to;
    bx_str left = *rest;
    if (event->slot == BX_NONE || !take_word(&left, BX_STR("PORT")) ||
        !take_number(&left, &s.port) || !take_word(&left, BX_STR("_")) ||
        !take_word(&left, bx_cat_str(c, bx_cat_slots(c)[event->slot].name)) ||
        !take_number(&left, &s.place) || (left.n && !take_word(&left, BX_STR("_"))))
        return;
    *rest = left;
    *to = s;
}

/* The unit mask of this name: LIKWID's own name, or the manual's with '_' for '.'. */
static uint16_t find_umask(const struct bx_catalog *c, uint16_t event, bx_str name)
{
    uint16_t found = bx_cat_find_likwid_umask(c, event, name);
    bx_span all = bx_cat_events(c)[event].umasks;
    for (uint16_t i = all.first; found == BX_NONE && i < all.first + all.n; i++) {
        bx_str known = bx_cat_str(c, bx_cat_umasks(c)[i].name);
        bool same = known.n == name.n && bx_str_find(known, '.', 0) >= 0;
        for (size_t j = 0; same && j < name.n; j++)
            same = known.p[j] == '.'
                       ? name.p[j] == '_'
                       : bx_str_eq_fold(bx_str_sub(known, j, 1), bx_str_sub(name, j, 1));
        found = same ? i : BX_NONE;
    }
    return found;
}

/* Splits EVENT_UMASK at a '_' so that the first part is an event and the rest, if any, one of its
 * unit masks. If the unit mask is unknown, only *stem returns the event. */
static bool split_name(const struct bx_catalog *c, uint16_t pmu, bx_str name, split *to,
                       bx_str *stem)
{
    for (size_t n = name.n; n > 0; n--) {
        if (n < name.n && name.p[n] != '_')
            continue;
        uint16_t e = bx_cat_find_event(c, pmu, (bx_str){name.p, n});
        if (e == BX_NONE)
            continue;
        *to = (split){e, BX_NONE, BX_ANY, BX_ANY};
        if (n == name.n)
            return true;
        bx_str rest = bx_str_sub(name, n + 1, name.n);
        if (bx_cat_pmus(c)[pmu].ports)
            take_place(c, &bx_cat_events(c)[e], &rest, to);
        to->umask = rest.n ? find_umask(c, e, rest) : BX_NONE;
        if (to->umask != BX_NONE || !rest.n)
            return true;
        *stem = (bx_str){name.p, n};
    }
    return false;
}

/* ---- messages ---- */

/* Offers a name in LIKWID's spelling, such as "CACHE_LOOKUP_READ_MESI". */
static void offer(bx_nearest *near, const struct bx_catalog *c, const bx_cat_event *event,
                  const bx_cat_umask *u)
{
    char name[96];
    snprintf(name, sizeof name, "%s_%s", bx_cat_z(c, event->alias ? event->alias : event->name),
             bx_cat_z(c, u->likwid ? u->likwid : u->name));
    bx_nearest_offer(near, name);
}

static int unknown_name(bx_event_builder *d, uint16_t pmu, bx_str name, bx_str stem)
{
    const bx_cat_pmu *p = &bx_cat_pmus(d->c)[pmu];
    bx_nearest near = bx_nearest_to(name);
    bx_names all = {0};
    for (unsigned i = 0; i < p->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(d->c)[p->events.first + i];
        const char *short_name = bx_cat_z(d->c, event->alias ? event->alias : event->name);
        bx_names_add(&all, short_name);
        if (!event->umasks.n || event->umask_default != BX_NONE)
            bx_nearest_offer(&near, short_name);
        for (unsigned j = 0; j < event->umasks.n; j++)
            offer(&near, d->c, event, &bx_cat_umasks(d->c)[event->umasks.first + j]);
    }
    for (unsigned i = 0; i < p->likwid_names.n; i++)
        bx_nearest_offer(&near,
                         bx_cat_z(d->c, bx_cat_other_names(d->c)[p->likwid_names.first + i].name));
    bx_str rest = bx_str_sub(name, stem.n + 1, name.n);
    int code = stem.n ? BX_REFUSE(d, BX_NOT_FOUND, rest, "%s has no unit mask '%s'",
                                  bx_quote(stem).text, bx_quote(rest).text)
                      : BX_REFUSE(d, BX_NOT_FOUND, name, "%s has no event '%s'",
                                  bx_cat_z(d->c, p->name), bx_quote(name).text);
    bx_hint_nearest(d->e, &near, "events begin with", &all);
    return code;
}

static int unknown_option(bx_event_builder *d, bx_str name)
{
    bx_names all = {0};
    bx_nearest near = bx_nearest_to(name);
    for (unsigned i = 0; i < d->pmu->modifiers.n; i++) {
        const char *z = bx_cat_z(d->c, bx_cat_modifiers(d->c)[d->pmu->modifiers.first + i].likwid);
        bx_names_add(&all, z);
        bx_nearest_offer(&near, z);
    }
    int code = BX_REFUSE(d, BX_NOT_FOUND, name, "%s has no LIKWID option '%s'",
                         bx_cat_z(d->c, d->pmu->name), bx_quote(name).text);
    bx_hint_nearest(d->e, &near, "options", &all);
    return code;
}

/* ---- reading ---- */

/* Reads hexadecimal digits, with or without 0x. */
static bool read_hex(bx_str s, uint64_t *value)
{
    char c_notation[2 + 16] = "0x";
    if (bx_str_starts_fold(s, BX_STR("0x")))
        s = bx_str_sub(s, 2, s.n);
    if (s.n == 0 || s.n > 16)
        return false;
    memcpy(c_notation + 2, s.p, s.n);
    return bx_str_u64((bx_str){c_notation, 2 + s.n}, value);
}

/* Refuses what LIKWID would not write: an option that it leaves out on this counter, and bits that
 * it cuts off. Source: the options of its counters in perfmon_*_counters.h, and the functions
 * *_setup(). */
static int check_option(bx_event_builder *d, const bx_cat_modifier *m, uint64_t value,
                        bx_str option)
{
    const char *name = bx_cat_z(d->c, m->likwid);
    if (m->on && !(m->on >> d->to.counter & 1)) {
        int code = BX_REFUSE(d, BX_NO_FIT, option, "LIKWID leaves '%s' out on this counter", name);
        bx_builder_hint_among(d, m->on);
        return code;
    }
    if (!m->keeps || value <= bx_mask_width(m->keeps))
        return BX_OK;
    int code = BX_REFUSE(d, BX_BAD_INPUT, option, "LIKWID cuts %s to 0x%llx", bx_quote(option).text,
                         (unsigned long long)(value & bx_mask_width(m->keeps)));
    bx_hint(d->e, "0x0 to 0x%llx; the modifier '%s' takes more",
            (unsigned long long)bx_mask_width(m->keeps), bx_cat_z(d->c, m->name));
    return code;
}

static int read_option(bx_event_builder *d, bx_str option)
{
    bx_str digits = option;
    bx_str name = bx_str_cut(&digits, '=');
    bx_term term = bx_likwid_term(d->c, d->to.pmu, name);
    if (!term.modifiers)
        return unknown_option(d, name.n ? name : option);
    const bx_cat_modifier *m =
        &bx_cat_modifiers(d->c)[d->pmu->modifiers.first + bx_lowest_bit(term.modifiers)];
    uint64_t value = 1;
    if (digits.p ? !read_hex(digits, &value) : !m->flag) {
        int code = BX_REFUSE(d, BX_BAD_INPUT, option, "the option '%s' needs a number",
                             bx_cat_z(d->c, m->likwid));
        bx_hint(d->e, "0x%llx to 0x%llx; LIKWID's numbers are hexadecimal, with or without 0x",
                (unsigned long long)m->lo, (unsigned long long)m->hi);
        return code;
    }
    int code = check_option(d, m, value, option);
    return code ? code : bx_builder_term(d, term, value, option);
}

/* Refuses a name by which LIKWID selects something else. */
static int check_name(bx_event_builder *d, const split *says, bx_str name)
{
    const bx_cat_umask *u = says->umask == BX_NONE ? NULL : &bx_cat_umasks(d->c)[says->umask];
    bx_cat_text unlike = u && u->unlike ? u->unlike : d->event->unlike;
    if (!unlike)
        return BX_OK;
    int code = BX_REFUSE(d, BX_BAD_INPUT, name, "LIKWID selects something else by '%s': %s",
                         bx_quote(name).text, bx_cat_z(d->c, unlike));
    bx_hint(d->e, "the documents' event is '%s::%s%s%s'; 'umask=' and RAW take any number",
            bx_cat_z(d->c, d->pmu->name), bx_cat_z(d->c, d->event->name), u ? ":" : "",
            u ? bx_cat_z(d->c, u->name) : "");
    return code;
}

/* ---- what a string implies ---- */

/* The modifier (index within the PMU) of one of LIKWID's options; -1: the PMU has none. */
static int local_of_option(const bx_event_builder *d, const char *option)
{
    bx_term term = bx_likwid_term(d->c, d->to.pmu, bx_str_of(option));
    return term.modifiers ? (int)bx_lowest_bit(term.modifiers) : -1;
}

/* LIKWID always counts levels 1 to 3. Level 0 is added by the option KERNEL. Source: the functions
 * *_pmc_setup() and *_fixed_setup() of LIKWID's perfmon_*.h. */
static int imply_levels(bx_event_builder *d, bx_str part)
{
    int code = BX_OK;
    for (uint32_t left = d->pmu->levels; !code && left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        if (bx_modifier_level(d->c, d->pmu, i) == BX_LEVEL_USER)
            code = bx_builder_modifier(d, (uint16_t)(d->pmu->modifiers.first + i), 1, part);
    }
    return code;
}

/* EDGEDETECT also sets bit 0 of the threshold: LIKWID appends THRESHOLD=0x1 to the options, and
 * combines several thresholds bit by bit. Source: parseOptions() of LIKWID's perfmon.c. */
static int imply_threshold(bx_event_builder *d, bx_str part)
{
    int edge = local_of_option(d, "EDGEDETECT"), threshold = local_of_option(d, "THRESHOLD");
    if (edge < 0 || threshold < 0 || !d->to.modifier[edge])
        return BX_OK;
    uint64_t value = d->to.modifier[threshold] | 1;
    if (!(d->fixed >> threshold & 1))
        d->to.given &= ~(UINT32_C(1) << threshold);
    return bx_builder_modifier(d, (uint16_t)(d->pmu->modifiers.first + threshold), value, part);
}

/* Some events have options in LIKWID's list: DEFAULT_OPTIONS in perfmon_*_events.txt. */
static int imply_options(bx_event_builder *d, bx_str part)
{
    int code = BX_OK;
    for (unsigned i = 0; !code && d->event && i < d->event->implied.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(d->c)[d->event->implied.first + i];
        if (!(d->to.given >> (set->modifier - d->pmu->modifiers.first) & 1))
            code = bx_builder_modifier(d, set->modifier, set->value, part);
    }
    return code;
}

/* A pattern without its mask: LIKWID leaves the mask's register as it was. */
static int refuse_without_mask(bx_event_builder *d, bx_str part)
{
    for (uint32_t left = d->pmu->masked & d->to.given; left; left &= left - 1) {
        const bx_cat_modifier *m =
            &bx_cat_modifiers(d->c)[d->pmu->modifiers.first + bx_lowest_bit(left)];
        if (d->to.given >> (m->masked - d->pmu->modifiers.first) & 1)
            continue;
        const char *mask = bx_cat_z(d->c, bx_cat_modifiers(d->c)[m->masked].likwid);
        int code =
            BX_REFUSE(d, BX_BAD_INPUT, part, "%s without %s: LIKWID leaves its mask as it was",
                      bx_cat_z(d->c, m->likwid), mask);
        bx_hint(d->e, "add %s=…; a bit of 1 is compared", mask);
        return code;
    }
    return BX_OK;
}

/* The event of a name in one PMU. */
typedef struct candidate {
    likwid_counter on;
    split says;
    bx_str terms; /* of a name that only LIKWID has: the kernel's terms, in place of `says` */
} candidate;

/* Chooses the event. Of a name that only LIKWID has, all that its terms say. */
static int choose_event(bx_event_builder *d, const candidate *m, bx_str name)
{
    if (m->terms.p)
        return bx_read_perf_instead(d, name, BX_STR("cpu"), m->terms, (bx_str){NULL, 0});
    bx_builder_event(d, m->on.pmu, m->says.event);
    return check_name(d, &m->says, name);
}

/* What was found of a name and a counter. */
typedef struct candidates {
    candidate m[2];    /* the first two PMUs with both */
    unsigned n;        /* PMUs with both, */
    bool imitated;     /* and a model imitates their CPUs */
    likwid_counter on; /* some PMU with the counter, */
    bool found;        /* if there is any */
    bx_str stem;
} candidates;

/* CPUs that no model imitates are meant if no other has both. */
static void add_candidate(const bx_event_builder *d, const candidate *here, candidates *to)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(d->c)[bx_cat_pmus(d->c)[here->on.pmu].cpu];
    bool imitated = bx_cat_is_virtual(d->c, cpu);
    if (to->n && to->imitated != imitated) {
        if (to->imitated)
            return;
        to->n = 0;
    }
    to->imitated = imitated;
    if (to->n++ < 2)
        to->m[to->n - 1] = *here;
}

/* Finds the PMUs with both the counter and the event. Returns whether any has the counter. */
static bool find_candidates(const bx_event_builder *d, bx_str name, bx_str counter, candidates *to)
{
    *to = (candidates){.found = false};
    for (unsigned i = 0; i < d->pmus.n; i++) {
        candidate here = {0};
        uint16_t pmu = (uint16_t)(d->pmus.first + i);
        if (!counter_named(d->c, pmu, counter, &here.on))
            continue;
        if (!to->found)
            to->on = here.on;
        to->found = true;
        here.terms = bx_likwid_terms(d->c, pmu, name);
        if (here.terms.p || split_name(d->c, pmu, name, &here.says, &to->stem))
            add_candidate(d, &here, to);
    }
    return to->found;
}

/* Finds the first PMU that has the event, on any counter. */
static bool find_elsewhere(const bx_event_builder *d, bx_str name, candidate *m)
{
    bx_str stem;
    for (unsigned i = 0; i < d->pmus.n; i++) {
        m->on.pmu = (uint16_t)(d->pmus.first + i);
        m->terms = bx_likwid_terms(d->c, m->on.pmu, name);
        if (m->terms.p || split_name(d->c, m->on.pmu, name, &m->says, &stem))
            return true;
    }
    return false;
}

/* Explains that no PMU with this counter has the event. */
static int no_candidate(bx_event_builder *d, bx_str name, bx_str counter, const likwid_counter *on,
                        bx_str stem)
{
    candidate m;
    if (stem.n || !find_elsewhere(d, name, &m))
        return unknown_name(d, on->pmu, name, stem);
    int code = choose_event(d, &m, name);
    d->counter_part = counter;
    return code ? code : bx_builder_wrong_counter(d);
}

int bx_likwid_without_counter(bx_event_builder *d, bx_str part)
{
    candidate m;
    bx_str rest = part;
    bx_str name = bx_str_cut(&rest, ':');
    bx_str counter = bx_str_cut(&rest, ':');
    if (!find_elsewhere(d, name, &m))
        return BX_OK;
    int code = choose_event(d, &m, name);
    if (code)
        return code;
    d->likwid = true;
    if (counter.n) {
        code = BX_REFUSE(d, BX_NOT_FOUND, counter, "unknown counter '%s'", bx_quote(counter).text);
        bx_builder_hint_counters(d);
        return code;
    }
    code = BX_REFUSE(d, BX_NOT_FOUND, name, BX_UNKNOWN_EVENT("%s"), bx_quote(name).text);
    if (m.terms.p) {
        bx_hint(d->e,
                "LIKWID's name of cpu/%s/; it is read with one of its counters, as in %s:PMC0",
                m.terms.p, bx_quote(name).text);
        return code;
    }
    bx_hint(d->e, BX_DID_YOU_MEAN_NAME("%s%s%s"), bx_cat_z(d->c, d->event->name),
            m.says.umask == BX_NONE ? "" : ":",
            m.says.umask == BX_NONE ? "" : bx_cat_z(d->c, bx_cat_umasks(d->c)[m.says.umask].name));
    return code;
}

/* For one event (NEW_PACKETS_RECV) LIKWID numbers the ports from 1. */
static uint64_t port_meant(const bx_event_builder *d, const split *says)
{
    unsigned ports = d->pmu->ports * d->pmu->unit_max;
    return (unsigned)says->port == ports && ports ? ports - 1 : (unsigned)says->port;
}

/* Chooses port, place and unit mask, as far as the name says them. */
static int choose_what(bx_event_builder *d, const split *says, bx_str name)
{
    int code = BX_OK;
    if (says->port != BX_ANY)
        code = bx_builder_port(d, port_meant(d, says), name);
    if (!code && says->place != BX_ANY)
        code = bx_builder_place(d, (uint64_t)says->place, name);
    if (!code && says->umask != BX_NONE)
        code = bx_builder_umask(d, says->umask, name);
    return code;
}

int bx_read_likwid(bx_event_builder *d, bx_str part, bool *found)
{
    bx_str rest = part;
    bx_str name = bx_str_cut(&rest, ':');
    bx_str counter = bx_str_cut(&rest, ':');
    candidates all;
    *found = name.n && find_candidates(d, name, counter, &all);
    if (!*found)
        return BX_OK;
    d->likwid = true;
    if (all.n == 0)
        return no_candidate(d, name, counter, &all.on, all.stem);
    if (all.n > 1) {
        int code =
            BX_REFUSE(d, BX_BAD_INPUT, counter, "'%s' is a counter of more than one CPU model",
                      bx_quote(counter).text);
        bx_hint(d->e, "name the CPU model, or write %s::… or %s::…",
                bx_cat_z(d->c, bx_cat_pmus(d->c)[all.m[0].on.pmu].name),
                bx_cat_z(d->c, bx_cat_pmus(d->c)[all.m[1].on.pmu].name));
        return code;
    }
    int code = choose_event(d, &all.m[0], name);
    if (!code)
        code = bx_builder_counter(d, all.m[0].on.index, counter);
    if (!code && all.m[0].on.unit != BX_ANY)
        code = bx_builder_unit(d, (uint64_t)all.m[0].on.unit, counter);
    if (!code && !all.m[0].terms.p)
        code = choose_what(d, &all.m[0].says, name);
    while (!code && rest.p) {
        bx_str separator = {rest.p - 1, 1};
        bx_str option = bx_str_cut(&rest, ':');
        code = option.n ? read_option(d, option)
                        : BX_REFUSE(d, BX_BAD_INPUT, separator, "nothing after ':'");
    }
    if (!code)
        code = refuse_without_mask(d, part);
    if (!code)
        code = imply_options(d, part);
    if (!code)
        code = imply_levels(d, part);
    return code ? code : imply_threshold(d, part);
}
