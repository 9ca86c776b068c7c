/* Collects findings, and writes them as text and JSON. */
#include "cli/doctor/findings.h"

#include "base/json.h"
#include "base/printable.h"
#include "cli/common/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add_finding(bx_findings *f, bx_finding one, const char *format, va_list args)
{
    char text[640];
    int n = vsnprintf(text, sizeof text, format, args);
    size_t length = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    if (f->n == f->room) {
        size_t room = f->room ? 2 * f->room : 64;
        bx_finding *more = bx_arena_get(f->arena, room * sizeof *more);
        if (!more)
            return; /* the command reports it when it ends */
        if (f->n)
            memcpy(more, f->list, f->n * sizeof *more);
        f->list = more;
        f->room = room;
    }
    bx_printable(text, length);
    one.text = bx_arena_copy(f->arena, (bx_str){text, length});
    f->list[f->n++] = one;
}

void bx_find(bx_findings *f, const char *topic, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_finding(f, (bx_finding){.topic = topic}, format, args);
    va_end(args);
}

void bx_find_of_machine(bx_findings *f, const char *topic, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_finding(f, (bx_finding){.topic = topic, .of_machine = true}, format, args);
    va_end(args);
}

void bx_find_more(bx_findings *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_finding(f, (bx_finding){.todo = false}, format, args);
    va_end(args);
}

void bx_find_todo(bx_findings *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_finding(f, (bx_finding){.todo = true}, format, args);
    va_end(args);
}

void bx_find_error(bx_findings *f, const bx_error *e)
{
    f->arena->failed |= e->code == BX_NO_MEMORY;
}

void bx_findings_text(const bx_findings *f, bool of_machine, bx_buf *to)
{
    bx_page page = bx_page_text(to);
    bool shown = true;
    for (size_t i = 0; i < f->n; i++) {
        const bx_finding *one = &f->list[i];
        if (one->topic)
            shown = one->of_machine || !of_machine;
        if (shown)
            bx_page_row(&page, one->topic ? one->topic : "", one->todo ? "-> %s" : "%s", one->text);
    }
}

/* Writes a topic's lines from `from` on: findings, or things to do. */
static void lines(const bx_findings *f, size_t from, bool todo, const char *key, bx_json *j)
{
    bx_json_open(j, key, '[');
    for (size_t i = from; i < f->n && (i == from || !f->list[i].topic); i++)
        if (f->list[i].todo == todo)
            bx_json_text(j, NULL, f->list[i].text);
    bx_json_close(j, ']');
}

void bx_findings_first(const bx_findings *f, bx_buf *to)
{
    const char *topic = "", *text = "";
    for (size_t i = 0; i < f->n; i++) {
        const bx_finding *one = &f->list[i];
        topic = one->topic ? one->topic : topic;
        if (one->todo) {
            bx_buf_f(to, "%s: %s -> %s", topic, text, one->text);
            return;
        }
        text = one->text;
    }
}

void bx_findings_json(const bx_findings *f, bx_buf *to)
{
    bx_json j = {.to = to};
    bx_json_open(&j, NULL, '[');
    for (size_t i = 0; i < f->n; i++) {
        if (!f->list[i].topic)
            continue;
        bx_json_open(&j, NULL, '{');
        bx_json_text(&j, "topic", f->list[i].topic);
        lines(f, i, false, "says", &j);
        lines(f, i, true, "todo", &j);
        bx_json_close(&j, '}');
    }
    bx_json_close(&j, ']');
    bx_buf_z(to, "\n");
}
