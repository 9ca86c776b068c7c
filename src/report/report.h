/* The result of a measurement, line by line, in one of three formats: text like `perf stat`, CSV
 * and JSON. All formats write the same records.
 *
 * A report is opened on a session's readings, which determine its lines. Then it gets one set of
 * readings for each run (-r); or it is cleared and gets the difference for each interval (-I). */
#ifndef BX_REPORT_REPORT_H
#define BX_REPORT_REPORT_H

#include "base/arena.h"
#include "base/buf.h"
#include "catalog/catalog.h"
#include "report/number.h"
#include "report/statistics.h"

/* One more state of a record, in addition to enum bx_state: its counters have run, but not in this
 * interval. */
enum { BX_NOT_COUNTED = BX_NOT_SUPPORTED + 1 };

/* More values of bx_record.times: no reading was added; counted all the time; unknown, or different
 * between units. */
enum { BX_TIMES_NONE, BX_TIMES_ALL = UINT8_MAX + 1, BX_TIMES_UNKNOWN };

/* What each line of a report stands for if sums are not shown: one unit, port or CPU as it was
 * read, or several readings together. A count that does not belong to such a part gets the line of
 * its sum. Example: a count of a program with BX_PER_CORE. */
enum bx_per {
    BX_PER_UNIT,
    BX_PER_PACKAGE,
    BX_PER_CORE,
    BX_PER_PORT,
    BX_PER_THREAD,
    BX_PER_DIE,
    BX_PER_NODE,
    BX_PER_CGROUP
};

/* Of bx_measured.places: a reading that belongs to no die or node. */
enum { BX_NO_PLACE = UINT16_MAX };

/* The level of a record: the sum over all readings of an event, one reading, or a sum over some of
 * them. */
enum bx_record_level { BX_RECORD_SUM, BX_RECORD_UNIT, BX_RECORD_PART };

/* A derived metric. */
typedef struct bx_figure {
    const char *name, *unit; /* name NULL: no metric; unit may be "" */
    const char *label;       /* unit and name: "% llc_miss_ratio" */
    const char *shown;       /* the same, with a remark if it is mixed */
    double value;
    bool defined;
    /* if not defined: the text in place of the value, "–" after a division by 0 */
    const char *instead;
    bool scaled;  /* one of its parts is */
    bool mixed;   /* its parts are scaled, and were counted at different times */
    double error; /* mixed, one run: the largest error of the figure if each part is within its own
                     error */
    const char *no_error; /* why that error is unknown; NULL: it is known, or was not requested */
} bx_figure;

/* How to print an event that only the kernel of a host has (BX_KERNEL). */
typedef struct bx_report_event {
    const char *name;
    const char *count; /* what one count is; may be "" */
    const char *unit;  /* unit of count x scale: "MiB"; "": counts are not scaled */
    double scale;
    const char *const *units; /* names of its units */
    size_t units_n;
} bx_report_event;

/* One line of a report: an event's value on one unit or summed over all units, or a metric
 * alone. */
typedef struct bx_record {
    const char *event;     /* canonical string, or the name given to it; NULL: a metric alone */
    const char *selection; /* the canonical string, if it has another name; else NULL */
    const char *unit;      /* what one count is: "lookups"; may be "" */
    const char *label;     /* the unit's name "C-Box 2"; NULL: the sum over all units */
    uint16_t index;        /* index of the event, or of the metric's event */
    uint32_t scale;        /* what one count stands for; the value includes it */
    uint16_t package, unit_number; /* of one unit */
    int16_t port;                  /* of one port, its number in the package; else BX_ANY */
    uint8_t level;                 /* enum bx_record_level */
    uint32_t thread;               /* of one thread, as in bx_reading; else 0 */
    uint16_t cgroup;               /* of one cgroup, as in bx_reading; else 0 */
    int32_t cpu;                   /* of one logical CPU; else BX_ANY */
    size_t part;                   /* of a unit: index of the part that it belongs to, or 0 */
    uint16_t units, without;       /* of a sum or part: its units; how many have no value */
    bool is_level;                 /* the value is what there was at the end, as in bx_reading */
    uint8_t state;                 /* enum bx_state or BX_NOT_COUNTED; a sum has the worst */
    uint8_t driver;                /* enum bx_driver that counted on a host; 0: not a host */
    uint16_t times;                /* bx_reading.times if all have the same, or BX_TIMES_… */
    uint64_t now;                  /* value of the latest run; a scaled value is rounded */
    uint64_t total;                /* over all runs; the value shown is total / stats.n */
    bx_running_stats stats;        /* of the runs */
    uint64_t enabled, running;     /* over all runs, in the readings' time unit */
    double error;                  /* the error of `now`, as from bx_reading_error() */
    const char *no_error;          /* why a scaled value has no error; NULL: it has one */
    bx_figure figure;
    bx_running_stats figure_stats; /* of the runs in which it was defined */
    char *remarked; /* memory for the figure's `shown` with its error; NULL: not needed */
} bx_record;

