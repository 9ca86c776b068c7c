/* Lists the kernel's events. PMUs that differ only in their number are listed once. */
#include "cli/show/list_kernel.h"

#include "cli/show/word_match.h"

#include "base/printable.h"
#include "cli/common/names.h"
#include "host/discover/tables.h"
#include "host/perf/resctrl.h"
#include "host/perf/stand_ins.h"
#include "machine/machine.h"
#include "machine/kernel_events.h"

#include <stdio.h>
#include <string.h>

typedef struct walk {
    bx_perf *perf;
    const bx_texts *words;
    bx_buf *to;
    bx_json *json;
    const char *heading; /* last heading */
    size_t found;
} walk;

/* One event, with its name as in -e. */
typedef struct entry {
    const char *pmu, *heading, *name, *title, *counts, *kind;
    size_t first; /* its PMU, which may represent similar ones */
    bool of_pmu;
} entry;

/* The length of "uncore_cbox" in "uncore_cbox_2"; of a name without a number, all of it. */
static size_t stem_of(const char *name)
{
    size_t n = strlen(name), at = n;
    while (at > 0 && bx_is_digit(name[at - 1]))
        at--;
    return at < n && at > 1 && name[at - 1] == '_' ? at - 1 : n;
}

/* Whether two PMUs differ only in their number. */
static bool are_alike(const bx_perf *p, size_t one, size_t other)
{
    const char *a = p->pmus[one].name, *b = p->pmus[other].name;
    size_t stem = stem_of(a);
    return stem_of(b) == stem && strncmp(a, b, stem) == 0 && (a[stem] == '\0') == (b[stem] == '\0');
}

/* Whether the word names one of the similar PMUs: "uncore_imc_1/reads/". */
static bool names_one(const walk *w, const entry *e, bx_str word)
{
    const char *event = strchr(e->name, '/');
    for (size_t i = e->first; e->of_pmu && event && i < w->perf->n; i++) {
        bx_word whole;
        snprintf(whole.text, sizeof whole.text, "%s%s", w->perf->pmus[i].name, event);
        const bx_str texts[] = {bx_str_of(w->perf->pmus[i].name), bx_str_of(whole.text)};
        if (are_alike(w->perf, e->first, i) && bx_word_matches(word, texts, 2))
            return true;
    }
    return false;
}

static bool is_listed(const walk *w, const entry *e)
{
    const bx_str texts[] = {bx_str_of(e->name), bx_str_of(e->title), bx_str_of(e->heading)};
    for (size_t i = 0; i < w->words->n; i++) {
        bx_str word = bx_str_of(w->words->text[i]);
        if (!bx_word_matches(word, texts, sizeof texts / sizeof *texts) && !names_one(w, e, word))
            return false;
    }
    return true;
}

static void show_entry(walk *w, const entry *e)
{
    if (!is_listed(w, e))
        return;
    w->found++;
    if (w->json) {
        bx_json_open(w->json, NULL, '{');
        bx_json_text(w->json, "event", e->name);
        bx_json_text(w->json, "pmu", e->pmu);
        bx_json_text(w->json, "cpu", NULL);
        bx_json_text(w->json, "title", e->title);
        bx_json_text(w->json, "kind", e->kind);
        bx_json_text(w->json, "counts", e->counts);
        bx_json_close(w->json, '}');
        return;
    }
    if (!w->heading || strcmp(w->heading, e->heading) != 0) {
        bx_buf_z(w->to, w->to->n ? "\n" : "");
        bx_buf_name(w->to, e->heading);
        bx_buf_z(w->to, "\n");
    }
    w->heading = e->heading;
    size_t line = w->to->n;
    bx_buf_z(w->to, "    ");
    bx_buf_name(w->to, e->name);
    bx_add_column(w->to, line, 63);
    bx_buf_name(w->to, e->title);
    bx_buf_z(w->to, "\n");
}

static void list_generic(walk *w, bool cores)
{
    const bx_perf_generic *g;
    for (size_t i = 0; (g = bx_perf_generic_at(i)); i++)
        if (!g->alias && (cores || g->type == 1))
            show_entry(w,
                       &(entry){g->type == 1 ? "software" : "hardware",
                                g->type == 1 ? "What the kernel counts of a program (perf_event)"
                                             : "What the kernel counts of the cores (perf_event)",
                                g->name, g->title, g->count, "kernel", 0, false});
}

/* The number of similar PMUs; 0: an earlier one represents this one. */
static unsigned alike(const bx_perf *p, size_t which)
{
    unsigned n = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (!are_alike(p, which, i))
            continue;
        if (i < which)
            return 0;
        n++;
    }
    return n;
}

