/* Events and their unit masks. */
#include "compile/build/build.h"

#include "base/bits.h"
#include "base/error.h"

static const char *const confidences[] = {
    [BX_SURE] = "sure", [BX_LIKELY] = "likely", [BX_WEAK] = "weak"};

static uint8_t confidence(bx_build *b, const bx_syntax_node *node, uint8_t preset)
{
    bx_str word = bx_syntax_arg(node, "confidence", 0);
    return word.p ? (uint8_t)bx_build_keyword(b, node, word, "confidence", confidences, 3) : preset;
}

/* The lines before a unit mask: the source of its name, and its group. */
struct context {
    uint8_t rank;
    uint16_t group;
    bx_cat_text source;
};

static void start_names(bx_build *b, const bx_syntax_node *node, struct context *context)
{
    uint64_t rank = bx_syntax_number(node, "rank", 0);
    if (rank > UINT8_MAX)
        bx_build_fail(b, node, bx_syntax_arg(node, "rank", 0), "range", "a rank of at most 255");
    context->rank = (uint8_t)rank;
    context->source = bx_build_clause_text(b, node, "source");
}

static void start_group(bx_build *b, const bx_syntax_node *node, uint16_t event,
                        struct context *context)
{
    bx_cat_group group = {
        .name = bx_build_text(b, bx_syntax_arg(node, NULL, 0)),
        .title = bx_build_clause_text(b, node, "title"),
        .event = event,
        .preset = BX_NONE,
        .umasks = {bx_build_n(b, BX_T_UMASKS), 0},
        .flags = (uint8_t)((bx_syntax_has(node, "one") ? BX_GROUP_ONE : 0) |
                           (bx_syntax_has(node, "required") ? BX_GROUP_REQUIRED : 0)),
    };
    context->group = bx_build_add(b, BX_T_GROUPS, node);
    *BX_ROW(b, bx_cat_group, BX_T_GROUPS, context->group) = group;
}

/* The counters of an event. If it names none: all except fixed ones, if there are others. */
static uint32_t counter_mask(bx_build *b, const bx_syntax_node *node, uint16_t pmu)
{
    bx_span all = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->counters;
    uint32_t mask = 0;
    for (uint16_t i = 0; i < all.n; i++)
        if (!(BX_ROW(b, bx_cat_counter, BX_T_COUNTERS, all.first + i)->flags & BX_COUNTER_FIXED))
            mask |= UINT32_C(1) << i;
    if (bx_syntax_has(node, "counters"))
        return bx_build_named_counters(b, node, pmu, "counters");
    return mask ? mask : (uint32_t)bx_mask_width(all.n);
}

static uint8_t umask_flags(bx_build *b, const bx_syntax_node *node, const struct context *context)
{
    bool one = context->group != BX_NONE &&
               BX_ROW(b, bx_cat_group, BX_T_GROUPS, context->group)->flags & BX_GROUP_ONE;
    return (uint8_t)((bx_syntax_is(node, "bit") ? BX_UMASK_BIT : 0) |
                     (bx_syntax_has(node, "alias") ? BX_UMASK_ALIAS : 0) |
                     (bx_syntax_has(node, "one") || one ? BX_UMASK_ALONE : 0) |
                     (bx_syntax_has(node, "hides") ? BX_UMASK_HIDES : 0) |
                     (bx_build_no_libpfm(b, node, false) ? BX_UMASK_NO_LIBPFM : 0));
}

static void add_umask(bx_build *b, const bx_syntax_node *node, uint16_t event,
                      const struct context *context)
{
    const bx_cat_event *owner = BX_ROW(b, bx_cat_event, BX_T_EVENTS, event);
    uint16_t pmu = owner->pmu;
    bx_str value = bx_syntax_arg(node, NULL, 1);
    bx_cat_umask umask = {
        .name = bx_build_text(b, bx_syntax_arg(node, NULL, 0)),
        .title = bx_build_clause_text(b, node, "title"),
        .source = bx_syntax_has(node, "source") ? bx_build_clause_text(b, node, "source")
                                                : context->source,
        .note = bx_build_notes(b, node),
        .unit = bx_build_clause_text(b, node, "counts"),
        .likwid = bx_build_clause_text(b, node, "likwid"),
        .unlike = bx_build_clause_text(b, node, "unlike"),
        .event = event,
        .value = (uint32_t)bx_form_number(value),
        .rank = context->rank,
        .flags = umask_flags(b, node, context),
        .confidence = confidence(b, node, owner->confidence),
        .sets = bx_build_sets(b, node, pmu, "sets"),
        .group = context->group,
        .needs = bx_build_modifier_mask(b, node, pmu, "needs"),
        .takes = bx_build_modifier_mask(b, node, pmu, "takes"),
        .counters = bx_build_named_counters(b, node, pmu, "counters"),
    };
    umask.takes |= umask.needs;
    if (bx_form_number(value) > UINT32_MAX)
        bx_build_fail(b, node, value, "umask", "unit mask beyond 32 bits");
    uint16_t row = bx_build_add(b, BX_T_UMASKS, node);
    *BX_ROW(b, bx_cat_umask, BX_T_UMASKS, row) = umask;
    if (context->group != BX_NONE)
        BX_ROW(b, bx_cat_group, BX_T_GROUPS, context->group)->umasks.n++;
}

