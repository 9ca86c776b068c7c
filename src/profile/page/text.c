/* Foreign text in the page. */
#include "base/json.h"
#include "base/printable.h"
#include "profile/page/page.h"

#include <string.h>

/* In a script, JSON may not have "<": "</script>" and "<!--" end or open something there, whatever
 * stands around them.
 * https://html.spec.whatwg.org/multipage/scripting.html#restrictions-for-contents-of-script-elements
 */
void bx_html_json(bx_buf *to, bx_str text)
{
    bx_buf own = {.whole = &to->failed};
    bx_json_string(&own, text);
    for (size_t i = 0, from = 0; i <= own.n && own.p; i++)
        if (i == own.n || own.p[i] == '<') {
            bx_buf_add(to, own.p + from, i - from);
            bx_buf_z(to, i < own.n ? "\\u003c" : "");
            from = i + 1;
        }
    bx_buf_free(&own);
}

/* Cuts between characters. */
static size_t cut_at(bx_str text, size_t at)
{
    while (at < text.n && ((unsigned char)text.p[at] & 0xc0) == 0x80)
        at++;
    return at;
}

/* *to gets the name if it is too long; returns what to show. */
static bx_str shorten(const char *name, bx_buf *to)
{
    bx_str all = bx_str_of(name);
    if (all.n <= BX_HTML_NAME_MOST)
        return all;
    size_t end = cut_at(all, all.n - BX_HTML_NAME_MOST / 2);
    bx_buf_str(to, bx_str_sub(all, 0, cut_at(all, BX_HTML_NAME_MOST / 2)));
    bx_buf_z(to, "\xe2\x80\xa6"); /* an ellipsis */
    bx_buf_str(to, bx_str_sub(all, end, all.n));
    return (bx_str){bx_buf_text(to), to->n};
}

void bx_html_string(bx_buf *to, const char *name)
{
    bx_buf own = {.whole = &to->failed};
    if (name)
        bx_html_json(to, shorten(name, &own));
    else
        bx_buf_z(to, "null");
    bx_buf_free(&own);
}

void bx_html_text(bx_buf *to, const char *name)
{
    bx_buf own = {.whole = &to->failed};
    bx_xml_text(to, shorten(name ? name : "", &own));
    bx_buf_free(&own);
}

const char *bx_html_short_name(const bx_profile_event *event)
{
    const char *own = strstr(event->name, "::");
    own = own ? own + 2 : event->name;
    return strncmp(own, "UNC_", 4) == 0 ? own + 4 : own;
}

void bx_html_title(const bx_profile *p, bx_buf *to)
{
    const char *work = bx_profile_fact_text(p, "work"), *on = bx_profile_fact_text(p, "machine");
    bx_html_text(to, work ? work : "(unknown)");
    bx_buf_z(to, " on ");
    bx_html_text(to, on ? on : "(unknown)");
    const char *undocumented = bx_profile_fact_text(p, "undocumented");
    if (undocumented) {
        bx_buf_z(to, " (");
        bx_html_text(to, undocumented);
        bx_buf_z(to, ")");
    }
}
