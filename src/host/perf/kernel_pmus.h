/* perf_event: the PMUs that the kernel drives, read from sysfs, and perf's spelling of their events
 * ("uncore_imc_0/cas_count_read/", "page-faults", "r1a8"). Documents: Linux,
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-*, perf-list(1), perf_event_open(2). */
#ifndef BX_HOST_PERF_KERNEL_PMUS_H
#define BX_HOST_PERF_KERNEL_PMUS_H

#include "host/system/cpus.h"
#include "base/error.h"

/* attr.config, .config1, .config2 */
enum { BX_PERF_WORDS = 3 };

/* A term of a PMU and the bits of its value, from the lowest on. */
typedef struct bx_perf_format {
    const char *name;
    uint8_t word; /* index: config, config1, config2 */
    uint64_t mask;
} bx_perf_format;

/* A named event of a PMU: its terms, and the unit of its count. */
typedef struct bx_perf_named {
    const char *name, *terms;
    const char *unit; /* "MiB"; "" */
    double scale;     /* units of one count; 1 by default */
} bx_perf_named;

/* A capability of the PMU: "max_precise" "3". */
typedef struct bx_perf_cap {
    const char *name, *value;
} bx_perf_cap;

typedef struct bx_perf_pmu {
    const char *name;
    bool described;        /* the members below were read */
    bool exists;           /* it has a type: its events can be opened */
    bool hybrid;           /* it counts on some cores only, those of its file `cpus`: */
    const uint16_t *cores; /* [cores_n] logical CPUs */
    size_t cores_n;
    bool nowhere; /* its cpumask has no CPU */
    uint32_t type;
    const bx_perf_format *formats;
    size_t formats_n;
    const bx_perf_named *events; /* by name */
    size_t events_n;
    const bx_perf_cap *caps;
    size_t caps_n;
    const uint16_t *cpus; /* its cpumask: the CPUs to count on, one per package or die … */
    size_t cpus_n;        /* … 0: it counts tasks */
} bx_perf_pmu;

/* The event of a counter of one PMU: type and config of perf_event_attr. */
typedef struct bx_perf_config {
    uint32_t type;
    uint8_t exclude; /* bits: 1 user, 2 kernel, 4 hypervisor */
    uint64_t word[BX_PERF_WORDS];
    const char *file; /* not perf_event counts it, but this file has its number; NULL: it does */
    bool level;       /* of a file: what there is now, such as bytes in a cache; it is no count */
} bx_perf_config;

enum { BX_PERF_NO_USER = 1, BX_PERF_NO_KERNEL = 2, BX_PERF_NO_HYPERVISOR = 4 };

typedef struct bx_perf_source {
    const bx_perf_pmu *pmu; /* NULL: it needs no description, such as a software event */
    bx_perf_config config;
} bx_perf_source;

/* An event in perf's spelling: counted on one PMU, or on each of several of one kind. */
typedef struct bx_perf_event {
    const char *text;  /* as given */
    const char *name;  /* its term `name`, or else the text */
    const char *count; /* unit of the count: "ns"; "" */
    const char *unit;  /* unit of the count times scale: "MiB"; "" */
    double scale;
    const bx_perf_source *sources;
    size_t n;
    uint8_t modelled; /* without sources: which count of a virtual machine (machine/backend.h) */
} bx_perf_event;

/* The PMUs of a machine's kernel, and the access to them. */
typedef struct bx_perf {
    const char *root;
    bool foreign;    /* its files are below a folder: they do not describe the running kernel */
    unsigned driver; /* enum bx_driver: the driver to count with */
    int paranoid;    /* perf_event_paranoid */
    const struct bx_perf_calls *calls; /* the system calls to count */
    bx_arena *arena;
    bx_perf_pmu *pmus; /* by name */
    size_t n;
    bool only_files; /* there is no PMU, but resctrl has files of counts */
} bx_perf;

/* Whether the kernel counts anything. */
static inline bool bx_perf_counts(const bx_perf *p)
{
    return p->n || p->only_files;
}

/* Finds the PMUs under `root`; their descriptions are read when needed. root must outlive p, and so
 * must the arena, which holds everything. false: out of memory. */
bool bx_perf_find_pmus(const char *root, bx_arena *arena, bx_perf *p);

/* Reads a PMU's description, once. false: out of memory. */
bool bx_perf_describe(bx_perf *p, bx_perf_pmu *pmu);

/* The PMU of this name that has a type; NULL: none. */
bx_perf_pmu *bx_perf_find(bx_perf *p, bx_str name);

/* Parses one event. *to lives in the arena. *known: the kernel has a PMU or an event of that name;
 * an error is then about the rest of the text. BX_NOT_FOUND or BX_BAD_INPUT with the span in
 * `text`. */
int bx_perf_parse(bx_perf *p, bx_str text, bx_perf_event *to, bool *known, bx_error *e);

/* The package of a logical CPU, numbered as in bx_cpus. 0 for an offline CPU, which the kernel
 * refuses. */
unsigned bx_perf_package(const bx_cpus *cpus, unsigned cpu);

/* The names of PMUs with this prefix, for a message: "uncore_imc_0, uncore_imc_1"; "": none. */
void bx_perf_names(const bx_perf *p, const char *prefix, char *to, size_t room);

/* ---- the parts ---- */

/* Sets *to by terms ("event=0x4,umask=3"). Spans of errors count from `text`; `part` lies in it, or
 * is the kernel's own text. **by: the last named event among the terms. *name: the value of a term
 * `name`. */
int bx_perf_terms(const bx_perf_pmu *pmu, bx_str text, bx_str part, bx_perf_config *to,
                  const bx_perf_named **by, bx_str *name, bx_error *e);

/* The index of "config", "config1" or "config2"; false: it is another word. */
bool bx_perf_word_named(bx_str name, uint8_t *word);

/* Parses a format file, "config1:0-7,32-35"; false: malformed. */
bool bx_perf_format_read(bx_str file, bx_perf_format *to);

/* Parses a decimal fraction, "6.103515625e-5", whatever the locale; false: malformed. */
bool bx_perf_fraction(bx_str s, double *value);

/* Generic events, which need no PMU's description: "page-faults", "cycles", "LLC-load-misses",
 * "r1a8". */
typedef struct bx_perf_generic {
    char name[32], count[16];
    char title[64];
    uint8_t type, config;
    bool alias; /* another name of the event before it */
} bx_perf_generic;

const bx_perf_generic *bx_perf_generic_at(size_t i); /* NULL beyond the last */
/* false: no such event. */
bool bx_perf_generic_find(bx_str name, bx_perf_config *to, const char **count);

/* The event happens only in the kernel: with the kernel excluded its count is always 0. */
bool bx_perf_is_kernel_only(const bx_perf_config *config);

#endif
