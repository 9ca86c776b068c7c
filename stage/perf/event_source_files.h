/* /sys/bus/event_source/devices of a machine on stage: its PMUs, and those of the host's kernel
 * that are no hardware of the host's. */
#ifndef BX_STAGE_PERF_EVENT_SOURCE_FILES_H
#define BX_STAGE_PERF_EVENT_SOURCE_FILES_H

#include "stage/perf/event_source.h"
#include "stage/files/tree.h"

void bx_event_source_files_add(bx_tree *tree, const bx_event_sources *s);

/* Copies those of the host's below `devices` that programs on stage keep. Returns the first type
 * number that is free. */
uint32_t bx_event_source_files_of_host(bx_tree *tree, const char *devices);

#endif
