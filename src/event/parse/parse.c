/* Event strings in the canonical spelling and in the manual's dotted one. Other tools' spellings
 * are recognised here, and read in event/foreign/perf_reader.c and event/foreign/likwid_reader.c.
 * The grammar: docs/reference/events.md. */
#include "event/build/builder.h"

#include "base/error.h"
#include "event/foreign/foreign.h"
#include "event/foreign_names.h"
#include "event/hint.h"
#include "event/pattern.h"

#include "base/nearest.h"

#include <string.h>

/* The length of the first part, up to a separator or a slash. *at: index of its @, or the
 * length. */
static size_t first_part(bx_str s, size_t *at)
{
    const char *p = s.p, *end = p + s.n, *found = NULL;
    for (; (p = bx_word_end(p, end)) < end && !bx_is_separator(*p) && *p != '/'; p++)
        if (*p == '@' && !found)
            found = p;
    *at = (size_t)((found ? found : p) - s.p);
    return (size_t)(p - s.p);
}

/* The PMU with an event of this name; BX_NONE: none. `more`: a second one. */
typedef struct owner {
    uint16_t pmu, event, more;
} owner;

static const bx_cat_cpu *cpu_of(const struct bx_catalog *c, uint16_t pmu)
{
    return &bx_cat_cpus(c)[bx_cat_pmus(c)[pmu].cpu];
}

/* CPUs that are marked as first come before others, and those that a model imitates before others.
 */
static unsigned turn_of(const struct bx_catalog *c, const bx_cat_cpu *cpu)
{
    return cpu->first ? cpu->first : UINT16_MAX + (bx_cat_is_virtual(c, cpu) ? 1U : 2U);
}

/* Whether the event of the first PMU is meant if both have its name and no PMU is named. */
static bool is_meant(const struct bx_catalog *c, uint16_t pmu, uint16_t other)
{
    return turn_of(c, cpu_of(c, pmu)) < turn_of(c, cpu_of(c, other));
}

static owner owner_among(const bx_event_builder *d, bx_span pmus, bx_str name)
{
    owner o = {BX_NONE, BX_NONE, BX_NONE};
    for (unsigned i = 0; i < pmus.n; i++) {
        uint16_t pmu = (uint16_t)(pmus.first + i);
        bool any = bx_cat_pmus(d->c)[pmu].events.n > 0;
        uint16_t event = any ? bx_cat_find_event(d->c, pmu, name) : BX_NONE;
        if (event == BX_NONE || bx_cat_events(d->c)[event].flags & BX_EVENT_TERMS)
            continue; /* imported names are longer: read_unnamed_imported() */
        if (o.pmu == BX_NONE || is_meant(d->c, pmu, o.pmu))
            o = (owner){pmu, event, BX_NONE};
        else if (o.more == BX_NONE && !is_meant(d->c, o.pmu, pmu))
            o.more = pmu;
    }
    return o;
}

static owner owner_of(const bx_event_builder *d, bx_str name)
{
    return owner_among(d, d->pmus, name);
}

static const char *pmu_name(const bx_event_builder *d, uint16_t pmu)
{
    return bx_cat_z(d->c, bx_cat_pmus(d->c)[pmu].name);
}

/* Finds a PMU. A number at the end of the name is the unit, unless it is part of the name ("p6").
 */
static uint16_t find_pmu(const bx_event_builder *d, bx_str name, bx_str *number)
{
    for (size_t n = name.n;; n--) {
        uint16_t pmu = bx_cat_find_pmu(d->c, (bx_str){name.p, n});
        if (pmu != BX_NONE || n == 0 || !bx_is_digit(name.p[n - 1])) {
            *number = (bx_str){name.p + n, name.n - n};
            return pmu;
        }
    }
}

/* Refuses an event that the named PMU lacks. */
static int unknown_event_of(bx_event_builder *d, uint16_t pmu, bx_str name)
{
    owner other = owner_of(d, name);
    int code = BX_REFUSE(d, BX_NOT_FOUND, name, "%s has no event '%s'", pmu_name(d, pmu),
                         bx_quote(name).text);
    if (!d->e) /* nobody reads a hint */
        return code;
    bx_nearest near = bx_nearest_to(name);
    bx_nearest_offer_events(&near, d->c, &bx_cat_pmus(d->c)[pmu]);
    bx_names all = bx_names_of_events(d->c, &bx_cat_pmus(d->c)[pmu]);
    if (other.pmu != BX_NONE)
        bx_hint(d->e, "it is an event of %s", pmu_name(d, other.pmu));
    else if (!all.n)
        bx_hint(d->e, "it counts nothing");
    else
        bx_hint_nearest(d->e, &near, "it has", &all);
    return code;
}

