/* Runs the whole command on faulty device files, with fault_injector.c. */
#ifndef BX_TESTS_STAGE_FAULT_INJECTION_H
#define BX_TESTS_STAGE_FAULT_INJECTION_H

/* Runs the tests on the machine whose string begins with `machines`. Returns how many failed. */
int inject_faults(const char *machines);

#endif
