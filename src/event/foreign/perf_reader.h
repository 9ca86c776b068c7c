/* The parts of bx_read_perf(): perf_reader.c cuts the text and reads the terms, perf_choice.c
 * resolves which event they choose, perf_unknown.c refuses terms for which Linux has no name. */
#ifndef BX_EVENT_FOREIGN_PERF_READER_H
#define BX_EVENT_FOREIGN_PERF_READER_H

#include "event/build/builder.h"

/* A term with a number; its part is empty if the term is missing. */
typedef struct bx_perf_number {
    bx_str part;
    uint64_t value;
} bx_perf_number;

/* The text, and the terms in it that choose the event. */
typedef struct bx_perf_choice {
    bx_str pmu, terms;
    bx_str name; /* a word that is not a modifier: an event's name */
    bx_perf_number event, umask, config;
    bx_str at;      /* the term that names the event, for messages */
    uint16_t place; /* selected by the terms; BX_NONE: none */
} bx_perf_choice;

/* Where the number of a term is stored that chooses the event; NULL: it is another term. */
bx_perf_number *bx_perf_selecting(const bx_event_builder *d, bx_perf_choice *ch, bx_str key);

/* Whether a term of this key changes nothing that is counted: a name for the row, or how often perf
 * takes a sample. */
bool bx_perf_changes_nothing(const bx_event_builder *d, bx_str pmu, bx_str key);

/* Whether a PMU of this name has a control register field of this name: the one that selects
 * events, or (`other`) another one. */
bool bx_perf_has_field(const bx_event_builder *d, bx_str pmu, bx_str key, bool other);

/* Finds the terms that choose the event. */
int bx_perf_collect_terms(bx_event_builder *d, bx_perf_choice *ch);

/* Resolves PMU and event: by a name, by a number that only the kernel uses, or by a code. */
int bx_perf_choose(bx_event_builder *d, bx_perf_choice *ch);

int bx_perf_unknown_pmu(bx_event_builder *d, bx_str name);
int bx_perf_unknown_event(bx_event_builder *d, const bx_perf_choice *ch);
int bx_perf_unknown_term(bx_event_builder *d, bx_str key);

#endif
