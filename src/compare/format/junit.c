/* The format that CI servers read; they agree on test suites, cases and failures. */
#include "base/printable.h"
#include "compare/format/formats.h"
#include "compare/format/words.h"

static void attribute(bx_buf *to, const char *name, bx_str value)
{
    bx_buf_f(to, " %s=\"", name);
    bx_xml_text(to, value);
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
    if (v->fails) { /* an error is what could not be tested */
        bx_buf_z(to, v->unseen ? "    <error" : "    <failure");
        attribute(to, "message", text);
        bx_buf_z(to, "/>\n");
    } else {
        bx_buf_z(to, "    <system-out>");
        bx_xml_text(to, text);
        bx_buf_z(to, "</system-out>\n");
    }
    bx_buf_z(to, "  </testcase>\n");
    bx_buf_free(&says);
}

/* What a run did not see, as properties of the suite. */
static void incomplete(const bx_saved *run, const char *which, bx_buf *to)
{
    for (size_t i = 0; i < run->unseen_n; i++) {
        bx_buf says = {.whole = &to->failed};
        bx_words_add_unseen(&run->unseen[i], &says);
        bx_buf_f(to, "    <property name=\"%s-%s\"",
                 run->unseen[i].left ? "left-running" : "incomplete", which);
        attribute(to, "value", (bx_str){bx_buf_text(&says), says.n});
        bx_buf_z(to, "/>\n");
        bx_buf_free(&says);
    }
}

void bx_compare_junit(const bx_compare_result *r, bx_buf *to)
{
    size_t failures = 0, errors = 0;
    for (size_t i = 0; i < r->verdicts_n; i++) {
        failures += r->verdicts[i].fails && !r->verdicts[i].unseen;
        errors += r->verdicts[i].unseen != NULL;
    }
    bx_buf_f(to,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<testsuite name=\"boxscore diff\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
             r->verdicts_n, failures, errors);
    bool whole = !r->comparison.was->unseen_n && !r->comparison.is->unseen_n;
    bx_buf_z(to, whole ? "" : "  <properties>\n"); /* a suite has one at most */
    incomplete(r->comparison.was, "old", to);
    incomplete(r->comparison.is, "new", to);
    bx_buf_z(to, whole ? "" : "  </properties>\n");
    for (size_t i = 0; i < r->verdicts_n; i++)
        test_case(&r->verdicts[i], to);
    bx_buf_z(to, "</testsuite>\n");
}
