/* Pages: which tallies of a virtual machine an event adds up. */
#include "cli/show/describe_tallies.h"

#include "cli/common/names.h"
#include "event/event.h"
#include "machine/machine.h"

#include <string.h>

static const bx_page_columns columns = {.heads = "unit mask\ttallies", .text_at = 32};

/* "lookups: reads; M, E" */
static void words_of(const bx_machine *m, const bx_evsel *event, bx_buf *to)
{
    if (!bx_machine_describe(m, event, to))
        bx_buf_z(to, "not modelled");
}

/* Nothing for a unit mask that means something only with another one. */
static void item(bx_page *to, const bx_machine *m, const char *string, const char *name)
{
    bx_buf text = {.whole = &to->to->failed};
    bx_evsel selection;
    if (bx_event_parse(m->topology.catalog, -1, string, strlen(string), &selection, NULL))
        return;
    words_of(m, &selection, &text);
    bx_page_item(to, bx_buf_text(&text), "%s", name);
    bx_buf_free(&text);
}

static void heading(bx_page *to, const bx_machine *m)
{
    bx_buf text = {.whole = &to->to->failed};
    bx_buf_f(&text, "added up by %s", bx_machine_name(m));
    bx_page_list(to, &columns, bx_buf_text(&text));
    bx_buf_free(&text);
}

void bx_describe_tallies(bx_page *to, const bx_machine *m, unsigned event)
{
    const bx_catalog *c = m->topology.catalog;
    const bx_cat_event *e = &bx_cat_events(c)[event];
    heading(to, m);
    if (!e->umasks.n)
        item(to, m, bx_event_name_word(c, event).text, bx_cat_z(c, e->name));
    for (unsigned i = 0; i < e->umasks.n; i++) {
        const bx_cat_umask *umask = &bx_cat_umasks(c)[e->umasks.first + i];
        bx_word string = bx_umask_name_word(c, e->umasks.first + i);
        if (!(umask->flags & BX_UMASK_ALIAS))
            item(to, m, string.text, bx_cat_z(c, umask->name));
    }
}

void bx_describe_tallies_of(bx_page *to, const bx_machine *m, const bx_evsel *selection)
{
    bx_buf text = {.whole = &to->to->failed};
    words_of(m, selection, &text);
    heading(to, m);
    bx_page_item(to, bx_buf_text(&text), "%s", bx_event_word(m->topology.catalog, selection).text);
    bx_buf_free(&text);
}
