/* Traces explained, for the tests. */
#ifndef TESTS_EXPLAIN_TOLD_H
#define TESTS_EXPLAIN_TOLD_H

#include "../cmocked.h"

#include "explain/explain.h"

/* Asserts what is told of these accesses on this machine, the last line, of their number, aside. */
void told(const char *spec, const char *trace, const char *want);

/* The same of everything. */
void told_all(const char *spec, const char *trace, const char *want);

/* Asserts what is told of a register log of tests/reglogs, on the machine that it names. */
void told_file(const char *name, const char *want);

#endif
