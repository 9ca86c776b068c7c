/* The tables as HTML: readable without scripts, and what scripts fill again. Rows and "not in these
 * rows" add up to the totals. */
#include "base/error.h"
#include "profile/page/page.h"
#include "report/number.h"

#include <stdlib.h>
#include <string.h>

static const struct page_table {
    const char *id, *title, *by, *about;
    unsigned top;
} tables[] = {
    {"function", "Functions", "function", "", 60},
    {"line", "Lines", "function,line", "", 100},
    {"object", "Objects", "object",
     "The data that is accessed: heap by the line that allocates it, variables by name.", 60},
    {"thread", "Threads", "thread", "", 60},
    {"shared", "Shared lines", "shared-line",
     "Cache lines that another core had when they were asked for, with both sides: a requester "
     "asks "
     "for the line, the owner is its last writer. Counts by address have no time, so a selected "
     "time does not change them.",
     30},
};

enum { SIDES_SHOWN = 12, CAUSES_LEAST = 1 };

/* ---- cells of a table ---- */

static void add_head_cell(const char *label, const char *title, bx_buf *to)
{
    bx_buf_z(to, "<th scope=\"col\"");
    if (title) {
        bx_buf_z(to, " title=\"");
        bx_html_text(to, title);
        bx_buf_z(to, "\"");
    }
    bx_buf_z(to, ">");
    bx_html_text(to, label);
    bx_buf_z(to, "</th>");
}

static void add_count_cell(const char *label, int64_t count, bx_buf *to)
{
    char digits[BX_NUMBER];
    bx_buf_z(to, "<td data-l=\"");
    bx_html_text(to, label);
    bx_buf_f(to, "\">%s%s</td>", count < 0 ? "-" : "",
             bx_number_whole((uint64_t)(count < 0 ? -count : count), digits));
}

/* The part of the whole as a bar and in percent. */
static void add_share_cell(int64_t part, int64_t whole, bx_buf *to)
{
    double percent = whole > 0 ? 100.0 * (double)part / (double)whole : 0;
    bx_buf_f(to,
             "<td class=\"share\" data-l=\"share\"><i style=\"width:%.0f%%\"></i>%.1f&nbsp;%%</td>",
             percent < 0     ? 0
             : percent > 100 ? 100
                             : percent,
             percent);
}

static int64_t cycles_in(const bx_profile *p, const int64_t *value, bool waits)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < p->events; i++)
        sum += (waits ? p->event[i].wait : p->event[i].cycles) ? value[i] : 0;
    return sum;
}

/* The cause for which it waits most. */
static void add_cause_cell(const bx_profile *p, const int64_t *value, bx_buf *to)
{
    const bx_profile_event *most = NULL;
    int64_t waits = cycles_in(p, value, true), count = 0;
    for (uint32_t i = 0; i < p->events; i++)
        if (p->event[i].wait && value[i] > count) {
            most = &p->event[i];
            count = value[i];
        }
    bx_buf_z(to, "<td class=\"cause\" data-l=\"waits for\">");
    if (most) {
        bx_html_text(to, most->name + strlen("wait:"));
        bx_buf_f(to, " %.0f&nbsp;%%", 100.0 * (double)count / (double)waits);
    }
    bx_buf_z(to, "</td>");
}

static bool shows(const bx_html *page, const bx_profile_table *t, unsigned column)
{
    return t->has[page->column[column]];
}

static void add_count_cells(const bx_html *page, const bx_profile_table *t, const int64_t *value,
                            bool sums, bx_buf *to)
{
    const bx_profile *p = page->of;
    if (p->time && t->source == BX_FROM_COST) {
        int64_t all = 0;
        for (uint32_t i = 0; i < p->events; i++)
            all += p->event[i].cycles ? p->event[i].total : 0;
        add_share_cell(cycles_in(p, value, false), all, to);
        add_count_cell("cycles", cycles_in(p, value, false), to);
        add_count_cell("waits", cycles_in(p, value, true), to);
        if (sums)
            bx_buf_z(to, "<td class=\"cause\"></td>");
        else
            add_cause_cell(p, value, to);
    }
    for (unsigned i = 0; i < page->columns; i++)
        if (shows(page, t, i))
            add_count_cell(page->label[i], value[page->column[i]], to);
}

/* ---- names ---- */

