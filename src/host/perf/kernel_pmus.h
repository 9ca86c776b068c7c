/* perf_event: the PMUs that the kernel drives, as sysfs tells of them, and perf's spelling of their
 * events ("uncore_imc_0/cas_count_read/", "page-faults", "r1a8"). Documents: Linux,
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-*, perf-list(1), perf_event_open(2). */
#ifndef BX_HOST_PERF_KERNEL_PMUS_H
#define BX_HOST_PERF_KERNEL_PMUS_H

#include "host/system/cpus.h"
#include "base/error.h"

/* attr.config, .config1, .config2 */
enum { BX_PERF_WORDS = 3 };

/* A term of a PMU's and the bits that its value is spread over, from the lowest on. */
typedef struct bx_perf_format {
    const char *name;
    uint8_t word; /* which config */
    uint64_t mask;
} bx_perf_format;

/* An event that the kernel names: terms that stand for it, and what a count of it is. */
typedef struct bx_perf_named {
    const char *name, *terms;
    const char *unit; /* "MiB"; "" */
    double scale;     /* a count is so many of the unit; 1 */
} bx_perf_named;

/* What the PMU can do: "max_precise" "3". */
typedef struct bx_perf_cap {
    const char *name, *value;
} bx_perf_cap;

typedef struct bx_perf_pmu {
    const char *name;
    bool described; /* what follows was read */
    bool exists;    /* it has a type: its events can be opened */
    bool hybrid;    /* a PMU of some of the cores only: it has a file `cpus` */
    bool nowhere;   /* its cpumask has no CPU */
    uint32_t type;
    const bx_perf_format *formats;
    size_t formats_n;
    const bx_perf_named *events; /* by name */
    size_t events_n;
    const bx_perf_cap *caps;
    size_t caps_n;
    const uint16_t *cpus; /* its cpumask: where it is to be counted, for a package or so each … */
    size_t cpus_n;        /* … 0: it counts tasks */
} bx_perf_pmu;

/* What is counted on one PMU. */
typedef struct bx_perf_config {
    uint32_t type;
    uint8_t exclude; /* bits: 1 user, 2 kernel, 4 hypervisor */
    uint64_t word[BX_PERF_WORDS];
} bx_perf_config;

enum { BX_PERF_NO_USER = 1, BX_PERF_NO_KERNEL = 2, BX_PERF_NO_HYPERVISOR = 4 };

typedef struct bx_perf_source {
    const bx_perf_pmu *pmu; /* NULL: one that needs no description, such as the kernel's software */
    bx_perf_config config;
} bx_perf_source;

/* An event in perf's spelling: counted on one PMU, or on each of several that are alike. */
typedef struct bx_perf_event {
    const char *text;  /* as it was spelled */
    const char *name;  /* its term `name`, or else the text */
    const char *count; /* what one count is: "ns"; "" */
    const char *unit;  /* what scale makes of it: "MiB"; "" */
    double scale;
    const bx_perf_source *sources;
    size_t n;
} bx_perf_event;

typedef struct bx_perf {
    const char *root;
    bx_arena *arena;
    bx_perf_pmu *pmus; /* by name */
    size_t n;
} bx_perf;

/* Finds the PMUs under `root`, whose description is read when it is needed. root and the arena,
 * which holds everything, must outlive p. false: out of memory. */
bool bx_perf_find_pmus(const char *root, bx_arena *arena, bx_perf *p);

/* Reads a PMU's description, once. false: out of memory. */
bool bx_perf_describe(bx_perf *p, bx_perf_pmu *pmu);

/* A PMU that has a type, by its whole name; NULL: there is none. */
bx_perf_pmu *bx_perf_find(bx_perf *p, bx_str name);

/* Parses one event. *to lives in the arena. *known: the kernel has a PMU or an event of that name,
 * and an error is about what else is written. BX_NOT_FOUND, BX_BAD_INPUT with the span in `text`.
 */
int bx_perf_parse(bx_perf *p, bx_str text, bx_perf_event *to, bool *known, bx_error *e);

/* The package that a logical CPU is in, in the order of bx_cpus; 0: that of one that is offline,
 * which the kernel refuses by itself. */
unsigned bx_perf_package(const bx_cpus *cpus, unsigned cpu);

/* The names of PMUs that begin so, for a message: "uncore_imc_0, uncore_imc_1"; "": none. */
void bx_perf_names(const bx_perf *p, const char *prefix, char *to, size_t room);

/* ---- the parts ---- */

/* Terms ("event=0x4,umask=3") onto a selection. text: what spans count from; `part` is in it, or is
 * the kernel's own. *by: the last named event that was among them, *name: a term `name`. */
int bx_perf_terms(const bx_perf_pmu *pmu, bx_str text, bx_str part, bx_perf_config *to,
                  const bx_perf_named **by, bx_str *name, bx_error *e);

/* The bits of a format file, "config1:0-7,32-35"; false: it is none. */
bool bx_perf_format_read(bx_str file, bx_perf_format *to);

/* A decimal fraction, "6.103515625e-5", in any locale; false: it is none. */
bool bx_perf_fraction(bx_str s, double *value);

/* Events that need no PMU's description: "page-faults", "cycles", "LLC-load-misses", "r1a8". */
typedef struct bx_perf_generic {
    char name[32], count[16];
    char title[64];
    uint8_t type, config;
    bool alias; /* another name of the one before it */
} bx_perf_generic;

const bx_perf_generic *bx_perf_generic_at(size_t i); /* NULL beyond the last */
/* false: no such event. */
bool bx_perf_generic_find(bx_str name, bx_perf_config *to, const char **count);

/* It happens in the kernel, whoever is the cause: of a program's own code its count is 0. */
bool bx_perf_never_own(const bx_perf_config *config);

#endif
