/* The lines of the first screen. */
#include "report/screen.h"

#include <string.h>

/* ---- values by name ---- */

/* Whether the row has that word, also with letters: "cycles:u". */
static bool is_word(const char *row, const char *word)
{
    size_t n = strlen(word);
    return strncmp(row, word, n) == 0 && (row[n] == '\0' || row[n] == ':');
}

static const bx_record *find_count(const bx_report *r, const char *name)
{
    for (size_t i = 0; i < r->of->events_n; i++)
        if (is_word(r->records[r->sum_of[i]].event, name))
            return &r->records[r->sum_of[i]];
    return NULL;
}

static bool is_metric(const bx_record *record, const char *name)
{
    return record->figure.name && strcmp(record->figure.name, name) == 0;
}

/* The record that a metric is on: that of its event's sum, or one of its own. */
static const bx_record *find_metric(const bx_report *r, const char *name)
{
    for (size_t i = 0; i < r->of->events_n; i++)
        if (is_metric(&r->records[r->sum_of[i]], name))
            return &r->records[r->sum_of[i]];
    for (size_t i = 0; i < r->figures_n; i++)
        if (is_metric(&r->figures[i], name))
            return &r->figures[i];
    return NULL;
}

bool bx_screen_metric(const bx_report *r, const char *name, double *value)
{
    const bx_record *record = find_metric(r, name);
    if (!record || !record->figure.defined)
        return false;
    *value = record->figure.value;
    return true;
}

bool bx_screen_count(const bx_report *r, const char *name, double *value)
{
    const bx_record *record = find_count(r, name);
    if (!record || !bx_record_has_value(record))
        return false;
    *value = bx_record_value(record);
    return true;
}

/* ---- the cycle stack ---- */

/* Causes by what a program can do about them: docs/explanation/cycle-stack.md. */
static const struct {
    const char *name, *metric[3];
} parts[BX_SCREEN_PARTS] = {
    {"memory", {"cycles_memory", "cycles_remote_memory"}},
    {"other cores", {"cycles_core", "cycles_package", "cycles_turn"}},
    {"TLB", {"cycles_tlb"}},
    {"caches", {"cycles_l2", "cycles_llc"}},
    {"prefetches", {"cycles_flight"}},
    {"buffers", {"cycles_buffer", "cycles_stores"}},
    {"locks", {"cycles_lock"}},
    {"branches", {"cycles_branch"}},
    {"kernel", {"cycles_kernel", "cycles_interrupts"}},
    {"data", {"cycles_data"}},
    {"fetches", {"cycles_fetch"}},
    {"end", {"cycles_end"}},
    {"base", {"cycles_base"}},
};

/* The first part that whole percents take most from. */
static size_t most_cut(const double value[BX_SCREEN_PARTS], const unsigned percent[BX_SCREEN_PARTS])
{
    size_t most = 0;
    for (size_t i = 1; i < BX_SCREEN_PARTS; i++)
        if (value[i] - percent[i] > value[most] - percent[most])
            most = i;
    return most;
}

size_t bx_screen_stack(const bx_report *r, bx_screen_part to[BX_SCREEN_PARTS])
{
    double value[BX_SCREEN_PARTS] = {0}, one;
    unsigned percent[BX_SCREEN_PARTS], sum = 0;
    size_t n = 0;
    if (!bx_screen_metric(r, "cycles_base", &one))
        return 0;
    for (size_t i = 0; i < BX_SCREEN_PARTS; i++) {
        for (size_t k = 0; k < 3 && parts[i].metric[k]; k++)
            value[i] += bx_screen_metric(r, parts[i].metric[k], &one) ? one : 0;
        percent[i] = (unsigned)value[i];
        sum += percent[i];
    }
    for (; sum < 100; sum++)
        percent[most_cut(value, percent)]++;
    for (size_t i = 0; i < BX_SCREEN_PARTS; i++)
        if (percent[i])
            to[n++] = (bx_screen_part){parts[i].name, percent[i]};
    return n;
}

/* ---- what stands beside them ---- */

enum { NS = 1000000000, NS_A_MS = 1000000, PER = 1000 /* instructions, MB in a GB */ };