/* The end of a path, with all of it as a title. */
static void add_path(const char *path, bx_buf *to)
{
    const char *end = strrchr(path, '/');
    bx_buf_z(to, "<span class=\"at\" title=\"");
    bx_html_text(to, path);
    bx_buf_z(to, "\">");
    bx_html_text(to, end ? end + 1 : path);
    bx_buf_z(to, "</span>");
}

static void add_key(const bx_profile_table *t, const bx_profile_row *row, bx_buf *to)
{
    for (unsigned i = 0; i < t->columns; i++) {
        const bx_cell *cell = &row->key[i];
        const bx_profile_column *column = &t->column[i];
        bx_buf_z(to, i ? " " : "");
        if (cell->kind == BX_CELL_TEXT && strcmp(column->name, "line") == 0) {
            add_path(cell->text, to);
        } else if (cell->kind == BX_CELL_TEXT) {
            bx_buf_z(to, i ? "<span class=\"at\">" : "<code>");
            bx_html_text(to, cell->text);
            bx_buf_z(to, i ? "</span>" : "</code>");
        } else if (cell->kind != BX_CELL_NUMBER) {
            bx_buf_f(to, "<span class=\"at\">(no %s)</span>", column->name);
        } else if (column->kind == BX_COLUMN_HEX) {
            bx_buf_f(to, "<code>0x%llx</code>", (unsigned long long)cell->number);
        } else {
            bx_buf_f(to, "<span%s>%s %lld</span>", i ? " class=\"at\"" : "", column->name,
                     (long long)cell->number);
        }
    }
}

/* ---- rows ---- */

static void add_head(const bx_html *page, const bx_profile_table *t, const char *first, bx_buf *to)
{
    const bx_profile *p = page->of;
    bx_buf_z(to, "<thead><tr>");
    add_head_cell(first, NULL, to);
    if (p->time && t->source == BX_FROM_COST) {
        add_head_cell("share", "of all cycles of the cores", to);
        add_head_cell("cycles", "issue and all waits", to);
        add_head_cell("waits", "cycles in which a core waits", to);
        add_head_cell("waits for", "the cause of most of the waits", to);
    }
    for (unsigned i = 0; i < page->columns; i++) {
        const bx_profile_event *event = &p->event[page->column[i]];
        if (shows(page, t, i))
            add_head_cell(page->label[i], event->name, to);
    }
    bx_buf_z(to, "</tr></thead>\n");
}

static const char *short_name_of(const bx_profile *p, const char *event)
{
    for (uint32_t i = 0; i < p->events; i++)
        if (strcmp(p->event[i].name, event) == 0)
            return bx_html_short_name(&p->event[i]);
    return event;
}

static void add_sides_of(const bx_profile_table *t, uint32_t row, unsigned columns, bx_buf *to)
{
    char digits[BX_NUMBER];
    unsigned n = 0;
    for (uint32_t i = 0; i < t->sides; i++) {
        const bx_profile_side *side = &t->side[i];
        if (side->row != row || !t->sort || !side->event || strcmp(side->event, t->sort) != 0)
            continue;
        if (n++ == SIDES_SHOWN)
            break;
        bool owner = side->role && strcmp(side->role, "owner") == 0;
        bx_buf_f(to,
                 "<tr class=\"side\" data-byte=\"%lld\" data-thread=\"%lld\" "
                 "data-count=\"%lld\"><th scope=\"row\">%s byte %lld, thread %lld, core %lld: "
                 "<code>",
                 (long long)side->offset, (long long)side->thread, (long long)side->count,
                 owner ? "owner" : "requester", (long long)side->offset, (long long)side->thread,
                 (long long)side->core);
        bx_html_text(to, side->function ? side->function : "(unknown)");
        bx_buf_z(to, "</code> ");
        if (side->line)
            add_path(side->line, to);
        bx_buf_z(to, "</th>");
        /* Of one event, so not below the heads of the columns. */
        bx_buf_f(to, "<td class=\"cause\" colspan=\"%u\">%s ", columns ? columns : 1,
                 bx_number_whole((uint64_t)side->count, digits));
        bx_html_text(to, short_name_of(t->of, t->sort));
        bx_buf_z(to, "</td>");
        bx_buf_z(to, "</tr>\n");
    }
}

