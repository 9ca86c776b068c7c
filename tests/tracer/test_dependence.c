/* Which loads are dependent: the address of a later access comes from their value, in their own
 * block or in one of the next eight. docs/explanation/model-programs.md, "Dependent loads". */
#include "decoder_rig.h"

enum {
    RAX = 1 << 0,
    RSI = 1 << 6,
    ALL = 0xffff,
    LOADS = 1, /* numbers of blocks */
    NEEDS,
    BETWEEN, /* and the ones after it */
    MOST = 64,
};

/* Words of a trace, whose blocks have one exit each. */
typedef struct trace {
    uint64_t word[1024];
    size_t n;
} trace;

static void put(trace *t, uint64_t word)
{
    assert_true(t->n < sizeof t->word / sizeof *t->word);
    t->word[t->n++] = word;
}

/* A block of one instruction, which loads from an address that comes from the registers `from` into
 * the registers `to`. passes: ALL + 1 if the trace does not say which registers pass. */
static void describe(trace *t, unsigned number, unsigned from, unsigned to, unsigned passes)
{
    bool told = passes <= ALL, loads = from | to;
    put(t, bx_trace_control_word(BX_TRACE_BLOCK, 2 + told + loads));
    put(t, number);
    put(t, instruction(0x1000 * number, 4));
    if (loads)
        put(t,
            bx_trace_entry(BX_TRACE_LOAD, 8,
                           (uint64_t)from << BX_TRACE_REGISTERS | (uint64_t)to << BX_TRACE_KEPT));
    if (told)
        put(t, bx_trace_entry(BX_TRACE_PASSES, 0, passes));
    put(t, bx_trace_entry(BX_TRACE_EXIT, 0, to));
}

static void execute(trace *t, unsigned number, bool loads)
{
    put(t, (uint64_t)number << BX_TRACE_EXIT_BITS);
    if (loads)
        put(t, 0x100000 + 0x1000 * number);
}

/* Decodes all, and marks each load: 'd' is a dependent one. */
static void expect(const trace *t, const char *loads)
{
    static bx_access to[ROOM];
    char is[MOST + 1];
    size_t n = 0;
    rig r;
    bx_decoder *d = open_decoder(&r, false);
    size_t made = decode(d, t->word, t->n, to);
    for (size_t i = 0; i < made; i++)
        if (bx_access_kind_of(to[i]) == BX_LOAD && n < MOST)
            is[n++] = to[i] & BX_ACCESS_DEPENDENT ? 'd' : '-';
    is[n] = 0;
    assert_string_equal(is, loads);
    close_decoder(d, &r);
}

/* LOADS loads RAX, `between` blocks follow, and NEEDS loads from the address in RAX. All that
 * twice. */
static trace rounds(unsigned between, unsigned passes)
{
    trace t = {.n = 0};
    describe(&t, LOADS, RSI, RAX, ALL & ~RAX);
    describe(&t, NEEDS, RAX, 0, ALL);
    for (unsigned i = 0; i < between; i++)
        describe(&t, BETWEEN + i, 0, 0, passes);
    for (unsigned round = 0; round < 2; round++) {
        execute(&t, LOADS, true);
        for (unsigned i = 0; i < between; i++)
            execute(&t, BETWEEN + i, false);
        execute(&t, NEEDS, true);
    }
    return t;
}

/* The first time that the address is needed, the load is noted; then it is dependent. */
static void through_blocks_that_pass_the_register(void **state)
{
    (void)state;
    for (unsigned between = 0; between <= 7; between++) {
        trace t = rounds(between, ALL);
        expect(&t, "--d-");
    }
    trace t = rounds(1, RAX);
    expect(&t, "--d-");
}

static void not_beyond_eight_blocks(void **state)
{
    (void)state;
    trace t = rounds(8, ALL);
    expect(&t, "----");
}

static void not_through_a_block_that_sets_the_register(void **state)
{
    (void)state;
    trace t = rounds(1, ALL & ~RAX);
    expect(&t, "----");
    t = rounds(3, ALL & ~RAX);
    expect(&t, "----");
}

/* Traces before version 9 do not say which registers a block leaves as they were: the load and the
 * address are in blocks that follow each other. */
static void older_traces_tell_of_the_next_block_only(void **state)
{
    (void)state;
    trace t = rounds(0, ALL + 1);
    expect(&t, "--d-");
    t = rounds(1, ALL + 1);
    expect(&t, "----");
}

/* A block that is executed twice leads back to itself. */
static void not_through_a_block_that_is_repeated(void **state)
{
    (void)state;
    trace t = {.n = 0};
    describe(&t, LOADS, RSI, RAX, ALL & ~RAX);
    describe(&t, NEEDS, RAX, 0, ALL);
    describe(&t, BETWEEN, 0, 0, ALL);
    for (unsigned round = 0; round < 2; round++) {
        execute(&t, LOADS, true);
        execute(&t, BETWEEN, false);
        execute(&t, BETWEEN, false);
        execute(&t, NEEDS, true);
    }
    expect(&t, "----");
}

/* The register has a value of the first load and one of the second: a sum. Both are awaited. */
static void through_a_block_that_adds_to_the_register(void **state)
{
    (void)state;
    trace t = {.n = 0};
    describe(&t, LOADS, RSI, RAX, ALL & ~RAX);
    describe(&t, BETWEEN, RSI, RAX, ALL);
    describe(&t, NEEDS, RAX, 0, ALL);
    for (unsigned round = 0; round < 2; round++) {
        execute(&t, LOADS, true);
        execute(&t, BETWEEN, true);
        execute(&t, NEEDS, true);
    }
    expect(&t, "---dd-");
}

/* The address comes from a register that the load does not set. */
static void other_registers_stay_as_they_are(void **state)
{
    (void)state;
    trace t = {.n = 0};
    describe(&t, LOADS, RSI, RAX, ALL & ~RAX);
    describe(&t, NEEDS, RSI, 0, ALL);
    for (unsigned round = 0; round < 3; round++) {
        execute(&t, LOADS, true);
        execute(&t, NEEDS, true);
    }
    expect(&t, "------");
}

/* A description may replace a block that was executed before: what it loaded is forgotten. */
static void a_description_forgets_what_was_loaded(void **state)
{
    (void)state;
    trace t = {.n = 0};
    describe(&t, LOADS, RSI, RAX, ALL & ~RAX);
    describe(&t, BETWEEN, 0, 0, ALL);
    describe(&t, NEEDS, RAX, 0, ALL);
    for (unsigned round = 0; round < 2; round++) {
        execute(&t, LOADS, true);
        execute(&t, BETWEEN, false);
        describe(&t, BETWEEN, 0, 0, ALL);
        execute(&t, BETWEEN, false);
        execute(&t, NEEDS, true);
    }
    expect(&t, "----");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(through_blocks_that_pass_the_register),
        cmocka_unit_test(not_beyond_eight_blocks),
        cmocka_unit_test(not_through_a_block_that_sets_the_register),
        cmocka_unit_test(older_traces_tell_of_the_next_block_only),
        cmocka_unit_test(not_through_a_block_that_is_repeated),
        cmocka_unit_test(through_a_block_that_adds_to_the_register),
        cmocka_unit_test(other_registers_stay_as_they_are),
        cmocka_unit_test(a_description_forgets_what_was_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