static void set_beside(bx_screen_line *to, double value, const char *unit)
{
    to->beside = value;
    to->beside_unit = unit;
}

/* The value divided by another event's. */
static void set_quotient(const bx_report *r, const char *name, double factor, const char *unit,
                         bx_screen_line *to)
{
    double by;
    if (bx_screen_count(r, name, &by) && by > 0)
        set_beside(to, to->value * factor / by, unit);
}

/* The first of these metrics that the report has; `unit` NULL: its own name. */
static void set_metric(const bx_report *r, const char *name, double factor, const char *unit,
                       bx_screen_line *to)
{
    double value;
    if (!to->beside_unit && bx_screen_metric(r, name, &value))
        set_beside(to, value * factor, unit ? unit : name);
}

static void set_rate(const bx_report *r, const char *name, bx_screen_line *to)
{
    double value;
    bool large = bx_screen_metric(r, name, &value) && value >= PER;
    set_metric(r, name, large ? 1.0 / PER : 1, large ? "GB/s" : "MB/s", to);
}

static void complete(const bx_report *r, const char *word, bx_screen_line *to)
{
    double seconds = r->elapsed.mean / r->of->hz;
    if (strcmp(word, "task-clock") == 0) {
        if (seconds > 0)
            set_beside(to, to->value / NS / seconds, "CPUs utilized");
        to->value /= NS_A_MS;
        to->unit = "msec";
        to->whole = false;
    } else if (strcmp(word, "cycles") == 0) {
        set_quotient(r, "task-clock", 1, "GHz", to);
    } else if (strcmp(word, "instructions") == 0) {
        set_quotient(r, "cycles", 1, "insn per cycle", to);
    } else if (strcmp(word, "branches") == 0) {
        set_metric(r, "branch_mispredict_ratio", 1, "% branch_mispredict_ratio", to);
    } else if (strcmp(word, "cache-misses") == 0) {
        set_metric(r, "llc_mpki", 1, NULL, to);
        set_metric(r, "l2_mpki", 1, NULL, to);
    } else if (strcmp(word, "dram_bytes_read") == 0) {
        set_rate(r, "dram_read_bandwidth", to);
    } else if (strcmp(word, "dram_bytes_written") == 0) {
        set_rate(r, "dram_write_bandwidth", to);
    } else if (strcmp(word, "bus_bytes") == 0) {
        set_rate(r, "bus_bandwidth", to);
    } else if (strcmp(word, "hitm") == 0) {
        set_quotient(r, "instructions", PER, "per 1,000 instructions", to);
    }
}

/* ---- lines ---- */

/* Whether a host's counter of the event counts all programs. */
static bool counts_all(const bx_report *r, const bx_record *record)
{
    const bx_evsel *event = &r->of->events[record->index];
    return !r->of->clock && event->pmu != BX_KERNEL &&
           bx_cat_pmus(r->of->catalog)[event->pmu].scope == BX_SCOPE_PACKAGE;
}

bool bx_screen_line_of(const bx_report *r, size_t word, bx_screen_line *to)
{
    const char *name = r->of->screen[word];
    const bx_record *count = find_count(r, name), *metric = count ? NULL : find_metric(r, name);
    *to = (bx_screen_line){.word = name, .unit = ""};
    if (count) {
        to->word = count->event;
        to->whole = true;
        to->stats = &count->stats;
        to->whole_machine = counts_all(r, count);
        to->scaled = count->state == BX_SCALED;
        if (bx_record_has_value(count))
            to->value = bx_record_value(count);
        else
            to->instead = bx_record_state_text(count);
    } else if (metric) {
        const bx_figure *f = &metric->figure;
        bool count_of_something = strcmp(name, "hitm") == 0;
        to->unit = count_of_something ? "" : f->unit;
        to->whole = count_of_something;
        to->stats = &metric->figure_stats;
        to->whole_machine = counts_all(r, metric);
        to->scaled = f->scaled;
        if (f->defined)
            to->value = f->value;
        else
            to->instead = f->instead;
    } else {
        return false;
    }
    if (!to->instead)
        complete(r, name, to);
    return true;
}