static bx_span add_umasks(bx_build *b, const bx_syntax_node *event_node, uint16_t event)
{
    uint16_t first = bx_build_n(b, BX_T_UMASKS);
    struct context context = {.group = BX_NONE,
                              .source = BX_ROW(b, bx_cat_event, BX_T_EVENTS, event)->source};
    for (const bx_syntax_node *node = event_node->first; node && !b->failed; node = node->next) {
        if (bx_syntax_is(node, "names"))
            start_names(b, node, &context);
        else if (bx_syntax_is(node, "group"))
            start_group(b, node, event, &context);
        else
            add_umask(b, node, event, &context);
    }
    return bx_build_span(b, BX_T_UMASKS, first);
}

/* The unit mask that an event's or a group's clause `default` names. */
static uint16_t find_default(bx_build *b, const bx_syntax_node *node, bx_span umasks)
{
    bx_str name = bx_syntax_arg(node, "default", 0);
    if (!name.p)
        return BX_NONE;
    uint16_t found = bx_build_find(b, BX_T_UMASKS, umasks, name);
    if (found == BX_NONE)
        bx_build_fail(b, node, name, "reference", "no unit mask is called '%.*s'", BX_QUOTED(name));
    return found;
}

static bx_span add_groups(bx_build *b, const bx_syntax_node *event_node, uint16_t event)
{
    uint16_t first = bx_build_n(b, BX_T_GROUPS);
    BX_ROW(b, bx_cat_event, BX_T_EVENTS, event)->umasks = add_umasks(b, event_node, event);
    bx_span groups = bx_build_span(b, BX_T_GROUPS, first);
    for (uint16_t i = groups.first; i < groups.first + groups.n && !b->failed; i++) {
        bx_cat_group *group = BX_ROW(b, bx_cat_group, BX_T_GROUPS, i);
        group->preset = find_default(b, b->tables[BX_T_GROUPS].from[i], group->umasks);
    }
    return groups;
}

static void add_alias(bx_build *b, const bx_syntax_node *node, uint16_t event, uint16_t first,
                      bx_str name)
{
    bx_cat_alias alias = {.name = bx_build_text(b, name), .event = event};
    uint16_t end = bx_build_n(b, BX_T_ALIASES);
    for (uint16_t i = first; i < end; i++)
        if (BX_ROW(b, bx_cat_alias, BX_T_ALIASES, i)->name == alias.name)
            return;
    uint16_t row = bx_build_add(b, BX_T_ALIASES, node);
    *BX_ROW(b, bx_cat_alias, BX_T_ALIASES, row) = alias;
}

/* The names that other sources have for an event. */
static bx_span add_aliases(bx_build *b, const bx_syntax_node *node, uint16_t event)
{
    const bx_clause *alias = bx_clause_find(node->clauses, "alias");
    bx_str likwid = bx_syntax_arg(node, "likwid", 0), libpfm = bx_syntax_arg(node, "libpfm", 0);
    uint16_t first = bx_build_n(b, BX_T_ALIASES);
    if (likwid.p)
        add_alias(b, node, event, first, likwid);
    if (libpfm.p && !bx_build_no_libpfm(b, node, true))
        add_alias(b, node, event, first, libpfm);
    for (unsigned i = 0; alias && i < alias->n; i++)
        add_alias(b, node, event, first, alias->args[i]);
    return bx_build_span(b, BX_T_ALIASES, first);
}

static uint32_t named_modifiers(const bx_build *b, uint16_t pmu)
{
    bx_span all = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->modifiers;
    uint32_t mask = 0;
    for (uint16_t i = 0; i < all.n; i++) {
        uint8_t flags = BX_ROW(b, bx_cat_modifier, BX_T_MODIFIERS, all.first + i)->flags;
        mask |= (flags & BX_MODIFIER_HIDDEN) ? 0 : UINT32_C(1) << i;
    }
    return mask;
}

