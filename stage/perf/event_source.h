/* A machine's PMUs as the Linux kernel presents them for perf_event_open(): names, type numbers,
 * the bits of format terms such as `umask`, and the meaning of an event's config words. */
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

/* One of Linux's PMUs: the same unit of all packages, such as "uncore_cbox_0". It can contain
 * several PMUs of the catalogue. */
typedef struct bx_event_source {
    char name[40];
    uint32_t type;
    uint8_t n;
    uint16_t pmu[BX_EVENT_SOURCE_PMUS]; /* catalogue indices */
    uint16_t unit;
    bool of_cpus; /* one per CPU; else one per package, addressed by the package's first CPU */
} bx_event_source;

typedef struct bx_event_sources {
    const bx_topology *t;
    size_t n;
    bx_event_source all[BX_EVENT_SOURCES];
} bx_event_sources;

/* Fills in *s with the PMUs of a topology, which must outlive it. Type numbers count up from
 * `type`, but the PMU `cpu` has PERF_TYPE_RAW. */
void bx_event_sources_find(bx_event_sources *s, const bx_topology *t, uint32_t type);

/* NULL: no PMU of the machine has this type number. */
const bx_event_source *bx_event_source_of_type(const bx_event_sources *s, uint32_t type);

/* A format term: bits hi:lo of one of the words config, config1 and config2 (word 0 to 2). */
typedef struct bx_event_source_format {
    bx_str name;
    uint8_t word, lo, hi;
    bool always;  /* spelled even if 0, since 0 is not the default */
    bool sharing; /* of a register that only some events use; other terms may have the same bits */
} bx_event_source_format;

/* Writes the terms of all PMUs of a source to an array of BX_EVENT_SOURCE_FORMATS, each term once.
 * Returns their number. */
size_t bx_event_source_formats(const bx_event_sources *s, const bx_event_source *source,
                               bx_event_source_format *to);

/* Appends the event of three config words as perf spells it:
 * "uncore_cbox_0/event=0x34,umask=0x88/". Bits that belong to no term are dropped, as in the
 * kernel. */
void bx_event_source_spell(const bx_event_sources *s, const bx_event_source *source,
                           const uint64_t *words, bx_buf *to);

/* Sets the bits of the terms "event=0x2e,umask=0xf" in three config words. false: one is not a term
 * of this source. */
bool bx_event_source_words(const bx_event_sources *s, const bx_event_source *source, bx_str terms,
                           uint64_t *words);

#endif