/* A fact besides the work that counts depend on: {"features", "avx2"}. */
typedef struct bx_fact {
    const char *key, *value;
} bx_fact;

/* How long threads of traced programs waited for words that others wrote, although their own clock
 * came first. */
typedef struct bx_order_waits {
    uint64_t n;
    double sum, longest; /* ns */
    double time;         /* ns in which these threads ran or waited so, all together */
} bx_order_waits;

/* Numbers of the machine that formulas use; 0: unknown. */
typedef struct bx_machine_numbers {
    unsigned packages, cores, cpus; /* cores: per package; cpus: logical ones of the machine */
    unsigned threads;               /* per core */
    unsigned slices;                /* of the last-level cache, per package */
    double tsc;                     /* the time stamp counter's frequency in Hz */
} bx_machine_numbers;

/* What is measured, and where. */
typedef struct bx_measured {
    const struct bx_catalog *catalog;
    int cpu;   /* catalogue index of the CPU whose metrics are used; -1: none */
    double hz; /* time units of readings per second */
    bx_machine_numbers numbers;
    const bx_evsel *events;
    size_t events_n;
    const char *const *names; /* [events_n] of rows; NULL, also of one: the canonical string */
    /* [screen_n] what the first screen shows: words of events and metrics; 0: it has all of them */
    const char *const *screen;
    size_t screen_n;
    /* the CPU's metrics to show, and no others; NULL: all whose events are measured */
    const bool *metrics;
    const bx_report_event *kernel; /* names of the events that only the kernel has */
    const char *machine;           /* the machine string */
    const char *undocumented;      /* what it has and no documented part has, a sentence; or NULL */
    const char *clock;             /* the virtual machine's clock; NULL: ns, a real machine */
    const char *subject;           /* the work: "'gzip x'" */
    const char *note;              /* an additional first line, or NULL */
    const char *stop;              /* "EVENT=N": the overflow that stops the counters, or NULL */
    const char *remark;            /* an additional line at the end, or NULL */
    const char *const *unseen;     /* [unseen_n] those parts of it that say what the run lacks */
    size_t unseen_n;
    const char *left;           /* processes that still ran when the program ended, or NULL */
    bx_order_waits waits;       /* n 0: there were none, or nobody knows */
    const char *interrupted;    /* the signal that ended the run early, "SIGINT"; or NULL */
    int status;                 /* exit status of the program; 0 of a workload */
    const bx_fact *environment; /* for a comparison of this run with another one */
    size_t environment_n;
    const struct bx_attached_thread *threads; /* [threads_n] names of threads in readings */
    size_t threads_n;
    const char *const *cgroups; /* [cgroups_n] names of cgroups in readings */
    size_t cgroups_n;
    unsigned per;           /* enum bx_per */
    const uint16_t *places; /* by reading, for BX_PER_DIE and BX_PER_NODE: which one; NULL: none */
    unsigned top;           /* most lines per event, which have the largest values; 0: all */
} bx_measured;