static uint32_t taken_modifiers(bx_build *b, const bx_syntax_node *node, uint16_t pmu)
{
    const bx_clause *c = bx_clause_find(node->clauses, "takes");
    if (!c)
        return named_modifiers(b, pmu);
    if (c->n == 1 && bx_str_eq(c->args[0], BX_STR("none")))
        return 0;
    return bx_build_modifier_mask(b, node, pmu, "takes");
}

static uint32_t hidden_modifiers(const bx_build *b, bx_span sets, uint16_t first)
{
    uint32_t mask = 0;
    for (uint16_t i = sets.first; i < sets.first + sets.n; i++) {
        uint16_t modifier = BX_ROW(b, bx_cat_set, BX_T_SETS, i)->modifier;
        if (BX_ROW(b, bx_cat_modifier, BX_T_MODIFIERS, modifier)->flags & BX_MODIFIER_HIDDEN)
            mask |= UINT32_C(1) << (modifier - first);
    }
    return mask;
}

/* The hidden modifiers that are set when a modifier is given: with any value, by the name of a
 * value, or as its mask. */
static uint32_t set_beside(const bx_build *b, const bx_cat_modifier *m, uint16_t first)
{
    uint32_t mask = hidden_modifiers(b, m->sets, first);
    for (uint16_t i = m->values.first; i < m->values.first + m->values.n; i++)
        mask |= hidden_modifiers(b, BX_ROW(b, bx_cat_value, BX_T_VALUES, i)->sets, first);
    if (m->masked != BX_NONE &&
        BX_ROW(b, bx_cat_modifier, BX_T_MODIFIERS, m->masked)->flags & BX_MODIFIER_HIDDEN)
        mask |= UINT32_C(1) << (m->masked - first);
    return mask;
}

/* The hidden modifiers that share their name in Linux with one of those taken: they are parts of
 * one term. */
static uint32_t neighbours(const bx_build *b, bx_span all, uint32_t taken)
{
    uint32_t mask = 0;
    for (uint16_t i = 0; i < all.n; i++)
        for (uint16_t other = 0; other < all.n; other++) {
            const bx_cat_modifier *m = BX_ROW(b, bx_cat_modifier, BX_T_MODIFIERS, all.first + i);
            bx_cat_text kernel =
                BX_ROW(b, bx_cat_modifier, BX_T_MODIFIERS, all.first + other)->kernel;
            if (m->flags & BX_MODIFIER_HIDDEN && m->kernel && m->kernel == kernel &&
                taken >> other & 1)
                mask |= UINT32_C(1) << i;
        }
    return mask;
}

/* An event takes the hidden modifiers that are set by its unit masks or by modifiers that it takes,
 * together with the partners of these. */
static void link_event(bx_build *b, bx_cat_event *event)
{
    bx_span all = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, event->pmu)->modifiers;
    for (uint16_t i = event->groups.first; i < event->groups.first + event->groups.n; i++) {
        uint16_t preset = BX_ROW(b, bx_cat_group, BX_T_GROUPS, i)->preset;
        if (preset != BX_NONE)
            event->minds |=
                hidden_modifiers(b, BX_ROW(b, bx_cat_umask, BX_T_UMASKS, preset)->sets, all.first);
    }
    for (uint16_t i = event->umasks.first; i < event->umasks.first + event->umasks.n; i++) {
        const bx_cat_umask *umask = BX_ROW(b, bx_cat_umask, BX_T_UMASKS, i);
        event->bound |= umask->takes;
        event->flags |= umask->counters ? BX_EVENT_COUNTERS : 0;
        event->modifiers |= hidden_modifiers(b, umask->sets, all.first);
    }
    event->modifiers |= hidden_modifiers(b, event->sets, all.first);
    event->modifiers |= neighbours(b, all, event->modifiers);
    for (uint16_t i = 0; i < all.n; i++)
        if (event->modifiers >> i & 1)
            event->modifiers |=
                set_beside(b, BX_ROW(b, bx_cat_modifier, BX_T_MODIFIERS, all.first + i), all.first);
}

static uint32_t small_number(bx_build *b, const bx_syntax_node *node, const char *word,
                             uint32_t preset, unsigned bits)
{
    uint64_t n = bx_syntax_number(node, word, preset);
    if (n > bx_mask_width(bits))
        bx_build_fail(b, node, bx_syntax_arg(node, word, 0), "code", "%s beyond %u bits", word,
                      bits);
    return (uint32_t)n;
}

