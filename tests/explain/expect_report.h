/* Assertions on the report about a register log. */
#ifndef TESTS_EXPLAIN_EXPECT_REPORT_H
#define TESTS_EXPLAIN_EXPECT_REPORT_H

#include "../cmocked.h"

#include "explain/explain.h"

/* Asserts the report on these accesses on this machine, without its last line. */
void expect_report(const char *spec, const char *reglog, const char *expected);

/* The same, with all accesses reported and with the last line. */
void expect_full_report(const char *spec, const char *reglog, const char *expected);

/* Asserts the report on a file of tests/reglogs, on the machine that it names. */
void expect_report_of_file(const char *name, const char *expected);

#endif