typedef struct bx_report {
    const bx_measured *of; /* must outlive the report */
    bx_record *records;    /* per event: the sum, its units, the parts of `per` */
    size_t n;
    size_t *sum_of;    /* index of the sum's record, by event */
    size_t *record_of; /* index of the unit's record, by reading; the sum's if it has no unit */
    size_t *order;     /* record indices, in the order in which they are shown */
    size_t readings_n;
    struct bx_formula *formulas; /* the CPU's metrics whose events were all counted (metrics.h) */
    size_t formulas_n;
    bx_record *figures; /* metrics on lines of their own; with BX_PER_CGROUP of each cgroup */
    size_t figures_n;
    bool in_turns;            /* some events are multiplexed */
    bx_running_stats elapsed; /* times of the runs */
    uint64_t latest;          /* time of the latest run */
    bx_arena arena;
} bx_report;

/* readings: what does not change while they are counted is read, and no counts. BX_OK or
 * BX_NO_MEMORY. Close *r in either case.
 */
int bx_report_open(bx_report *r, const bx_measured *of, const bx_reading *readings, size_t n,
                   bx_error *e);
void bx_report_close(bx_report *r);

/* Adds a run that took `time`. readings: as many, and in the same order, as at bx_report_open(). */
void bx_report_add(bx_report *r, const bx_reading *readings, uint64_t time);

/* Forgets all runs. */
void bx_report_clear(bx_report *r);

/* The difference between a reading and an earlier reading of the same counter. */
bx_reading bx_reading_since(const bx_reading *now, const bx_reading *before);

/* The value of a record as a number. Its state must be one that has a value. */
double bx_record_value(const bx_record *record);
static inline bool bx_record_has_value(const bx_record *record)
{
    return record->state <= BX_SCALED && record->stats.n > 0;
}

/* The full value, for programs: "123", or "122.666667" for a mean; or the text of the state. */
const char *bx_record_text(const bx_record *record, char to[BX_NUMBER]);

/* Whether the error of the value is shown: the value is scaled and from one run. */
static inline bool bx_record_has_error(const bx_record *record, bool repeated)
{
    return record->state == BX_SCALED && bx_record_has_value(record) && !repeated;
}

/* The error in percent of the value. */
double bx_record_error_percent(const bx_record *record);

/* "perf_event" or "registers"; NULL: not counted on a host. */
const char *bx_record_driver(const bx_record *record);

/* Running time in percent of the enabled time; 0 if it was never enabled. */
double bx_record_share(const bx_record *record);

/* Running time of its counters per run, in nanoseconds. */
double bx_record_runtime(const bx_report *r, const bx_record *record);

/* The state of a record: "counted", "scaled", or why it has no value: "not modelled" … */
bx_str bx_record_state(const bx_record *record);

/* The text shown in place of a value: "<not modelled>" …; NULL for a state that has a value. */
const char *bx_state_text(unsigned state);
const char *bx_record_state_text(const bx_record *record); /* of a record without a value */

typedef enum bx_format { BX_FORMAT_TEXT, BX_FORMAT_CSV, BX_FORMAT_JSON } bx_format;

/* How to show a report. A sum has no value if one of its units has none: readers would take the sum
 * of the others for the whole. */
typedef struct bx_view {
    bx_format format;
    bool screen;      /* the first screen, if the measurement has one */
    bool per_unit;    /* one line for each of bx_measured.per in place of sums */
    bool metric_only; /* metrics alone */
    bool interval;    /* each line starts with the time `at`, in seconds */
    bool columns;     /* text: an interval is one row, of the first screen or of the metrics */
    double at;
    bool sampled;            /* with interval: intervals end at overflows, */
    bool incomplete;         /* except this last one */
    bool repeated;           /* with several runs: show their deviation */
    bool regions;            /* regions of the program follow: each line names its region, */
    const bx_region *region; /* which is this one; NULL: the whole run */
    const char *separator;   /* CSV: "," or longer */
    bool header;             /* CSV: a first row has the names of the columns */
} bx_view;

/* Iterates over the records to show: first those of events, then those of metrics alone. *at starts
 * at 0; NULL at the end. */
const bx_record *bx_report_next(const bx_report *r, const bx_view *v, size_t *at);

#endif
