/* The notation of signals (engine/signal_table.h), on a box of two tables; and the names of all
 * tallies that the models' rows add up. */
#include "../cmocked.h"

#include "base/buf.h"
#include "model/machine/client/machine.h"
#include "model/engine/kind.h"
#include "model/engine/signal_words.h"
#include "model/machine/ivbep/machine.h"
#include "model/machine/nhmex/machine.h"
#include "model/machine/p6/machine.h"

#include <string.h>

/* ---- a box ---- */

struct toy {
    bx_model model;
    uint64_t found[2][3];   /* request x state */
    uint64_t by_package[4]; /* the home of a line */
    uint64_t one, two;
};

enum { REQUEST, STATE };
static const char *const request_names[] = {"reads", "writes"};
static const char *const state_names[] = {"M", "S", "I"};
static const char *const home_names[] = {"0", "1", "2", "3"};
static const char *const one_names[] = {"one", "two"};

#define IN(member)                                                                                 \
    {                                                                                              \
        .at = offsetof(struct toy, member)                                                         \
    }
static const struct bx_tallies found = {
    "lookups", &bx_read_counts, IN(found),
    .axis = {{request_names, 2, 3 * sizeof(uint64_t)}, {state_names, 3, sizeof(uint64_t)}}};
static const struct bx_tallies homes = {"lines", &bx_read_counts, IN(by_package),
                                        .axis = {{home_names, 4, sizeof(uint64_t)}}};
static const struct bx_tallies ones = {
    .reader = &bx_read_counts, .place = IN(one), .axis = {{one_names, 2, sizeof(uint64_t)}}};

static const struct bx_choice of_found[] = {
    {REQUEST, {HAS(0x10)}, SET(0)},
    {REQUEST, {HAS(0x20)}, SET(1)},
    {STATE, {FILTER(1, .each = 0x70)}},
};
static const struct bx_choice of_homes[] = {
    {0, {HAS(0x01)}, SET(0), .from_own = true},
    {0, {HAS(0x02)}, ~SET(0), .from_own = true},
    {AGAIN(0), {AT(0x80, 0)}},
    {AGAIN(0), {HAS(0x80), FILTER(0, .number = 3)}},
};
enum { HAS_TWO = 1 };

static const struct bx_row rows[] = {
    {0x01, BY_CHOICE, &found, CHOICES(of_found)},
    {0x02, EACH(0x06), &ones},
    {0x03, HAS(0x01), &ones, SET(0)},
    {0x03, HAS(0x02), &ones, SET(0) | SET(1)},
    {0x03, IS(0x03), &ones, SET(1)},
    {0x03, IS(0x08), NOTHING},
    {0x04, ANY, &ones, SET(1), .needs = HAS_TWO},
    {0x05, BY_CHOICE, &homes, CHOICES(of_homes)},
    {0x06, IS(0x00), &ones, SET(0), .threshold = 2},
    {0x106, ANY, &ones, SET(1)},
};
static const struct bx_box_signals box = {{BX_ROWS(rows)}};
static const struct bx_box_signals box_by_counter = {{BX_ROWS(rows)}, .by_counter = true};

static struct toy toy = {
    .found = {{1, 2, 4}, {8, 16, 32}}, .by_package = {1, 10, 100, 1000}, .one = 1, .two = 2};

enum { NOT_MODELLED = -1 };

static int64_t sum(const struct bx_box_signals *of, const bx_selection *sel, unsigned has)
{
    struct bx_signal signal;

    if (!bx_signal_resolve(of, &toy.model, sel, 0, has, &signal))
        return NOT_MODELLED;
    return (int64_t)signal.reader->sum(&toy.model, &signal, 0);
}

/* ---- tests ---- */

static void test_unit_masks(void **state)
{
    (void)state;
    static const struct {
        unsigned code, umask;
        int64_t sum;
    } cases[] = {
        {0x02, 0x00, 0}, /* each bit one, also none */
        {0x02, 0x02, 1},
        {0x02, 0x04, 2},
        {0x02, 0x06, 3},
        {0x02, 0x07, NOT_MODELLED},
        {0x03, 0x00, NOT_MODELLED}, /* a bit is needed */
        {0x03, 0x01, 1},
        {0x03, 0x02, 3},
        {0x03, 0x03, 2}, /* only this one */
        {0x03, 0x08, 0},
        {0x03, 0x09, NOT_MODELLED},
        {0x03, 0x04, NOT_MODELLED},
        {0x07, 0x00, NOT_MODELLED},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bx_selection sel = {.code = (uint16_t)cases[i].code, .umask = cases[i].umask};
        assert_int_equal(sum(&box, &sel, 0), cases[i].sum);
    }
}

/* Requests multiply with states. The states are those of a filter. */
static void test_axes(void **state)
{
    (void)state;
    static const struct {
        unsigned umask, filter;
        int64_t sum;
    } cases[] = {
        {0x10, 0x10, 1},           {0x10, 0x50, 5}, {0x30, 0x20, 18},           {0x30, 0x70, 63},
        {0x20, 0x00, 0},           {0x00, 0x70, 0}, {0x01, 0x70, NOT_MODELLED}, {0x10, 0x80, -1},
        {0x10, 0x90, NOT_MODELLED}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bx_selection sel = {.code = 0x01,
                            .umask = cases[i].umask,
                            .filter = {[1] = cases[i].filter},
                            .applies = {[1] = UINT64_MAX}};
        assert_int_equal(sum(&box, &sel, 0), cases[i].sum);
    }
}

