/* A fault at every register access of whole measurements on the machines of one CPU. */
#ifndef BX_TESTS_SESSION_EACH_FAULT_H
#define BX_TESTS_SESSION_EACH_FAULT_H

#include "faults.h"

/* Runs a group of tests. machines: the beginning of their machine strings, "virtual:skl". Returns
 * how many failed. */
int each_fault(const char *machines);

#endif