/* Whether a CPU of these PMUs has a metric, or a group of metrics, of this name. */
static bool names_metric(const bx_event_builder *d, bx_str name)
{
    for (unsigned i = 0; i < d->pmus.n; i++) {
        uint16_t cpu = bx_cat_pmus(d->c)[d->pmus.first + i].cpu;
        if (bx_cat_find_metric(d->c, cpu, name) != BX_NONE ||
            bx_cat_find_metric_group(d->c, cpu, name) != BX_NONE)
            return true;
    }
    return false;
}

/* Refuses an event that no PMU of this machine has, or no PMU at all. */
static int unknown_event(bx_event_builder *d, bx_str name)
{
    int code = BX_REFUSE(d, BX_NOT_FOUND, name, BX_UNKNOWN_EVENT("%s"), bx_quote(name).text);
    if (!d->e) /* nobody reads a hint */
        return code;
    bx_nearest near = bx_nearest_to(name);
    bx_names all = bx_names_of_pmus(d->c, d->pmus);
    for (unsigned i = 0; i < d->pmus.n; i++)
        bx_nearest_offer_events(&near, d->c, &bx_cat_pmus(d->c)[d->pmus.first + i]);
    bx_str number;
    owner other = owner_among(d, (bx_span){0, (uint16_t)d->c->pmus.n}, name);
    if (bx_str_find(name, ' ', 0) >= 0)
        bx_hint(d->e, "events are separated by ',', and unit masks by ':'");
    else if (names_metric(d, name))
        bx_hint(d->e, "it is a metric or a group of them: boxscore info %s shows how to count it",
                bx_quote(name).text);
    else if (find_pmu(d, name, &number) != BX_NONE)
        bx_hint(d->e, "the name of a PMU is followed by '::'");
    else if (other.pmu != BX_NONE)
        bx_hint(d->e, "it is an event of %s, a PMU that this machine or CPU model does not have",
                pmu_name(d, other.pmu));
    else
        bx_hint_nearest(d->e, &near, "boxscore list finds events; they are those of", &all);
    return code;
}

/* The imported event whose name the text begins with: the longest one. Such names contain
 * separators and '='. BX_NONE: none. */
static uint16_t imported_event(const bx_event_builder *d, uint16_t pmu, bx_str text, bx_str *rest)
{
    bx_span events = bx_cat_pmus(d->c)[pmu].events;
    if (!events.n || !(bx_cat_events(d->c)[events.first].flags & BX_EVENT_TERMS))
        return BX_NONE;
    for (size_t n = text.n; n > 0; n--) {
        if (n < text.n && !bx_is_separator(text.p[n]))
            continue;
        uint16_t event = bx_cat_find_event(d->c, pmu, (bx_str){text.p, n});
        if (event == BX_NONE)
            continue;
        *rest = n < text.n ? (bx_str){text.p + n + 1, text.n - n - 1} : (bx_str){NULL, 0};
        return event;
    }
    return BX_NONE;
}

/* Reads what follows the name of an imported event. */
static int read_imported(bx_event_builder *d, uint16_t pmu, uint16_t event, bx_str rest)
{
    bx_builder_event(d, pmu, event);
    int code = BX_OK;
    while (!code && rest.p) {
        const char *equals;
        bx_str separator = {rest.p - 1, 1}, part = bx_cut_part(&rest, &equals);
        bool found;
        code = bx_read_intel_word(d, part, &found);
        if (!code && !found)
            code = bx_read_attributes(d, separator, part);
    }
    return code;
}

/* Reads "EVENT:UMASK…" of a known PMU. */
static int read_event(bx_event_builder *d, uint16_t pmu, bx_str text, bx_str separator)
{
    const char *equals;
    bx_str rest = text;
    bx_str name = bx_cut_part(&rest, &equals);
    if (name.n == 0)
        return BX_REFUSE(d, BX_BAD_INPUT, separator, "no event after '::'");
    bx_str behind;
    uint16_t imported = imported_event(d, pmu, text, &behind);
    if (imported != BX_NONE)
        return read_imported(d, pmu, imported, behind);
    uint16_t event = bx_cat_find_event(d->c, pmu, name);
    if (event != BX_NONE)
        bx_builder_event(d, pmu, event);
    else if (bx_str_eq_fold(name, BX_STR("RAW")))
        bx_builder_raw(d, pmu);
    else
        return unknown_event_of(d, pmu, name);
    return bx_read_attributes(d, (bx_str){name.p + name.n, 1}, rest);
}

