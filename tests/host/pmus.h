/* PMUs in a folder, in the form of Linux's sysfs. */
#ifndef BX_TESTS_HOST_PMUS_H
#define BX_TESTS_HOST_PMUS_H

#include "host/folder.h"

/* Writes the text and a line feed to DEVICES/PMU/FILE. */
void pmus_put(const folder *f, const char *pmu, const char *file, const char *text);

/* The terms of arch/x86/events/intel/uncore_snb.c (Linux): C-Boxes of a client. */
void pmus_client_cbox(const folder *f, unsigned unit, unsigned type);
void pmus_client(const folder *f); /* C-Boxes 0 to 3, ARB and memory controller on CPU 0 */

/* uncore_snbep.c: a C-Box of Ivy Bridge-EP on the CPUs 0 and 12. */
void pmus_server_cbox(const folder *f, unsigned unit, unsigned type);

/* uncore_nhmex.c: an M-Box of the Xeon 7500. */
void pmus_mbox(const folder *f, unsigned unit, unsigned type);

#endif
