/* A fault at every register access of whole measurements on the machines of one CPU. */
#ifndef BX_TESTS_SESSION_EACH_FAULT_H
#define BX_TESTS_SESSION_EACH_FAULT_H

#include "faults.h"

/* machines: how their strings begin, "virtual:skl". A group of tests: returns how many failed. */
int each_fault(const char *machines);

#endif
