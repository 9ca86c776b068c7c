/* The format that CI servers read; they agree on test suites, cases and failures. */
#include "compare/format/formats.h"
#include "compare/format/words.h"

#include <string.h>

static void escaped(bx_buf *to, bx_str text)
{
    static const char bytes[] = "<>&\"";
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    for (size_t i = 0; i < text.n; i++) {
        const char *special = strchr(bytes, text.p[i]);
        if (special && *special)
            bx_buf_z(to, names[special - bytes]);
        else
            bx_buf_add(to, &text.p[i], 1);
    }
}

static void attribute(bx_buf *to, const char *name, bx_str value)
{
    bx_buf_f(to, " %s=\"", name);
    escaped(to, value);
    bx_buf_z(to, "\"");
}

static void test_case(const bx_verdict *v, bx_buf *to)
{
    bx_buf says = {.whole = &to->failed};
    bx_words_add_verdict(v, &says);
    bx_str text = {bx_buf_text(&says), says.n};
    bx_buf_z(to, "  <testcase classname=\"boxscore.diff\"");
    attribute(to, "name", v->of->text);
    bx_buf_z(to, ">\n");
    if (v->fails) {
        bx_buf_z(to, "    <failure");
        attribute(to, "message", text);
        bx_buf_z(to, "/>\n");
    } else {
        bx_buf_z(to, "    <system-out>");
        escaped(to, text);
        bx_buf_z(to, "</system-out>\n");
    }
    bx_buf_z(to, "  </testcase>\n");
    bx_buf_free(&says);
}

void bx_compare_junit(const bx_compare_result *r, bx_buf *to)
{
    size_t failures = 0;
    for (size_t i = 0; i < r->verdicts_n; i++)
        failures += r->verdicts[i].fails;
    bx_buf_f(to,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<testsuite name=\"boxscore diff\" tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n",
             r->verdicts_n, failures);
    for (size_t i = 0; i < r->verdicts_n; i++)
        test_case(&r->verdicts[i], to);
    bx_buf_z(to, "</testsuite>\n");
}
