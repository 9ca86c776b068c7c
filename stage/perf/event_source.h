/* The PMUs of a machine as the Linux kernel has them, for perf_event_open(): their names and type
 * numbers, where terms such as `umask` are in an event's words, and what an event's words say. */
#ifndef BX_STAGE_PERF_EVENT_SOURCE_H
#define BX_STAGE_PERF_EVENT_SOURCE_H

#include "base/buf.h"
#include "topology/topology.h"

enum {
    BX_EVENT_SOURCE_PMUS = 4,
    BX_EVENT_SOURCES = 128,
    BX_EVENT_SOURCE_FORMATS = 32,
    BX_MUX_INTERVAL_MS = 4, /* how long a group keeps its counters while others wait */
};

/* One unit in all packages, such as "uncore_cbox_0". Linux can have two PMUs of ours in one. */
typedef struct bx_event_source {
    char name[40];
    uint32_t type;
    uint8_t n;
    uint16_t pmu[BX_EVENT_SOURCE_PMUS]; /* catalogue indices */
    uint16_t unit;
    bool of_cpus; /* each CPU has its own; else each package, and its first CPU stands for it */
} bx_event_source;

typedef struct bx_event_sources {
    const bx_topology *t;
    size_t n;
    bx_event_source all[BX_EVENT_SOURCES];
} bx_event_sources;

/* The first has type number `type`, the others those after it; but what the kernel calls `cpu` has
 * PERF_TYPE_RAW. */
void bx_event_sources_find(bx_event_sources *s, const bx_topology *t, uint32_t type);

const bx_event_source *bx_event_source_of_type(const bx_event_sources *s,
                                               uint32_t type); /* NULL: none of ours */

/* A term: bits hi:lo of the words config, config1 and config2 of perf_event_attr. */
typedef struct bx_event_source_format {
    bx_str name;
    uint8_t word, lo, hi;
    bool always;  /* 0 is not what it means when it is not given */
    bool sharing; /* a register that is in use only if the event says so: others have the same bits
                   */
} bx_event_source_format;

/* Of all PMUs in it, without repetition. */
size_t bx_event_source_formats(const bx_event_sources *s, const bx_event_source *source,
                               bx_event_source_format *to);

/* The words of an event as perf spells it: "uncore_cbox_0/event=0x34,umask=0x88/". Bits that no
 * term has are passed over, as the kernel does. */
void bx_event_source_spell(const bx_event_sources *s, const bx_event_source *source,
                           const uint64_t *words, bx_buf *to);

/* The other way round, of terms alone: "event=0x2e,umask=0xf". false: not all of them are terms. */
bool bx_event_source_words(const bx_event_sources *s, const bx_event_source *source, bx_str terms,
                           uint64_t *words);

#endif
