/* Compares a catalogue with facts typed from documents, row by row. A difference fails the test
 * with the row's name and both values. */
#ifndef BX_TESTS_CATALOG_FACTS_H
#define BX_TESTS_CATALOG_FACTS_H

#include "catalog/catalog.h"

/* The entry of a catalogue with a name; the test fails if there is none. */
uint16_t facts_pmu(const struct bx_catalog *c, const char *name);
const bx_cat_event *facts_event(const struct bx_catalog *c, uint16_t pmu, const char *name);
const bx_cat_umask *facts_umask(const struct bx_catalog *c, const bx_cat_event *event,
                                const char *name); /* NULL for "" */

/* One value of a row, beside the expected one. */
struct known {
    const char *what;
    uint64_t is, expected;
};
void facts_same(const char *row, const char *part, const struct known *all, size_t n);
#define FACTS_SAME(row, part, ...)                                                                 \
    facts_same(row, part, (const struct known[]){__VA_ARGS__},                                     \
               sizeof((const struct known[]){__VA_ARGS__}) / sizeof(struct known))

/* How sure a row is. SURE: the guide has it, or two implementations agree. LIKELY: one
 * implementation has it, or a question is open. WEAK: it is inferred. */
enum { SURE = BX_SURE, LIKELY = BX_LIKELY, WEAK = BX_WEAK };

/* ---- events ---- */

/* Columns of a list that are compared. SOURCE: event and unit mask have a source, a title and a
 * unit. */
enum {
    CODE = 1,
    VALUE = 2,
    TOGETHER = 4, /* code and unit mask in one number: `value` */
    MAX = 8,
    CONFIDENCE = 16,
    COUNTERS = 32,
    SCALE = 64,
    NEEDS_UMASK = 128, /* the event needs a unit mask if and only if the row names one */
    RANK = 256,
    SOURCE = 512,
};

struct event_row {
    const char *event, *umask; /* "": none */
    uint16_t code;
    uint32_t value;    /* of the unit mask */
    uint16_t max;      /* the most that one cycle adds; 0: unknown */
    unsigned sure;     /* confidence */
    uint32_t counters; /* mask of the counters that can count it */
    uint32_t scale;    /* what one count stands for */
    unsigned rank;     /* of the unit mask's name: bx_cat_umask */
};

/* A register and its expected contents. */
struct msr {
    uint32_t address;
    uint64_t value;
};
enum { MOST_MSRS = BX_EXTRAS + 1 };

/* Compares the given columns of the row with the catalogue. */
void facts_check_row(const char *pmu, unsigned columns, const struct event_row *row);

struct event_list {
    const char *pmu;
    unsigned columns;
    const struct event_row *rows;
    struct event_row (*row)(size_t i); /* used if `rows` is NULL */
    size_t n, listed;                  /* rows; how many there must be */
    const char *other; /* another list has the names that begin with this; NULL: none */

    /* Gets the registers that row `i` writes on a unit, its control first. Returns how many. */
    unsigned units;
    size_t (*registers)(size_t i, unsigned unit, struct msr expected[MOST_MSRS]);
};
#define EVENT_ROWS(all) .rows = (all), .n = sizeof(all) / sizeof *(all)

/* Tests whose state is an event list: each row is as typed, the PMU has no other names, and each
 * row gives exactly the expected registers on each unit. */
void every_row(void **state);
void no_other_names(void **state);
void final_registers(void **state);
#define LIST_TEST(test, list) cmocka_unit_test_prestate(test, &(list))

/* The selection of an event string that has exactly one. */
bx_evsel facts_evsel(const char *event);

/* Checks that an event string gives exactly these registers, the counter's control first. */
void facts_check_registers(const struct msr *expected, size_t n, const char *event, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- registers ---- */

/* Finds a register by its name in the file, or with "{unit}" filled in. `unit`: NULL, or gets the
 * unit's number. */
const bx_cat_reg *facts_reg(const char *cpu, const char *name, unsigned *unit);
uint32_t facts_address(const bx_cat_reg *reg, unsigned unit);

/* How many MSRs a CPU has; each unit's are counted. */
size_t facts_msrs(const char *cpu);

struct field_row {
    const char *name;
    unsigned hi, lo;
    enum bx_field_kind kind;
};
const bx_cat_field *facts_field(const bx_cat_reg *reg, const char *name);
/* Checks that the register has the fields of the rows and no others. */
void facts_check_fields(const bx_cat_reg *reg, const struct field_row *rows, size_t n);
/* Bits of the register's fields of these kinds (1 << kind). */
enum { ALL_KINDS = ~0U >> 1 };
uint64_t facts_bits(const bx_cat_reg *reg, unsigned kinds);

#endif
