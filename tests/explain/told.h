/* Register logs explained, for the tests. */
#ifndef TESTS_EXPLAIN_TOLD_H
#define TESTS_EXPLAIN_TOLD_H

#include "../cmocked.h"

#include "explain/explain.h"

/* Asserts the report on these accesses on this machine, the last line, of their number, aside. */
void expect_report(const char *spec, const char *reglog, const char *expected);

/* The same of everything. */
void expect_full_report(const char *spec, const char *reglog, const char *expected);

/* Asserts what is told of a register log of tests/reglogs, on the machine that it names. */
void expect_report_of_file(const char *name, const char *expected);

#endif
