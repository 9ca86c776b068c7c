/* An invented processor and a measurement on it: a cache box with two units, a single memory box,
 * and metrics of every kind. The tests compare the report of its readings in each format. */
#ifndef TESTS_REPORT_TOY_REPORT_H
#define TESTS_REPORT_TOY_REPORT_H

#include "../cmocked.h"

#include "report/format/format.h"

enum { TOY_EVENTS = 4, TOY_READINGS = 7, TOY_SECOND = 1000000000 /* the toy's time units */ };

typedef struct toy_fixture {
    struct bx_catalog *catalog;
    bx_evsel events[TOY_EVENTS];
    bx_reading readings[TOY_READINGS];
    bx_measured of;
    bx_report report;
    bx_view view;
    bx_buf text;
} toy_fixture;

/* A reading of a unit that counted for one second. */
bx_reading toy_counted(unsigned event, unsigned package, unsigned unit, uint64_t count);

/* cmocka's set-up: a fixture whose report is not open. Two units of the cache see 1,000,000 misses
 * of 4,000,000 lookups; memory and queue count, too. */
int toy_set_up(void **state);
int toy_tear_down(void **state);

void toy_open(toy_fixture *f);
void toy_open_with_one_run(toy_fixture *f);

/* Compares the whole output in a format with the expected text. */
void toy_whole(toy_fixture *f, bx_format format, const char *expected);
/* The whole output, what is below a heading with such an end, and the lines alone. How wide columns
 * are is compared by the tests of sums, of units and of intervals only: here any space is one. */
void toy_words(toy_fixture *f, bx_format format, const char *expected);
void toy_below(toy_fixture *f, const char *end_of_heading, const char *expected);
void toy_lines(toy_fixture *f, bx_format format, const char *expected);
/* Text with one space in place of several. */
void toy_spaced(char *text);

#endif