/* "PMU uncore_cbox (perf_event, 4 of them; terms event, umask; max_precise 3)" */
static void head(const bx_perf_pmu *pmu, unsigned units, int stem, bx_buf *to)
{
    bx_buf_f(to, "PMU %.*s (perf_event", stem, pmu->name);
    if (units > 1)
        bx_buf_f(to, ", %u of them", units);
    for (size_t i = 0; i < pmu->formats_n; i++)
        bx_buf_f(to, "%s %s", i ? "," : "; terms", pmu->formats[i].name);
    for (size_t i = 0; i < pmu->caps_n; i++)
        bx_buf_f(to, "%s %s %s", i ? "," : ";", pmu->caps[i].name, pmu->caps[i].value);
    bx_buf_z(to, ")");
}

static void list_pmu(walk *w, size_t first, unsigned units)
{
    const bx_perf_pmu *pmu = &w->perf->pmus[first];
    int stem = (int)(units > 1 ? stem_of(pmu->name) : strlen(pmu->name));
    bx_buf heading = {.whole = &w->to->failed};
    head(pmu, units, stem, &heading);
    for (size_t i = 0; i < pmu->events_n && !heading.failed; i++) {
        const bx_perf_named *event = &pmu->events[i];
        bx_word name, title;
        snprintf(name.text, sizeof name.text, "%.*s/%s/", stem, pmu->name, event->name);
        snprintf(title.text, sizeof title.text, "%s%s%s", event->terms, *event->unit ? ", in " : "",
                 event->unit);
        show_entry(w, &(entry){pmu->name, heading.p, name.text, title.text, event->unit, "kernel",
                               first, true});
    }
    w->heading = NULL;
    bx_buf_free(&heading);
}

/* ---- files of resctrl ---- */

static void list_resctrl(walk *w)
{
    size_t n;
    const char *const *events = bx_resctrl_events(w->perf, &n);
    for (size_t i = 0; i < n; i++) {
        bx_word name;
        snprintf(name.text, sizeof name.text, "resctrl/%s/", events[i]);
        show_entry(w, &(entry){"resctrl",
                               "Files of resctrl, of all tasks or with ',group=NAME' of a group",
                               name.text, bx_resctrl_title(events[i]), "", "kernel", 0, false});
    }
}

/* ---- units ---- */

/* The kernel's first PMU of these units, by their name or their type; NULL: it drives none. */
static const char *driven_as(const bx_perf *p, const char *name)
{
    char other[64];
    bool has_other = bx_perf_pmu_instead(p, bx_str_of(name), other, sizeof other);
    size_t n = strlen(name), other_n = has_other ? strlen(other) : 0;
    for (size_t i = 0; i < p->n; i++) {
        const char *own = p->pmus[i].name;
        size_t stem = stem_of(own);
        if ((stem == n && strncmp(own, name, n) == 0) ||
            (has_other && stem == other_n && strncmp(own, other, other_n) == 0) ||
            strcmp(own, name) == 0 || (has_other && strcmp(own, other) == 0))
            return own;
    }
    return NULL;
}

/* Units that the CPU itself describes: the kernel may drive them without an event of a name. */
static void list_units(walk *w, const char *root)
{
    bx_discovery d;
    bx_discovery_read(root, &d);
    for (size_t i = 0; i < d.kinds_n; i++) {
        const bx_discovered *kind = &d.kinds[i];
        const char *known = bx_discovered_name(kind->type);
        bx_word name, title;
        if (known)
            snprintf(name.text, sizeof name.text, "uncore_%s", known);
        else
            snprintf(name.text, sizeof name.text, "uncore_type_%u", kind->type);
        const char *driven = driven_as(w->perf, name.text);
        snprintf(title.text, sizeof title.text, "%u per package, %u counters of %u bits, %s; %s%s",
                 kind->units, kind->counters, kind->bits, bx_discovered_access_name(kind->access),
                 driven ? "perf_event: " : "the kernel does not drive it", driven ? driven : "");
        show_entry(w, &(entry){driven ? driven : name.text,
                               "Units of the uncore, as the CPU's discovery tables describe them",
                               name.text, title.text, "", "unit", 0, false});
    }
}

size_t bx_list_kernel(bx_machine *m, const bx_texts *words, bx_buf *to, bx_json *json)
{
    walk w = {.perf = bx_machine_perf(m), .words = words, .to = to, .json = json};
    if (!w.perf)
        return 0;
    bool cores = bx_perf_find(w.perf, BX_STR("cpu")) || bx_perf_find(w.perf, BX_STR("cpu_core"));
    if (w.perf->n)
        list_generic(&w, cores);
    w.heading = NULL;
    for (size_t i = 0; i < w.perf->n; i++) {
        bx_perf_pmu *pmu = &w.perf->pmus[i];
        unsigned units = alike(w.perf, i);
        if (units && bx_perf_describe(w.perf, pmu) && pmu->exists)
            list_pmu(&w, i, units);
    }
    w.heading = NULL;
    list_resctrl(&w);
    w.heading = NULL;
    list_units(&w, bx_machine_root(m));
    to->failed |= w.perf->arena->failed;
    return w.found;
}
