/* Lists perf's words. */
#include "cli/show/list_words.h"

#include "cli/common/names.h"
#include "cli/show/word_match.h"
#include "event/event.h"
#include "event/foreign_names.h"
#include "machine/modelled_events.h"

#include <string.h>

typedef struct walk {
    const struct bx_catalog *c;
    const bx_cat_cpu *cpu;
    const bx_texts *words;
    bx_buf *to;
    bx_json *json;
    size_t found;
} walk;

static bool matches(const walk *w, const bx_str *texts, size_t n)
{
    for (size_t i = 0; i < w->words->n; i++)
        if (!bx_word_matches(bx_str_of(w->words->text[i]), texts, n))
            return false;
    return true;
}

/* selection: the canonical string, or "". */
static void show_word(walk *w, const char *word, const char *selection, const char *title,
                      const char *counts)
{
    if (w->json) {
        bx_json_open(w->json, NULL, '{');
        bx_json_text(w->json, "event", word);
        bx_json_text(w->json, "pmu", NULL);
        bx_json_text(w->json, "cpu", bx_cat_z(w->c, w->cpu->name));
        bx_json_text(w->json, "title", title);
        bx_json_text(w->json, "kind", *selection ? "word" : "kernel");
        bx_json_text(w->json, "selection", *selection ? selection : NULL);
        bx_json_text(w->json, "counts", counts);
        bx_json_close(w->json, '}');
    } else {
        if (!w->found)
            bx_buf_f(w->to, "%sperf's words on %s\n", w->to->n ? "\n" : "",
                     bx_cat_z(w->c, w->cpu->name));
        size_t line = w->to->n;
        bx_buf_f(w->to, "    %s", word);
        bx_add_column(w->to, line, 32);
        bx_buf_f(w->to, "%s%s%s\n", title, *selection ? ": " : "", selection);
    }
    w->found++;
}

/* A word for an event of the core. */
static void offer_event(walk *w, int cpu, const char *word, const bx_machine *model)
{
    enum { ROOM = 256 };
    char canonical[ROOM];
    bx_evsel event;
    if (bx_event_parse(w->c, cpu, word, strlen(word), &event, NULL) ||
        bx_event_format(w->c, &event, canonical, ROOM) >= ROOM ||
        (model && !bx_machine_produces(model, &event)))
        return;
    bool named = event.event != BX_RAW;
    const bx_cat_event *of = named ? &bx_cat_events(w->c)[event.event] : NULL;
    const char *title = of ? bx_cat_z(w->c, of->title) : "an event without a name";
    const bx_str texts[] = {bx_str_of(word), bx_str_of(canonical), bx_str_of(title),
                            of ? bx_cat_str(w->c, of->topics) : bx_str_of("")};
    if (matches(w, texts, sizeof texts / sizeof *texts))
        show_word(w, word, canonical, title, of ? bx_cat_z(w->c, of->unit) : "");
}

size_t bx_list_words(const struct bx_catalog *c, unsigned cpu, const bx_texts *words,
                     const bx_machine *model, bx_buf *to, bx_json *json)
{
    walk w = {
        .c = c, .cpu = &bx_cat_cpus(c)[cpu], .words = words, .to = to, .json = json, .found = 0};
    for (uint16_t i = w.cpu->pmus.first; i < w.cpu->pmus.first + w.cpu->pmus.n; i++) {
        bx_span names = bx_cat_pmus(c)[i].perf_names;
        for (unsigned k = 0; k < names.n; k++)
            if (bx_kernel_is_word(c, i, k))
                offer_event(&w, (int)cpu, bx_cat_z(c, bx_cat_other_names(c)[names.first + k].name),
                            model);
    }
    const bx_modelled_name *name;
    for (size_t i = 0; bx_cat_is_virtual(c, w.cpu) && (name = bx_modelled_event_at(i)); i++) {
        const bx_str texts[] = {bx_str_of(name->name), bx_str_of(name->title)};
        if (!name->alias && matches(&w, texts, sizeof texts / sizeof *texts))
            show_word(&w, name->name, "", name->title, name->counts);
    }
    return w.found;
}
