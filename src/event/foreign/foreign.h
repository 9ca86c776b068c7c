/* The spellings of perf and LIKWID. */
#ifndef BX_EVENT_FOREIGN_FOREIGN_H
#define BX_EVENT_FOREIGN_FOREIGN_H

#include "event/build/builder.h"

/* Reads perf's spelling, "uncore_cbox_0/event=0x34/". */
int bx_read_perf(bx_event_builder *d, bx_str part);

/* Reads perf's word for an event of a core: "cycles:u", "LLC-loads", "r412e". *found: whether it is
 * one. exact: only names in perf's own spelling. They come before events of the same name, such as
 * CYCLES of a memory controller. */
int bx_read_perf_word(bx_event_builder *d, bx_str part, bool exact, bool *found);

/* Reads "PMU/TERMS/BEHIND" in place of a part of the text. Errors point to that part, `name`. */
int bx_read_perf_instead(bx_event_builder *d, bx_str name, bx_str pmu, bx_str terms, bx_str behind);

/* Reads LIKWID's spelling. *found: whether the part after the first ':' is a counter's name. */
int bx_read_likwid(bx_event_builder *d, bx_str part, bool *found);

/* Refuses a LIKWID name whose counter is missing or unknown. BX_OK if it is not a LIKWID name. */
int bx_likwid_without_counter(bx_event_builder *d, bx_str part);

#endif