/* Whether the name belongs to a PMU of a CPU model that the catalogue lacks: "skx_unc_cha". A PMU
 * of another model is then not a likely meaning. */
static bool hint_at_cpus(const bx_event_builder *d, bx_str name)
{
    bx_str rest = name, cpu = bx_str_cut(&rest, '_');
    bx_names cpus = bx_names_of_cpus(d->c);
    if (!bx_str_starts_fold(rest, BX_STR("unc_")) && !bx_str_eq_fold(rest, BX_STR("core")))
        return false;
    for (size_t i = 0; i < d->c->cpus.n; i++)
        if (bx_str_eq_fold(cpu, bx_cat_str(d->c, bx_cat_cpus(d->c)[i].name)))
            return false;
    bx_hint(d->e, "the catalogue has no CPU model '%s'; it has: %s", bx_quote(cpu).text, cpus.text);
    return true;
}

static int unknown_pmu(bx_event_builder *d, bx_str name)
{
    int code = BX_REFUSE(d, BX_NOT_FOUND, name, "unknown PMU '%s'", bx_quote(name).text);
    if (owner_of(d, name).pmu != BX_NONE) {
        bx_hint(d->e, "the name of an event is followed by one ':'");
        return code;
    }
    while (name.n && bx_is_digit(name.p[name.n - 1]))
        name.n--;
    if (hint_at_cpus(d, name))
        return code;
    bx_nearest near = bx_nearest_to(name);
    bx_nearest_offer_pmus(&near, d->c, (bx_span){0, (uint16_t)d->c->pmus.n});
    bx_names all = bx_names_of_pmus(d->c, d->pmus);
    bx_hint_nearest(d->e, &near, "there are", &all);
    return code;
}

/* Reads the number of a package. at: the part from the '@' on. */
static int read_package(bx_event_builder *d, bx_str at, bx_str digits)
{
    uint32_t package;
    size_t n = bx_digits(digits, &package);
    if (bx_str_eq_fold(digits, BX_STR("socket"))) {
        d->to.package = BX_SOCKET;
        return BX_OK;
    }
    if (n && n == digits.n && package <= INT16_MAX) {
        d->to.package = (int16_t)package;
        return BX_OK;
    }
    int code = BX_REFUSE(d, BX_BAD_INPUT, digits.n ? digits : at, "no package number after '@'");
    bx_hint(d->e, "packages are numbered from 0; @socket is the one where the program begins");
    return code;
}

/* Reads "pmu2@0" before "::"; `at` is the index of the '@'. */
static int read_pmu(bx_event_builder *d, bx_str text, size_t at, uint16_t *pmu)
{
    bx_str name = {text.p, at}, digits;
    *pmu = find_pmu(d, name, &digits);
    if (*pmu == BX_NONE)
        return unknown_pmu(d, name);
    d->pmu = &bx_cat_pmus(d->c)[*pmu];
    if (digits.n) {
        uint32_t unit;
        bx_digits(digits, &unit);
        int code = bx_builder_unit(d, unit, digits);
        if (code)
            return code;
    }
    if (at == text.n)
        return BX_OK;
    return read_package(d, bx_str_sub(text, at, 1), bx_str_sub(text, at + 1, text.n));
}

static int ambiguous(bx_event_builder *d, bx_str name, const owner *o);

/* Reads an imported event without its PMU. *found: there is one. least: a built-in event has so
 * many characters of the text; only more, or the whole text, mean another one. */
static int read_unnamed_imported(bx_event_builder *d, bx_str text, size_t least, bool *found)
{
    owner o = {BX_NONE, BX_NONE, BX_NONE};
    bx_str rest = {NULL, 0}, longest = {text.p, 0};
    for (unsigned i = 0; i < d->pmus.n; i++) {
        uint16_t pmu = (uint16_t)(d->pmus.first + i);
        bx_str behind;
        uint16_t event = imported_event(d, pmu, text, &behind);
        size_t n = event == BX_NONE ? 0 : behind.p ? (size_t)(behind.p - text.p) - 1 : text.n;
        if (n > longest.n) {
            o = (owner){pmu, event, BX_NONE};
            longest.n = n;
            rest = behind;
        } else if (n && n == longest.n && o.more == BX_NONE) {
            o.more = pmu;
        }
    }
    *found = longest.n > least || (longest.n && longest.n == text.n);
    if (!*found)
        return BX_OK;
    return o.more != BX_NONE ? ambiguous(d, longest, &o) : read_imported(d, o.pmu, o.event, rest);
}

