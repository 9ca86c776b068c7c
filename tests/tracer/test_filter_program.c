/* Programs of seccomp filters: what the kernel accepts, and their results. The rules are those of
 * Linux: Documentation/networking/filter.rst, seccomp_check_filter() in kernel/seccomp.c. */
#include "../cmocked.h"

#include "tracer/filter_program.h"

#include <linux/filter.h>
#include <stddef.h>

#define STEP(code, k)                                                                              \
    {                                                                                              \
        (code), 0, 0, (k)                                                                          \
    }
#define JUMP(code, k, yes, no)                                                                     \
    {                                                                                              \
        (code), (yes), (no), (k)                                                                   \
    }
#define RETURN_A STEP(BPF_RET | BPF_A, 0)

static const bx_filter_input input = {39, 0xc000003e, 0x1122334455667788, {0x99aabbccddeeff00, 2}};

static uint32_t result(const bx_filter_step *steps, uint32_t n)
{
    assert_true(bx_filter_is_good(steps, n));
    return bx_filter_run(steps, &input);
}
#define RESULT(...)                                                                                \
    result((const bx_filter_step[]){__VA_ARGS__},                                                  \
           sizeof((const bx_filter_step[]){__VA_ARGS__}) / sizeof(bx_filter_step))
#define IS_GOOD(...)                                                                               \
    bx_filter_is_good((const bx_filter_step[]){__VA_ARGS__},                                       \
                      sizeof((const bx_filter_step[]){__VA_ARGS__}) / sizeof(bx_filter_step))

static void words_of_the_call_are_loaded(void **state)
{
    (void)state;
    assert_int_equal(RESULT(STEP(BPF_LD | BPF_ABS, 0), RETURN_A), 39);
    assert_int_equal(RESULT(STEP(BPF_LD | BPF_ABS, 4), RETURN_A), 0xc000003e);
    assert_int_equal(RESULT(STEP(BPF_LD | BPF_ABS, 12), RETURN_A), 0x11223344);
    assert_int_equal(RESULT(STEP(BPF_LD | BPF_ABS, 16), RETURN_A), 0xddeeff00);
    assert_int_equal(RESULT(STEP(BPF_LD | BPF_LEN, 0), RETURN_A), 64);
    assert_int_equal(RESULT(STEP(BPF_LDX | BPF_IMM, 7), STEP(BPF_MISC | BPF_TXA, 0), RETURN_A), 7);
    assert_int_equal(RESULT(STEP(BPF_LD | BPF_IMM, 9), STEP(BPF_ST, 15), STEP(BPF_LD | BPF_IMM, 1),
                            STEP(BPF_LDX | BPF_MEM, 15), STEP(BPF_ALU | BPF_ADD | BPF_X, 0),
                            RETURN_A),
                     10);
}

static void numbers_are_computed(void **state)
{
    (void)state;
    static const struct {
        uint16_t operation;
        uint32_t operand, is;
    } rows[] = {{BPF_ADD, 5, 105},      {BPF_SUB, 101, UINT32_MAX}, {BPF_MUL, 3, 300},
                {BPF_DIV, 7, 14},       {BPF_OR, 0x8000, 0x8064},   {BPF_AND, 0x60, 0x60},
                {BPF_LSH, 4, 1600},     {BPF_RSH, 2, 25},           {BPF_XOR, 1, 101},
                {BPF_NEG, 0, 0U - 100U}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(RESULT(STEP(BPF_LD | BPF_IMM, 100),
                                STEP((uint16_t)(BPF_ALU | rows[i].operation), rows[i].operand),
                                RETURN_A),
                         rows[i].is);
    assert_int_equal(RESULT(STEP(BPF_LD | BPF_IMM, 100), STEP(BPF_ALU | BPF_DIV | BPF_X, 0),
                            STEP(BPF_RET, 0x7fff0000)),
                     0); /* a division by zero ends it */
}

static void conditions_jump(void **state)
{
    (void)state;
    static const struct {
        uint16_t operation;
        uint32_t operand;
        uint32_t is;
    } rows[] = {{BPF_JEQ, 39, 1}, {BPF_JEQ, 40, 2}, {BPF_JGT, 38, 1},  {BPF_JGT, 39, 2},
                {BPF_JGE, 39, 1}, {BPF_JGE, 40, 2}, {BPF_JSET, 32, 1}, {BPF_JSET, 64, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(
            RESULT(STEP(BPF_LD | BPF_ABS, 0),
                   JUMP((uint16_t)(BPF_JMP | rows[i].operation), rows[i].operand, 0, 1),
                   STEP(BPF_RET, 1), STEP(BPF_RET, 2)),
            rows[i].is);
    assert_int_equal(RESULT(STEP(BPF_JMP | BPF_JA, 1), STEP(BPF_RET, 1), STEP(BPF_RET, 2)), 2);
}

static void bad_programs_are_refused(void **state)
{
    (void)state;
    static const bx_filter_step many[BX_FILTER_MOST + 1] = {[BX_FILTER_MOST] = RETURN_A};
    assert_false(bx_filter_is_good(many, 0));
    assert_false(bx_filter_is_good(many, BX_FILTER_MOST + 1));
    assert_false(IS_GOOD(STEP(BPF_LD | BPF_IMM, 0)));                   /* no end */
    assert_false(IS_GOOD(STEP(BPF_LD | BPF_ABS, 64), RETURN_A));        /* after the input */
    assert_false(IS_GOOD(STEP(BPF_LD | BPF_ABS, 2), RETURN_A));         /* not aligned */
    assert_false(IS_GOOD(STEP(BPF_LD | BPF_H | BPF_ABS, 0), RETURN_A)); /* half a word */
    assert_false(IS_GOOD(STEP(BPF_LD | BPF_IND, 0), RETURN_A));
    assert_false(IS_GOOD(STEP(BPF_LD | BPF_MEM, 16), RETURN_A));
    assert_false(IS_GOOD(STEP(BPF_ST, 16), RETURN_A));
    assert_false(IS_GOOD(STEP(BPF_ALU | BPF_DIV, 0), RETURN_A));
    assert_false(IS_GOOD(STEP(BPF_ALU | BPF_MOD, 3), RETURN_A));
    assert_false(IS_GOOD(STEP(BPF_ALU | BPF_LSH, 32), RETURN_A));
    assert_false(IS_GOOD(STEP(BPF_JMP | BPF_JA, 1), RETURN_A)); /* past the end */
    assert_false(IS_GOOD(STEP(BPF_JMP | BPF_JA, UINT32_MAX), RETURN_A));
    assert_false(IS_GOOD(JUMP(BPF_JMP | BPF_JEQ, 0, 1, 0), RETURN_A));
    assert_false(IS_GOOD(JUMP(BPF_JMP | BPF_JEQ, 0, 0, 1), RETURN_A));
    assert_false(IS_GOOD(STEP(0xffff, 0), RETURN_A));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_the_call_are_loaded),
        cmocka_unit_test(numbers_are_computed),
        cmocka_unit_test(conditions_jump),
        cmocka_unit_test(bad_programs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
