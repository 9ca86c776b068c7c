/* The folder /sys/bus/event_source/devices on stage: the PMUs of the machine, and software PMUs of
 * the host's kernel. */
#ifndef BX_STAGE_PERF_EVENT_SOURCE_FILES_H
#define BX_STAGE_PERF_EVENT_SOURCE_FILES_H

#include "stage/files/tree.h"
#include "stage/perf/event_source.h"
#include "stage/perf/signalled.h"

/* Adds the machine's PMUs. */
void bx_event_source_files_add(bx_tree *tree, const bx_event_sources *s);

/* Copies the host's software PMUs from the folder `devices`. Returns the first type number that
 * none of them has. */
uint32_t bx_event_source_files_of_host(bx_tree *tree, const char *devices);

/* Adds the PMUs of a gathered machine, and those of the host's kernel whose type numbers are the
 * same everywhere. */
void bx_event_source_files_gathered(bx_tree *tree, const bx_signalled *s);

#endif
