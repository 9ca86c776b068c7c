/* The whole command, on device files that go wrong. */
#ifndef BX_TESTS_STAGE_FAULT_INJECTION_H
#define BX_TESTS_STAGE_FAULT_INJECTION_H

/* Tests on the machine whose string begins so, in the quick suite a few accesses of each; returns
 * how many failed. */
int inject_faults(const char *machines);

#endif
