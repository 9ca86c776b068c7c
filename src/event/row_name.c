/* The name that the text of an event gives to its row in a report. */
#include "event/row_name.h"

#include "event/event.h"
#include "event/foreign_names.h"

static const bx_str none = {NULL, 0};

/* "foo" of "cpu/event=0x2e,name=foo/". */
static bx_str named_by_term(bx_str text)
{
    ptrdiff_t open = bx_str_find(text, '/', 0);
    ptrdiff_t close = open < 0 ? -1 : bx_str_find(text, '/', (size_t)open + 1);
    bx_str terms =
        close < 0 ? none : bx_str_sub(text, (size_t)open + 1, (size_t)(close - open) - 1);
    while (terms.p) {
        bx_str value = bx_str_cut(&terms, ',');
        if (bx_str_eq_fold(bx_str_cut(&value, '='), BX_STR("name")) && value.n)
            return value;
    }
    return none;
}

/* Whether some PMU has this word of perf. */
static bool is_perf_name(const struct bx_catalog *c, bx_str word)
{
    for (uint16_t pmu = 0; pmu < c->pmus.n; pmu++) {
        bx_span names = bx_cat_pmus(c)[pmu].perf_names;
        for (unsigned i = 0; i < names.n; i++)
            if (bx_kernel_is_word(c, pmu, i) &&
                bx_str_eq_fold(word, bx_cat_str(c, bx_cat_other_names(c)[names.first + i].name)))
                return true;
    }
    return false;
}

bx_str bx_event_row_name(const struct bx_catalog *c, const bx_evsel *event, bx_str text)
{
    uint64_t config;
    text = bx_str_trim(text);
    if (event->pmu == BX_KERNEL || bx_str_find(text, '/', 0) >= 0)
        return named_by_term(text);
    bx_str rest = text, word = bx_str_cut(&rest, ':');
    bool native = event->event != BX_RAW &&
                  bx_str_eq_fold(word, bx_cat_str(c, bx_cat_events(c)[event->event].name));
    bool of_perf = !native && (is_perf_name(c, word) || bx_kernel_raw_word(word, &config));
    return of_perf ? text : none;
}