static uint32_t scale_of(bx_build *b, const bx_syntax_node *node)
{
    uint32_t n = small_number(b, node, "scale", 1, 32);
    if (n == 0)
        bx_build_fail(b, node, bx_syntax_arg(node, "scale", 0), "range",
                      "a count stands for 1 or more");
    return n;
}

/* The only place of its slot that an event takes. */
static uint8_t place_of(bx_build *b, const bx_syntax_node *node)
{
    bx_str at = bx_syntax_arg(node, "in", 1);
    uint64_t n = at.p ? bx_form_number(at) : BX_ANY_PLACE;
    if (n > BX_ANY_PLACE)
        bx_build_fail(b, node, at, "range", "a slot has at most %d places", BX_ANY_PLACE);
    return (uint8_t)n;
}

/* The kinds of bits of which a unit mask needs one each: "state=0x0f request=0xf0". */
static void add_each(bx_build *b, const bx_syntax_node *node, bx_cat_event *event)
{
    const bx_clause *c = bx_clause_find(node->clauses, "each");
    for (unsigned i = 0; c && i < c->n; i++) {
        bx_str value = c->args[i], name = bx_str_cut(&value, '=');
        uint64_t mask = bx_form_number(value);
        if (i == BX_EACH || !mask || mask > UINT32_MAX) {
            bx_build_fail(b, node, c->args[i], "range", "up to %d masks of 1 to 32 bits", BX_EACH);
            return;
        }
        event->each[i] = (uint32_t)mask;
        event->each_name[i] = bx_build_text(b, name);
    }
}

static void add_event(bx_build *b, const bx_syntax_node *file, const bx_syntax_node *node,
                      uint16_t pmu)
{
    bool none = bx_build_no_libpfm(b, node, true);
    bool none_at_all = bx_build_no_libpfm(b, file->first, false);
    bx_cat_event event = {
        .name = bx_build_text(b, bx_syntax_arg(node, NULL, 0)),
        .title = bx_build_clause_text(b, node, "title"),
        .source = bx_build_clause_text(b, node, "source"),
        .note = bx_build_notes(b, node),
        .caution = bx_build_clause_text(b, node, "caution"),
        .alias = bx_build_clause_text(b, node, "likwid"),
        .libpfm = none ? 0 : bx_build_clause_text(b, node, "libpfm"),
        .kernel = bx_build_clause_text(b, node, "kernel"),
        .unit = bx_build_clause_text(b, node, "counts"),
        .topics = bx_build_clause_text(b, node, "topics"),
        .pmu = pmu,
        .slot = bx_build_find_slot(b, node, pmu),
        .code = small_number(b, node, "code", 0, 32),
        .scale = scale_of(b, node),
        .counters = counter_mask(b, node, pmu),
        .modifiers = taken_modifiers(b, node, pmu),
        .max = (uint16_t)small_number(b, node, "max", 0, 16),
        .confidence = confidence(b, node, BX_SURE),
        .flags = (uint8_t)((none || none_at_all ? BX_EVENT_NO_LIBPFM : 0) |
                           (bx_syntax_has(node, "tally") ? BX_EVENT_TALLY : 0)),
        .umask_default = BX_NONE,
        .place = place_of(b, node),
        .follows = (uint8_t)small_number(b, node, "follows", BX_NO_COUNTER, 8),
        .sets = bx_build_sets(b, node, pmu, "sets"),
        .minds = bx_build_modifier_mask(b, node, pmu, "minds"),
        .unlike = bx_build_clause_text(b, node, "unlike"),
        .implied = bx_build_sets(b, node, pmu, "implies"),
    };
    event.modifiers |= event.minds;
    add_each(b, node, &event);
    uint16_t row = bx_build_add(b, BX_T_EVENTS, node);
    *BX_ROW(b, bx_cat_event, BX_T_EVENTS, row) = event;
    bx_span groups = add_groups(b, node, row), aliases = add_aliases(b, node, row);
    bx_cat_event *added = BX_ROW(b, bx_cat_event, BX_T_EVENTS, row);
    added->groups = groups;
    added->aliases = aliases;
    added->umask_default = find_default(b, node, added->umasks);
    if (!b->failed)
        link_event(b, added);
}

void bx_build_events(bx_build *b, const bx_syntax_node *file, uint16_t pmu)
{
    uint16_t first = bx_build_n(b, BX_T_EVENTS);
    for (const bx_syntax_node *node = file->first; node && !b->failed; node = node->next)
        if (bx_syntax_is(node, "event"))
            add_event(b, file, node, pmu);
    BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->events = bx_build_span(b, BX_T_EVENTS, first);
}