/* A filter that applies and is not 0 must be compared by a row; one that does not apply may have
 * any value. */
static void test_no_filter_is_ignored(void **state)
{
    (void)state;
    for (unsigned k = 0; k < BX_FILTERS; k++) {
        bx_selection sel = {.code = 0x02, .umask = 0x02};
        sel.applies[k] = 0xf0;
        assert_int_equal(sum(&box, &sel, 0), 1);
        sel.filter[k] = 0x0f;
        assert_int_equal(sum(&box, &sel, 0), 1);
        sel.filter[k] = 0x10;
        assert_int_equal(sum(&box, &sel, 0), NOT_MODELLED);
    }
}

/* Own and other packages; then a filter narrows the same axis. */
static void test_packages(void **state)
{
    (void)state;
    bx_selection sel = {.code = 0x05, .package = 2, .filter = {3}, .applies = {3}};

    sel.umask = 0x01;
    assert_int_equal(sum(&box, &sel, 0), 100);
    sel.umask = 0x02;
    assert_int_equal(sum(&box, &sel, 0), 1011);
    sel.umask = 0x03;
    assert_int_equal(sum(&box, &sel, 0), 1111);
    sel.umask = 0x82;
    assert_int_equal(sum(&box, &sel, 0), 1000);
    sel.umask = 0x81;
    assert_int_equal(sum(&box, &sel, 0), 0);
}

static void test_conditions(void **state)
{
    (void)state;
    bx_selection needs = {.code = 0x04, .umask = 0x55};
    bx_selection compared = {.code = 0x06, .threshold = 2}, other = {.code = 0x06, .counter = 1};
    struct bx_signal signal;

    assert_int_equal(sum(&box, &needs, 0), NOT_MODELLED);
    assert_int_equal(sum(&box, &needs, HAS_TWO), 2);
    assert_true(bx_signal_resolve(&box, &toy.model, &compared, 0, 0, &signal));
    assert_true(signal.compared);
    compared.threshold = 1;
    assert_int_equal(sum(&box, &compared, 0), NOT_MODELLED);
    assert_int_equal(sum(&box, &other, 0), NOT_MODELLED);
    assert_int_equal(sum(&box_by_counter, &other, 0), 2);
}

static void test_words(void **state)
{
    (void)state;
    static const struct {
        unsigned code, umask, filter;
        const char *words;
    } cases[] = {
        {0x01, 0x10, 0x50, "lookups: reads; M, I"},
        {0x01, 0x30, 0x10, "lookups: M"},
        {0x01, 0x30, 0x70, "lookups"},
        {0x01, 0x10, 0x00, "nothing: always 0"},
        {0x02, 0x04, 0x00, "two"},
        {0x03, 0x08, 0x00, "nothing: always 0"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bx_selection sel = {.code = (uint16_t)cases[i].code,
                            .umask = cases[i].umask,
                            .filter = {[1] = cases[i].filter},
                            .applies = {[1] = UINT64_MAX}};
        struct bx_signal signal;
        bx_buf text = {0};
        assert_true(bx_signal_resolve(&box, &toy.model, &sel, 0, 0, &signal));
        bx_signal_describe(&signal, &text);
        assert_string_equal(bx_buf_text(&text), cases[i].words);
        bx_buf_free(&text);
    }
}

/* ---- the models' tables ---- */

static void check_names(const struct bx_tallies *of)
{
    bool named = of->name;

    for (unsigned k = 0; k < BX_AXES && of->axis[k].n; k++)
        named |= of->axis[k].names != NULL;
    assert_true(named);
    assert_non_null(of->reader);
    assert_non_null(of->reader->sum);
}

static void check_row(const struct bx_row *row)
{
    const struct bx_tallies *of = row->of;

    if (!of) {
        assert_true(!row->set && !row->minus);
        return;
    }
    check_names(of);
    unsigned n = of->axis[0].n ? of->axis[0].n : 1;
    if (row->set && n < 64)
        assert_false(row->set >> n);
    for (unsigned i = 0; i < n && of->axis[0].names; i++)
        if ((row->set | row->minus) >> i & 1)
            assert_non_null(of->axis[0].names[i]);
    for (unsigned i = 0; i < row->choices; i++) {
        unsigned axis = row->choice[i].axis;
        assert_true(axis == BX_NO_AXIS || axis < 2 * BX_AXES);
        assert_true(axis == BX_NO_AXIS || of->axis[axis % BX_AXES].n);
    }
}

static void test_models(void **state)
{
    (void)state;
    static const struct bx_model_kind *const kinds[] = {&bx_client_model, &bx_ivbep_model,
                                                        &bx_nhmex_model, &bx_p6_model};
    size_t checked = 0;

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (unsigned b = 0; b < kinds[k]->boxes; b++)
            for (unsigned p = 0; kinds[k]->box[b] && p < BX_BOX_PARTS; p++)
                for (size_t i = 0; i < kinds[k]->box[b]->part[p].n; i++, checked++)
                    check_row(&kinds[k]->box[b]->part[p].row[i]);
    assert_true(checked > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unit_masks),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_no_filter_is_ignored),
        cmocka_unit_test(test_packages),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