static int ambiguous(bx_event_builder *d, bx_str name, const owner *o)
{
    const bx_cat_cpu *cpu = cpu_of(d->c, o->pmu), *other = cpu_of(d->c, o->more);
    bx_quoted what = bx_quote(name);
    int code =
        cpu == other
            ? BX_REFUSE(d, BX_BAD_INPUT, name, "'%s' is an event of more than one PMU", what.text)
            : BX_REFUSE(d, BX_BAD_INPUT, name, "'%s' is an event of two CPUs, %s and %s", what.text,
                        bx_cat_z(d->c, cpu->name), bx_cat_z(d->c, other->name));
    bx_hint(d->e, "%s::%s or %s::%s", pmu_name(d, o->pmu), what.text, pmu_name(d, o->more),
            what.text);
    return code;
}

/* Reads an event without its PMU. */
static int read_unnamed(bx_event_builder *d, bx_str text)
{
    bool likwid;
    bool of_perf = false;
    int code = bx_read_likwid(d, text, &likwid);
    if (!code && !likwid)
        code = bx_read_perf_word(d, text, true, &of_perf);
    if (code || likwid || of_perf)
        return code;
    const char *equals;
    bx_str rest = text;
    bx_str name = bx_cut_part(&rest, &equals);
    owner o = owner_of(d, name);
    bool found;
    code = read_unnamed_imported(d, text, o.pmu == BX_NONE ? 0 : name.n, &found);
    if (code || found)
        return code;
    if (o.more != BX_NONE)
        return ambiguous(d, name, &o);
    if (o.pmu != BX_NONE) {
        bx_builder_event(d, o.pmu, o.event);
        return bx_read_attributes(d, (bx_str){name.p + name.n, 1}, rest);
    }
    if (name.n == 0)
        return BX_REFUSE(d, BX_BAD_INPUT, bx_str_sub(text, 0, 1), "no event before '%c'", *text.p);
    if (bx_str_eq_fold(name, BX_STR("RAW"))) {
        code = BX_REFUSE(d, BX_BAD_INPUT, name, "RAW without a PMU");
        bx_hint(d->e, "write PMU::RAW:code=0x34:umask=0x88");
        return code;
    }
    code = bx_read_perf_word(d, text, false, &of_perf);
    if (code || of_perf)
        return code;
    code = bx_likwid_without_counter(d, text);
    return code ? code : unknown_event(d, name);
}

/* Reads "PMU::EVENT…"; the first part is the PMU, `at` is the index of its '@'. */
static int read_named(bx_event_builder *d, bx_str text, size_t n, size_t at)
{
    bx_str separator = {text.p + n, 2};
    uint16_t pmu;
    if (n == 0)
        return BX_REFUSE(d, BX_BAD_INPUT, separator, "no PMU before '::'");
    int code = read_pmu(d, (bx_str){text.p, n}, at, &pmu);
    return code ? code : read_event(d, pmu, (bx_str){text.p + n + 2, text.n - n - 2}, separator);
}

static int read_any(bx_event_builder *d, bx_str part)
{
    size_t at, n = first_part(part, &at);
    if (n < part.n && part.p[n] == '/')
        return bx_read_perf(d, part);
    if (n + 1 < part.n && part.p[n] == ':' && part.p[n + 1] == ':')
        return read_named(d, part, n, at);
    return read_unnamed(d, part);
}

int bx_event_parse(const bx_catalog *c, int cpu, const char *text, size_t len, bx_evsel *event,
                   bx_error *e)
{
    if (!c)
        return bx_missing(e, "catalogue");
    if (!text)
        return bx_missing(e, "event");
    if (!event)
        return bx_missing(e, "place for the event");
    if (cpu < -1 || cpu >= (int)c->cpus.n)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "there is no CPU model %d", cpu);
    bx_event_builder d = {
        .c = c,
        .pmus = cpu >= 0 ? bx_cat_cpus(c)[cpu].pmus : (bx_span){0, (uint16_t)c->pmus.n},
        .text = {text, len},
        .e = e,
        .to =
            {.unit = BX_ANY, .package = BX_ANY, .counter = BX_ANY, .port = BX_ANY, .place = BX_ANY},
    };
    bx_str part = bx_str_trim(d.text);
    if (part.n == 0)
        return BX_REFUSE(&d, BX_BAD_INPUT, part, "no event given");
    int code = read_any(&d, part);
    if (!code)
        code = bx_builder_finish(&d, part);
    if (!code)
        *event = d.to;
    return code;
}
