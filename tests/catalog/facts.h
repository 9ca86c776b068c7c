/* Facts typed from documents, row by row, held against a catalogue. Whatever differs fails the test
 * with the row's name and both values. */
#ifndef BX_TESTS_CATALOG_FACTS_H
#define BX_TESTS_CATALOG_FACTS_H

#include "catalog/catalog.h"

/* What a catalogue has under a name; the test fails if it has nothing. */
uint16_t facts_pmu(const struct bx_catalog *c, const char *name);
const bx_cat_event *facts_event(const struct bx_catalog *c, uint16_t pmu, const char *name);
const bx_cat_umask *facts_umask(const struct bx_catalog *c, const bx_cat_event *event,
                                const char *name); /* NULL for "" */

/* Something about a row. */
struct known {
    const char *what;
    uint64_t is, expected;
};
void facts_same(const char *row, const char *part, const struct known *all, size_t n);
#define FACTS_SAME(row, part, ...)                                                                 \
    facts_same(row, part, (const struct known[]){__VA_ARGS__},                                     \
               sizeof((const struct known[]){__VA_ARGS__}) / sizeof(struct known))

/* How sure a row is: in the guide itself or given alike by two implementations; by one
 * implementation, or with an open question; inferred. */
enum { SURE = BX_SURE, LIKELY = BX_LIKELY, WEAK = BX_WEAK };

/* ---- events ---- */

/* Columns of a list. Source: event and unit mask tell theirs, and what they are. */
enum {
    CODE = 1,
    VALUE = 2,
    TOGETHER = 4, /* code and value in one: `value` */
    MAX = 8,
    CONFIDENCE = 16,
    COUNTERS = 32,
    SCALE = 64,
    NEEDS_UMASK = 128, /* where one is named the event has some, else none */
    RANK = 256,
    SOURCE = 512,
};

struct event_row {
    const char *event, *umask; /* "": none */
    uint16_t code;
    uint32_t value;    /* of the unit mask */
    uint16_t max;      /* the most that one cycle adds; 0: unknown */
    unsigned sure;     /* confidence */
    uint32_t counters; /* mask of those that can count it */
    uint32_t scale;    /* what one count stands for */
    unsigned rank;     /* of the unit mask's name: bx_cat_umask */
};

/* A register and its expected contents. */
struct msr {
    uint32_t address;
    uint64_t value;
};
enum { MOST_MSRS = BX_EXTRAS + 1 };

/* Those columns of the row are the catalogue's. */
void facts_check_row(const char *pmu, unsigned columns, const struct event_row *row);

struct event_list {
    const char *pmu;
    unsigned columns;
    const struct event_row *rows;
    struct event_row (*row)(size_t i); /* where `rows` is NULL */
    size_t n, listed;                  /* rows; how many there must be */
    const char *other;                 /* names that begin so are in another list; NULL: none */

    /* What row `i` writes on a unit, its control first. Returns how many. */
    unsigned units;
    size_t (*registers)(size_t i, unsigned unit, struct msr expected[MOST_MSRS]);
};
#define EVENT_ROWS(all) .rows = (all), .n = sizeof(all) / sizeof *(all)

/* Tests whose state is an event list: each row is as typed, the PMU has no other names, and each
 * row gives exactly those registers on each unit. */
void every_row(void **state);
void no_other_names(void **state);
void final_registers(void **state);
#define LIST_TEST(test, list) cmocka_unit_test_prestate(test, &(list))

/* The selection of an event string, which must be one. */
bx_evsel facts_evsel(const char *event);

/* An event string gives exactly these registers, the counter's control being the first. */
void facts_check_registers(const struct msr *expected, size_t n, const char *event, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- registers ---- */

/* A register by its name in the file, or with "{unit}" filled in; unit: NULL, or set to which. */
const bx_cat_reg *facts_reg(const char *cpu, const char *name, unsigned *unit);
uint32_t facts_address(const bx_cat_reg *reg, unsigned unit);

/* How many MSRs a CPU has, those of each unit. */
size_t facts_msrs(const char *cpu);

struct field_row {
    const char *name;
    unsigned hi, lo;
    enum bx_field_kind kind;
};
const bx_cat_field *facts_field(const bx_cat_reg *reg, const char *name);
/* The fields are those of the rows and no others. */
void facts_check_fields(const bx_cat_reg *reg, const struct field_row *rows, size_t n);
/* Bits that a field covers, of one of these kinds (1 << kind). */
enum { ALL_KINDS = ~0U >> 1 };
uint64_t facts_bits(const bx_cat_reg *reg, unsigned kinds);

#endif