/* The data of each shared line, by row: names, NULL where it has none. */
static int read_line_objects(bx_profile *p, const bx_profile_table *t, const char **name,
                             bx_error *e)
{
    static const char sql[] =
        "SELECT l.address, l.pid, object.name FROM (SELECT address, pid, object, sum(count) AS n "
        "FROM temp.moved GROUP BY 1, 2, 3) AS l JOIN object ON object.id = l.object WHERE "
        "object.kind <> 'none' "
        "ORDER BY n";
    bx_cell cell[3];
    int code = bx_recording_ask(p->from, sql, NULL, 0, e);
    while (!code && bx_recording_next(p->from, cell, 3))
        for (uint32_t i = 0; i < t->rows; i++)
            if (t->row[i].key[0].number == cell[0].number &&
                t->row[i].key[1].number == cell[1].number)
                name[i] = bx_profile_copy(p, &cell[2]);
    return code ? code : bx_recording_answered(p->from, e);
}

static void add_rows_of(const bx_html *page, const bx_profile_table *t, const struct page_table *is,
                        const char *const *object, bx_buf *to)
{
    const bx_profile *p = page->of;
    int64_t *total = bx_arena_get(p->arena, (p->events + 1) * sizeof *total);
    unsigned columns = 0;
    if (!total) {
        bx_buf_fail(to);
        return;
    }
    for (uint32_t i = 0; i < p->events; i++)
        total[i] = p->event[i].total;
    for (unsigned i = 0; i < page->columns; i++)
        columns += shows(page, t, i);
    add_head(page, t, is->title, to);
    bx_buf_z(to, "<tbody>\n");
    for (uint32_t i = 0; i < t->rows; i++) {
        bx_buf_z(to, "<tr><th scope=\"row\">");
        add_key(t, &t->row[i], to);
        if (object[i]) {
            bx_buf_z(to, " <b>");
            bx_html_text(to, object[i]);
            bx_buf_z(to, "</b>");
        }
        bx_buf_z(to, "</th>");
        add_count_cells(page, t, t->row[i].value, false, to);
        bx_buf_z(to, "</tr>\n");
        if (t->sides)
            add_sides_of(t, i, columns, to);
    }
    bx_buf_z(to, "</tbody>\n<tfoot><tr class=\"rest\"><th scope=\"row\">(not in these rows)</th>");
    add_count_cells(page, t, t->other, true, to);
    bx_buf_z(to, "</tr>\n<tr class=\"all\"><th scope=\"row\">all: what the machine's counters have"
                 "</th>");
    add_count_cells(page, t, total, true, to);
    bx_buf_z(to, "</tr></tfoot>");
}

static void add_section(const struct page_table *is, bx_buf *to)
{
    bx_buf_f(to,
             "<section class=\"panel\" id=\"%s\"><h2>%s</h2>\n%s%s%s"
             "<div class=\"scroll\"><table>",
             is->id, is->title, *is->about ? "<p class=\"soft\">" : "", is->about,
             *is->about ? "</p>\n" : "");
}

/* ---- all events ---- */

static void add_events(const bx_profile *p, bx_buf *to)
{
    char digits[BX_NUMBER];
    bx_buf_z(to,
             "<section class=\"panel\" id=\"event\"><h2>Events</h2>\n<p class=\"soft\">All that "
             "was counted.</p>\n<div class=\"scroll\"><table><thead><tr>");
    add_head_cell("Event", NULL, to);
    add_head_cell("count", NULL, to);
    add_head_cell("unit", NULL, to);
    add_head_cell("who", "whether the recording has who causes it", to);
    bx_buf_z(to, "</tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < p->events && i < 1000; i++) {
        const bx_profile_event *event = &p->event[i];
        bx_buf_z(to, "<tr><th scope=\"row\"><code>");
        bx_html_text(to, event->name);
        bx_buf_f(to, "</code></th><td data-l=\"count\">%s</td><td class=\"cause\" data-l=\"unit\">",
                 event->has_total ? bx_number_whole((uint64_t)event->total, digits) : "no value");
        bx_html_text(to, event->unit);
        bx_buf_f(to, "</td><td class=\"cause\" data-l=\"who\">%s</td></tr>\n",
                 event->attributed ? "recorded" : "not recorded");
    }
    bx_buf_z(to, "</tbody></table></div></section>\n");
}

/* ---- which events ---- */

static bool is_column(const bx_html *page, uint32_t event)
{
    for (unsigned k = 0; k < page->columns; k++)
        if (page->column[k] == event ||
            page->of->event[page->column[k]].total == page->of->event[event].total)
            return true;
    return false;
}

