/* Saved runs: a run that is read can be compared with itself. Then everything is equal, no value is
 * beyond a relative limit, and all formats can be written. */
#include "base/json_read.h"
#include "compare/format/formats.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_text(void (*format)(const bx_compare_result *, bx_buf *),
                       const bx_compare_result *r, bool json)
{
    bx_buf text = {0};
    format(r, &text);
    FUZZ_MUST(!text.failed && text.n && text.p[text.n - 1] == '\n');
    FUZZ_MUST(strlen(text.p) == text.n && !strpbrk(text.p, "\033\007\b"));
    bx_arena a = {0};
    for (size_t at = 0; json && at + 1 < text.n;) {
        const bx_json_value *v;
        FUZZ_MUST(bx_json_read((bx_str){text.p, text.n}, &at, &a, &v, NULL) == BX_OK);
    }
    bx_arena_free(&a);
    bx_buf_free(&text);
}

/* The value is not beyond the limit. It fails exactly if its error is larger than the value. */
static void check_verdict(const bx_verdict *v, const bx_saved *run)
{
    const bx_saved_value *value = v->row->is;
    bool vague = bx_compare_within(value, run->runs) > fabs(value->value);
    FUZZ_MUST(!v->beyond && v->fails == vague);
    FUZZ_MUST(vague ? v->unseen && v->unseen->vague && v->unseen_in == run : !v->unseen);
}

static void check_condition(bx_compare_result *r, const bx_compared *row, bx_arena *a)
{
    bx_buf text = {0};
    bx_condition condition;
    bx_verdict verdict;
    const bx_judging how = {.accept_incomplete = true}; /* as both did not see the same */
    bx_error e = {0};
    bx_buf_f(&text, "%s@%s > +1%%", row->was->name, row->was->place);
    if (bx_condition_read(bx_arena_copy(a, (bx_str){text.p, text.n}), &condition, &e) == BX_OK) {
        int code = bx_condition_judge(&condition, &r->comparison, &how, &verdict, &e);
        fuzz_check_error(&e, code, text.n + 1);
        r->verdicts = &verdict;
        r->verdicts_n = !code;
        if (!code)
            check_verdict(&verdict, r->comparison.is);
        check_text(bx_compare_junit, r, false);
        r->verdicts_n = 0;
    }
    bx_buf_free(&text);
}

static void check_saved(const bx_saved *s, bx_arena *a)
{
    bx_compare_result r = {0};
    FUZZ_MUST(bx_compare(s, s, a, &r.comparison, NULL) == BX_OK);
    FUZZ_MUST(r.comparison.n == s->n && s->n);
    for (size_t i = 0; i < s->n; i++) {
        const bx_compared *row = &r.comparison.rows[i];
        FUZZ_MUST(row->was && row->is && row->both == !row->was->missing);
        FUZZ_MUST(!row->both || (row->equal && !row->significant));
    }
    check_condition(&r, &r.comparison.rows[0], a);
    check_text(bx_compare_text, &r, false);
    check_text(bx_compare_markdown, &r, false);
    check_text(bx_compare_json, &r, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_exact(data, size);
    bx_arena a = {0};
    bx_error e = {0};
    bx_saved s;
    int code = bx_saved_read("file", (bx_str){text, size}, &a, &s, &e);
    fuzz_check_error(&e, code, size + 1);
    if (!code)
        check_saved(&s, &a);
    bx_arena_free(&a);
    free(text);
    return 0;
}
