/* What was measured, line by line, and the three ways of writing it down: text as `perf stat` has
 * it, CSV and JSON. All of them write the same records.
 *
 * A report is opened on the readings of a session, which fix its lines, and then given one set of
 * readings for each run (-r), or cleared and given the growth of each interval (-I). */
#ifndef BX_REPORT_REPORT_H
#define BX_REPORT_REPORT_H

#include "base/arena.h"
#include "base/buf.h"
#include "catalog/catalog.h"
#include "report/number.h"
#include "report/statistics.h"

/* A further state of a record, beside enum bx_state: its counters had their turn, but not now. */
enum { BX_NOT_COUNTED = BX_IMPLAUSIBLE + 1 };

/* A derived figure. */
typedef struct bx_figure {
    const char *name, *unit; /* name NULL: there is none; unit may be "" */
    const char *label;       /* both: "% llc_miss_ratio" */
    double value;
    bool defined; /* false: something was divided by 0 */
} bx_figure;

/* An event that only a host's kernel knows (BX_KERNEL), by its number: what its lines are called.
 */
typedef struct bx_report_event {
    const char *name;
    const char *count; /* what one count is; may be "" */
    const char *unit;  /* of what a count times scale is: "MiB"; "": nothing is made of it */
    double scale;
    const char *const *units; /* names of its units */
    size_t units_n;
} bx_report_event;

/* One line of a report: the value of an event, of one unit or summed over all, or a figure alone.
 */
typedef struct bx_record {
    const char *event;             /* canonical string; NULL: a figure alone */
    const char *unit;              /* what one count is: "lookups"; may be "" */
    const char *label;             /* the unit's name: "C-Box 2"; NULL: the sum over all units */
    uint16_t index;                /* of the event among those asked for, or a figure is about */
    uint32_t scale;                /* what one count stands for; the value allows for it */
    uint16_t package, unit_number; /* of one unit */
    int16_t port;                  /* of one port, its number in the package; else BX_ANY */
    uint16_t units, without;       /* of a sum: units in it, and those of them that gave no value */
    uint8_t state;                 /* enum bx_state or BX_NOT_COUNTED; of a sum: the worst */
    uint8_t driver;            /* enum bx_driver: how a host's was counted; 0: it is no host's */
    uint64_t now;              /* value of the latest run; a scaled one is rounded */
    uint64_t total;            /* of all runs: the value to show is total / stats.n */
    bx_running_stats stats;    /* of the runs */
    uint64_t enabled, running; /* of all runs, in the readings' time unit */
    bx_figure figure;
} bx_record;

typedef struct bx_report {
    const struct bx_catalog *catalog;
    const bx_evsel *events;
    size_t events_n;
    const bx_report_event *kernel;
    double hz;          /* time units of readings per second */
    bx_record *records; /* per event: the sum, then its units */
    size_t n;
    size_t *sum_of;    /* record of the sum, by event */
    size_t *record_of; /* record of the unit, by reading */
    size_t readings_n;
    struct bx_formula *formulas; /* the CPU's metrics whose events are all here (metrics.h) */
    size_t formulas_n;
    bx_record *figures; /* figures on lines of their own */
    size_t figures_n;
    bx_running_stats elapsed; /* time of the runs */
    bx_arena arena;
} bx_report;

/* What the lines of a report are made from. The catalogue and events must outlive it. */
typedef struct bx_report_source {
    const struct bx_catalog *catalog;
    int cpu; /* catalogue index: whose metrics are looked at */
    double hz;
    const bx_evsel *events;
    size_t events_n;
    const bx_report_event *kernel; /* of those of the events that are the kernel's */
    const bx_reading *readings;    /* for their places only */
    size_t readings_n;
} bx_report_source;

/* BX_NO_MEMORY, or BX_BAD_INPUT for a metric of the catalogue that makes no sense. *r is to be
 * closed in either case. */
int bx_report_open(bx_report *r, const bx_report_source *source, bx_error *e);
void bx_report_close(bx_report *r);

/* Adds a run that took `time`. readings: in the order, and of the number, of those it was opened
 * with. */
void bx_report_add(bx_report *r, const bx_reading *readings, uint64_t time);

/* Forgets all runs. */
void bx_report_clear(bx_report *r);

/* What a reading has grown by since an earlier one of the same place. */
bx_reading bx_reading_since(const bx_reading *now, const bx_reading *before);

/* The value of a record in numbers: not of one whose state says that there is none. */
double bx_record_value(const bx_record *record);
static inline bool bx_record_has_value(const bx_record *record)
{
    return record->state <= BX_SCALED && record->stats.n > 0;
}

/* The value in full, for programs: "123", of a mean also "122.666667", or the text of its state. */
const char *bx_record_text(const bx_record *record, char to[BX_NUMBER]);

/* "perf_event" or "registers"; NULL: it was counted on no host. */
const char *bx_record_driver(const bx_record *record);

/* Running time as a share of the enabled time, in percent; 0 if it never was enabled. */
double bx_record_share(const bx_record *record);

/* Nanoseconds that its counters ran, per run. */
double bx_record_runtime(const bx_report *r, const bx_record *record);

/* What is shown instead of a value: "<not modelled>" …; NULL for a state that has one. */
const char *bx_state_text(unsigned state);

typedef enum bx_format { BX_FORMAT_TEXT, BX_FORMAT_CSV, BX_FORMAT_JSON } bx_format;

/* How a report is to be shown. A sum of which some units gave no value has none itself: a part of
 * it would pass for the whole. */
typedef struct bx_view {
    bx_format format;
    bool per_unit; /* one line a unit instead of sums */
    bool interval; /* lines begin with the time `at`, in seconds */
    double at;
    bool repeated;     /* several runs were asked for: show their deviation */
    const char *clock; /* what a virtual machine's own time is counted in; NULL: ns, it is none */
    const char *separator; /* CSV: "," or longer */
    const char *subject;   /* what was measured: "'gzip x'" */
    const char *machine;   /* its string */
    const char *note;      /* a first line of its own, or NULL */
} bx_view;

/* In the view's format: what to write before, at each report, and behind. */
void bx_report_begin(const bx_report *r, const bx_view *v, bx_buf *to);
void bx_report_lines(const bx_report *r, const bx_view *v, bx_buf *to);
void bx_report_end(const bx_report *r, const bx_view *v, bx_buf *to);

/* The records to show, one by one: first those of events, then figures alone. *at starts at 0;
 * NULL at the end. */
const bx_record *bx_report_next(const bx_report *r, const bx_view *v, size_t *at);

#endif