/* The events that tell causes apart: of each kind the first that the machine has, then others. */
static const struct page_column {
    const char *event, *word; /* NULL: its name */
} wanted[][4] = {
    {{"*::DRAM_DATA_READS", "memory reads"},
     {"*::UNC_M_CAS_COUNT:RD", "memory reads"},
     {"*mbox::FVC:BBOX_CMDS.READS", "memory reads"}},
    {{"*::DRAM_DATA_WRITES", "memory writes"},
     {"*::UNC_M_CAS_COUNT:WR", "memory writes"},
     {"*mbox::FVC:BBOX_CMDS.WRITES", "memory writes"}},
    {{"*XSNP_RESPONSE:HITM_*", "lines modified in another core"},
     {"*:XSNP_HITM"},
     {"*::SNPS:REMOTE_ANY", "snoops of other packages"}},
    {{"*LOOKUP:READ_MESI", "LLC reads"},
     {"*LOOKUP:DATA_READ:*", "LLC reads"},
     {"*::LLC_HITS:ALL", "LLC hits"}},
    {{"*LOOKUP:WRITE_MESI", "LLC writes"}, {"*LOOKUP:WRITE:*", "LLC writes"}},
    {{"*LOOKUP:ANY_I", "LLC misses"}, {"*::LLC_MISSES:ALL", "LLC misses"}, {"cache-misses"}},
    {{"p6::DCU_LINES_IN"}},
    {{"p6::BUS_TRAN_ANY:SELF"}},
    {{"p6::DATA_MEM_REFS"}},
    {{"p6::BR_MISS_PRED_RETIRED"}},
    {{"*::*"}},
    {{"*::*"}},
};

const char *bx_html_label(const bx_profile_event *event)
{
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++)
        for (unsigned k = 0; k < 4 && wanted[w][k].event; k++)
            if (wanted[w][k].word &&
                bx_str_glob(bx_str_of(wanted[w][k].event), bx_str_of(event->name)))
                return wanted[w][k].word;
    return NULL;
}

static void add_page_column(bx_html *page, uint32_t event)
{
    const char *label = bx_html_label(&page->of->event[event]);
    for (unsigned i = 0; i < page->columns && label; i++)
        label = strcmp(page->label[i], label) == 0 ? NULL : label;
    page->label[page->columns] = label ? label : bx_html_short_name(&page->of->event[event]);
    page->column[page->columns++] = event;
}

static uint32_t event_like(const bx_html *page, const char *glob)
{
    const bx_profile *p = page->of;
    uint32_t i = 0;
    for (; i < p->events; i++) {
        const bx_profile_event *event = &p->event[i];
        if (event->attributed && !event->cycles && event->total > 0 &&
            bx_str_glob(bx_str_of(glob), bx_str_of(event->name)) &&
            !strstr(event->name, "_stalls::") && !is_column(page, i))
            break;
    }
    return i;
}

static void choose_page_columns(bx_html *page)
{
    const bx_profile *p = page->of;
    if (page->first < p->events)
        add_page_column(page, page->first);
    for (unsigned w = 0; w < sizeof wanted / sizeof *wanted; w++) {
        uint32_t found = p->events;
        for (unsigned k = 0; k < 4 && wanted[w][k].event && found == p->events; k++)
            found = event_like(page, wanted[w][k].event);
        if (found < p->events && page->columns < BX_HTML_COLUMNS_MOST)
            add_page_column(page, found);
    }
}

int bx_html_tables(bx_html *page, bx_buf *to, bx_profile_table *lines, bx_profile_table *shared,
                   bx_error *e)
{
    bx_profile *p = page->of;
    int code = BX_OK;
    choose_page_columns(page);
    for (unsigned i = 0; i < sizeof tables / sizeof *tables && p->tells_who && !code; i++) {
        const struct page_table *is = &tables[i];
        bx_profile_question question = {.by = bx_str_of(is->by),
                                        .top = is->top,
                                        .sort = strcmp(is->id, "shared") ? page->sort : NULL};
        bx_profile_table t;
        code = bx_profile_tabulate(p, &question, &t, e);
        if (code)
            return code;
        if (strcmp(is->id, "line") == 0)
            *lines = t;
        else if (strcmp(is->id, "shared") == 0)
            *shared = t;
        if (!t.rows)
            continue;
        const char **object = bx_arena_get(p->arena, (t.rows + (size_t)1) * sizeof *object);
        if (!object)
            return bx_out_of_memory(e);
        if (t.sides)
            code = read_line_objects(p, &t, object, e);
        add_section(is, to);
        add_rows_of(page, &t, is, object, to);
        bx_buf_z(to, "</table></div></section>\n");
    }
    add_events(p, to);
    return to->failed ? bx_out_of_memory(e) : code;
}
