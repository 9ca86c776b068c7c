/* What a decoder adds to the accesses of a trace: combined stores, page walks, prefetches. */
#include "../model/plain_tlb.h"
#include "random_programs.h"

/* ---- non-temporal stores ---- */

typedef struct line_written {
    uint64_t address;
    unsigned cost;
    bool whole;
} line_written;

/* Stores of half a line, one in each instruction, and the lines that are written for them; the last
 * ones at the end. */
static void assert_combined(unsigned buffers, const uint64_t *stores, size_t n,
                            const line_written *is, size_t lines, size_t at_end)
{
    static bx_access to[ROOM];
    rig r;
    struct bx_frames *expected = bx_frames_new(SEED);
    bx_decoder *d = open_decoder(&r, false);
    uint64_t words[64] = {bx_trace_control_word(BX_TRACE_BLOCK, 3), 5, instruction(0x1000, 4),
                          bx_trace_entry(BX_TRACE_STORE, 32, BX_TRACE_NON_TEMPORAL),
                          bx_trace_entry(BX_TRACE_EXIT, 0, 0)};

    bx_decoder_time(d, &(bx_core_time){.wc_buffers = buffers});
    for (size_t i = 0; i < n; i++) {
        words[5 + 2 * i] = 5 << BX_TRACE_EXIT_BITS;
        words[6 + 2 * i] = stores[i];
    }
    size_t made = decode(d, words, 5 + 2 * n, to);
    assert_int_equal(to[0], bx_access_make(bx_frames_line(expected, 0x1000), BX_FETCH, 0, 1));
    assert_int_equal(made, 1 + lines - at_end);
    assert_int_equal(bx_decoder_end(d, to + made), at_end);
    for (size_t i = 0; i < lines; i++)
        assert_int_equal(to[1 + i],
                         bx_access_make(bx_frames_line(expected, is[i].address), BX_NON_TEMPORAL,
                                        is[i].whole ? 0 : BX_ACCESS_PARTIAL, is[i].cost));
    close_decoder(d, &r);
    bx_frames_free(expected);
}

#define COMBINED(buffers, stores, is, at_end)                                                      \
    assert_combined(buffers, stores, sizeof(stores) / sizeof *(stores), is,                        \
                    sizeof(is) / sizeof *(is), at_end)

/* The first store belongs to the instruction of the fetch, and has its cycle. */
static void two_lines_by_turns(void **state)
{
    (void)state;
    const uint64_t stores[] = {0x2000, 0x2040, 0x2020, 0x2060};
    const line_written one[] = {
        {0x2000, 1, false}, {0x2040, 1, false}, {0x2000, 1, false}, {0x2040, 0, false}};
    const line_written two[] = {{0x2000, 2, true}, {0x2040, 1, true}};
    COMBINED(0, stores, one, 1);
    COMBINED(1, stores, one, 1);
    COMBINED(2, stores, two, 0);
    COMBINED(16, stores, two, 0);
}

/* 0x2000 is used again, so 0x2040 makes room for 0x2080. At the end the other lines are written in
 * this order. */
static void least_recently_used(void **state)
{
    (void)state;
    const uint64_t stores[] = {0x2000, 0x2040, 0x2000, 0x2080};
    const line_written two[] = {{0x2040, 3, false}, {0x2000, 0, false}, {0x2080, 0, false}};
    const line_written three[] = {{0x2040, 3, false}, {0x2000, 0, false}, {0x2080, 0, false}};
    COMBINED(2, stores, two, 2);
    COMBINED(3, stores, three, 3);
}

/* A store to two lines may complete one line that is in use, and need another line's buffer. */
static void over_the_end_of_a_line(void **state)
{
    (void)state;
    const uint64_t stores[] = {0x2000, 0x3000, 0x2020, 0x2070};
    const line_written two[] = {
        {0x2000, 2, true}, {0x3000, 1, false}, {0x2040, 0, false}, {0x2080, 0, false}};
    COMBINED(2, stores, two, 2);
}

/* ---- with TLBs ---- */

static void walks_come_before_their_accesses(void **state)
{
    (void)state;
    static bx_access to[ROOM];
    rig r;
    bx_decoder *d = open_decoder(&r, false);
    const uint64_t words[] = {
        bx_trace_control_word(BX_TRACE_BLOCK, 6),
        5,
        instruction(0x1000, 4),
        bx_trace_entry(BX_TRACE_LOAD, 8, 0),
        instruction(0x1004, 2),
        bx_trace_entry(BX_TRACE_STORE, 4, 0),
        bx_trace_entry(BX_TRACE_STORE, 64, BX_TRACE_NON_TEMPORAL),
        bx_trace_entry(BX_TRACE_EXIT, 0, 0),
        5 << BX_TRACE_EXIT_BITS,
        0x2000,
        0x2ffe, /* and continues in the next page */
        0x4000,
    };
    assert_true(bx_decoder_translate(d, &bx_tlb_ivy_bridge));
    size_t n = decode(d, words, sizeof words / sizeof *words, to);
    struct bx_page_tables *tables = bx_address_space_tables(r.space);
    struct bx_frames *expected = bx_frames_new(SEED);
    const struct {
        int level; /* -1: not a load of a walk */
        uint64_t address;
        unsigned kind, cost;
    } is[] = {
        {BX_PML4E, 0x1000, BX_LOAD, 1}, {BX_PDPTE, 0x1000, BX_LOAD, 4},
        {BX_PDE, 0x1000, BX_LOAD, 4},   {BX_PTE, 0x1000, BX_LOAD, 4},
        {-1, 0x1000, BX_FETCH, 4},      {BX_PTE, 0x2000, BX_LOAD, 0},
        {-1, 0x2000, BX_LOAD, 4},       {-1, 0x2fc0, BX_STORE, 1},
        {BX_PTE, 0x3000, BX_LOAD, 0},   {-1, 0x3000, BX_STORE, 4},
        {BX_PTE, 0x4000, BX_LOAD, 0},   {-1, 0x4000, BX_NON_TEMPORAL, 4},
    };
    assert_int_equal(n, sizeof is / sizeof *is);
    for (size_t i = 0; i < n; i++) {
        uint64_t page = is[i].address >> BX_PAGE_SHIFT;
        uint64_t line = is[i].level < 0 ? bx_frames_line(expected, is[i].address)
                                        : bx_page_tables_line(tables, is[i].level, page);
        unsigned flags = is[i].level < 0 ? 0 : BX_ACCESS_DEPENDENT;
        bx_access auxiliary = is[i].level < 0 ? 0 : BX_ACCESS_AUXILIARY;
        assert_int_equal(to[i], bx_access_make(line, is[i].kind, flags, is[i].cost) | auxiliary);
    }
    assert_int_equal(bx_decoder_translations(d).walks[BX_STORE], 2);
    bx_decoder_invalidate(d, 0x2000, 1);
    n = decode(d, words + 8, 4, to);
    assert_int_equal(n, 4 + 1 + 2 + 1); /* a cold walk, for 0x2000 */
    assert_int_equal(to[4], bx_access_make(bx_frames_line(expected, 0x2000), BX_LOAD, 0, 4));
    close_decoder(d, &r);
    bx_frames_free(expected);
}

/* Threads have their own TLBs, which end with them. */
static void each_thread_has_its_own(void **state)
{
    (void)state;
    static bx_access to[ROOM];
    rig r;
    bx_decoder *d = open_decoder(&r, false);
    const uint64_t words[] = {bx_trace_control_word(BX_TRACE_BLOCK, 2), 0, instruction(0x1000, 4),
                              bx_trace_entry(BX_TRACE_EXIT, 0, 0), 0};
    assert_true(bx_decoder_translate(d, &bx_tlb_skylake));
    assert_int_equal(decode(d, words, 5, to), 5);
    bx_decoder_thread first = bx_decoder_switch(d, (bx_decoder_thread){0});
    assert_int_equal(decode(d, words + 4, 1, to), 5);
    bx_decoder_thread second = bx_decoder_switch(d, first);
    assert_int_equal(decode(d, words + 4, 1, to), 0); /* the line fetched last */
    bx_decoder_thread_end(d, &second);
    assert_int_equal(bx_decoder_translations(d).walks[BX_FETCH], 2);
    assert_int_equal(bx_decoder_translations(d).walk_loads[BX_FETCH], 8);
    close_decoder(d, &r);
}

/* A thread's write is done with its access, not with the walk before it. A thread that waits for it
 * waits before its own walk. */
static void walks_keep_the_order_of_threads(void **state)
{
    (void)state;
    static bx_access to[ROOM];
    rig r;
    bx_decoder *d = open_decoder(&r, false);
    bx_word_writers *writers = bx_word_writers_new();
    const uint64_t words[] = {
        bx_trace_control_word(BX_TRACE_BLOCK, 4),
        0,
        instruction(0x1000, 4),
        bx_trace_entry(BX_TRACE_LOAD, 8, 0),
        bx_trace_entry(BX_TRACE_STORE, 8, BX_TRACE_MODIFY),
        bx_trace_entry(BX_TRACE_EXIT, 0, 0),
        0,
        0x2000,
        0x3000,
    };
    size_t cuts;
    assert_true(bx_decoder_translate(d, &bx_tlb_ivy_bridge));
    bx_decoder_order(d, writers, 0, 100);
    assert_int_equal(decode(d, words, 9, to), 5 + 2 + 2);
    bx_decoder_cuts(d, &cuts);
    assert_int_equal(cuts, 0);
    bx_decoder_switch(d, (bx_decoder_thread){0});
    bx_decoder_order(d, writers, 1, 0);
    assert_int_equal(decode(d, words + 6, 3, to), 5 + 2 + 2);
    const bx_cut *cut = bx_decoder_cuts(d, &cuts);
    assert_int_equal(cuts, 1);
    assert_int_equal(cut->at, 7);
    assert_int_equal(bx_written_thread(cut->until), 0);
    assert_int_equal(bx_written_access(cut->until), 100 + 9);
    close_decoder(d, &r);
    bx_word_writers_free(writers);
}

/* A load of a word that its thread has stored just before gets the store's bytes, and waits for
 * nothing. Not so if another thread has stored since, or the store is too old. */
static void loads_of_own_stores_are_forwarded(void **state)
{
    (void)state;
    static bx_access to[ROOM];
    rig r;
    bx_decoder *d = open_decoder(&r, false);
    bx_word_writers *writers = bx_word_writers_new();
    const uint64_t words[] = {
        bx_trace_control_word(BX_TRACE_BLOCK, 5),
        0,
        instruction(0x1000, 4),
        bx_trace_entry(BX_TRACE_STORE, 8, 0),
        bx_trace_entry(BX_TRACE_LOAD, 8, BX_TRACE_AWAITED),
        bx_trace_entry(BX_TRACE_LOAD, 8, 0),
        bx_trace_entry(BX_TRACE_EXIT, 0, 0),
    };
    const uint64_t own[] = {0, 0x2000, 0x2000, 0x2008}, both[] = {0, 0x2000, 0x2000, 0x1ffc};
    size_t n;
    decode(d, words, 7, to);
    bx_decoder_order(d, writers, 1, 100);
    n = decode(d, own, 4, to);
    assert_true(bx_access_is_forwarded(to[n - 2]));
    assert_false(to[n - 2] & BX_ACCESS_DEPENDENT);
    assert_false(bx_access_is_forwarded(to[n - 1]));
    const uint64_t next[] = {0, 0x2010, 0x2000, 0x2008};
    bx_decoder_order(d, writers, 1, 100 + n + 20);
    n = decode(d, next, 4, to);
    assert_true(bx_access_is_forwarded(to[n - 2]));
    bx_decoder_order(d, writers, 1, 200);
    n = decode(d, next, 4, to);
    assert_false(bx_access_is_forwarded(to[n - 2]));
    assert_true(to[n - 2] & BX_ACCESS_DEPENDENT);
    bx_decoder_switch(d, (bx_decoder_thread){0});
    bx_decoder_order(d, writers, 2, 0);
    decode(d, own, 4, to);
    bx_decoder_switch(d, (bx_decoder_thread){0});
    bx_decoder_order(d, writers, 1, 210);
    n = decode(d, next, 4, to);
    assert_false(bx_access_is_forwarded(to[n - 2]));
    n = decode(d, both, 4, to); /* the last load is in two words, of which one was stored */
    assert_true(bx_access_is_forwarded(to[n - 3]));
    assert_false(bx_access_is_forwarded(to[n - 1]));
    close_decoder(d, &r);
    bx_word_writers_free(writers);
}

/* A page of 2 MiB is zeroed as a whole, and walked without a PTE. */
static void huge_pages_are_zeroed_and_walked(void **state)
{
    (void)state;
    static bx_access to[ROOM];
    rig r = {.frames = bx_frames_new_huge(SEED)};
    r.memory = bx_physical_memory_new(r.frames);
    r.space = bx_address_space_new(r.memory);
    bx_decoder *d = bx_decoder_new(r.space, true);
    const uint64_t words[] = {bx_trace_control_word(BX_TRACE_BLOCK, 3), 0, instruction(0x1000, 4),
                              bx_trace_entry(BX_TRACE_STORE, 8, 0),
                              bx_trace_entry(BX_TRACE_EXIT, 0, 0)};
    const uint64_t run[] = {0, 0x600008};
    assert_true(bx_decoder_translate(d, &bx_tlb_skylake));
    bx_address_space_map(r.space, (bx_mapping){.address = 0x1000, .bytes = 4096, .file = true});
    assert_int_equal(decode(d, words, 5, to), 0);
    size_t made = 0, stores = 0, more;
    do {
        assert_int_equal(bx_decoder_read(d, run, made ? 0 : 2, to, ROOM, &more), made ? 0 : 2);
        for (size_t i = 0; i < more; i++)
            stores += (to[i] & 3) == BX_STORE;
        made += more;
    } while (more);
    assert_int_equal(stores, 512 * 64 + 1);
    assert_int_equal(made, 5 + 1 + stores); /* the store's walk loads its PDE only */
    close_decoder(d, &r);
}

enum { FRAMES = 1 << BX_FRAME_BITS };

static void note_pages(bx_address_space *s, uint64_t page[FRAMES], uint64_t first, uint64_t end)
{
    for (uint64_t n = first >> BX_PAGE_SHIFT; n <= end >> BX_PAGE_SHIFT; n++)
        page[bx_address_space_touch(s, n, false).frame] = n;
}

static unsigned cost_of(bx_access a)
{
    return a >> 4 & BX_ACCESS_COST_MAX;
}

/* Checks the walk of an access, and the access. Returns the following position. */
static const bx_access *check_walk(const bx_access *is, bx_access expected,
                                   struct plain_translation p, uint64_t page, const rig *r)
{
    unsigned cost = cost_of(expected), cycles = p.stlb ? 9 : 0;
    struct bx_page_tables *tables = bx_address_space_tables(r->space);
    for (unsigned level = p.first + 1; !p.first_level && !p.stlb && level-- > p.last; cost = 4)
        assert_int_equal(*is++, bx_access_make(bx_page_tables_line(tables, level, page), BX_LOAD,
                                               BX_ACCESS_DEPENDENT, cost) |
                                    BX_ACCESS_AUXILIARY);
    cost = cost + cycles < BX_ACCESS_COST_MAX ? cost + cycles : BX_ACCESS_COST_MAX;
    assert_int_equal(*is, bx_access_make(bx_access_line(expected), expected & 3, 0, cost));
    return is + 1;
}

/* A random program has the same accesses as without TLBs, and in addition those that a plain model
 * makes for each of them. */
static void as_plain_tlbs_translate(void **state)
{
    (void)state;
    enum { MOST = 1 << 18 };
    program *p = malloc(sizeof *p);
    bx_access *expected = malloc(MOST * sizeof *expected), *is = malloc(MOST * sizeof *is);
    uint64_t *page = malloc(FRAMES * sizeof *page);
    data_bytes = 1 << 24;
    for (unsigned round = 0; round < 20; round++) {
        rig r;
        bx_decoder *d = open_decoder(&r, false);
        struct plain_tlb *plain = plain_tlb_new(PLAIN_SKYLAKE);
        assert_true(bx_decoder_translate(d, &bx_tlb_skylake));
        make_program(p);
        size_t n = by_lackey(p, expected, MOST), made;
        assert_int_equal(bx_decoder_read(d, p->words, p->n, is, MOST, &made), p->n);
        made += bx_decoder_end(d, is + made);
        note_pages(r.space, page, 0x400000, 0x500000);
        note_pages(r.space, page, DATA, DATA + data_bytes + 512);
        const bx_access *next = is;
        uint64_t fetched = 0;
        for (size_t i = 0; i < n; i++) {
            bool fetch = (expected[i] & 3) == BX_FETCH;
            uint64_t at =
                page[bx_access_line(expected[i]) >> bx_page_lines_shift(BX_USUAL_LINE_SHIFT)];
            struct plain_translation t = {.first_level = true};
            if (!fetch || at != fetched)
                t = plain_tlb_access(plain, at, false, fetch);
            fetched = fetch ? at : fetched;
            next = check_walk(next, expected[i], t, at, &r);
        }
        assert_ptr_equal(next, is + made);
        plain_tlb_free(plain);
        close_decoder(d, &r);
    }
    data_bytes = 1 << 14;
    free(p);
    free(expected);
    free(is);
    free(page);
}

/* ---- prefetchers ---- */

/* The prefetchers add to the accesses, and change none of them. */
static void prefetches_are_added(void **state)
{
    (void)state;
    enum { MOST = 1 << 18 };
    program *p = malloc(sizeof *p);
    bx_access *plain = malloc(MOST * sizeof *plain), *is = malloc(MOST * sizeof *is);
    size_t asked = 0;
    for (unsigned round = 0; round < 20; round++) {
        rig r, s;
        bx_decoder *without = open_decoder(&r, false), *with = open_decoder(&s, false);
        size_t n, made, kept = 0;
        assert_true(bx_decoder_prefetch(with));
        make_program(p);
        assert_int_equal(bx_decoder_read(without, p->words, p->n, plain, MOST, &n), p->n);
        assert_int_equal(bx_decoder_read(with, p->words, p->n, is, MOST, &made), p->n);
        for (size_t i = 0; i < made; i++)
            if (!(is[i] & BX_ACCESS_PREFETCH))
                is[kept++] = is[i];
        assert_int_equal(kept, n);
        assert_memory_equal(is, plain, n * sizeof *is);
        asked += made - n;
        close_decoder(without, &r);
        close_decoder(with, &s);
    }
    assert_true(asked > 1000);
    free(p);
    free(plain);
    free(is);
}

/* A load that advances by a word each time: the prefetchers see it when it reaches another line. */
static void a_load_that_goes_on(void **state)
{
    (void)state;
    static bx_access to[ROOM];
    enum { WORDS = 8, LINES = 4, TIMES = WORDS * LINES };
    const uint64_t description[] = {bx_trace_control_word(BX_TRACE_BLOCK, 3), 0,
                                    instruction(0x1000, 4), bx_trace_entry(BX_TRACE_LOAD, 8, 0),
                                    bx_trace_entry(BX_TRACE_EXIT, 0, 0)};
    rig r;
    bx_decoder *d = open_decoder(&r, false);
    assert_true(bx_decoder_prefetch(d));
    decode(d, description, sizeof description / sizeof *description, to);
    unsigned asked[TIMES] = {0};
    uint64_t first = 0;
    for (unsigned i = 0; i < TIMES; i++) {
        const uint64_t words[] = {0, 0x20000 + 8 * i};
        size_t made = decode(d, words, 2, to);
        for (size_t k = 0; k < made; k++) {
            if (to[k] & BX_ACCESS_PREFETCH)
                asked[i]++;
            else if ((to[k] & 3) == BX_LOAD && !first)
                first = bx_access_line(to[k]);
        }
        assert_int_equal(bx_access_line(to[made - asked[i] - 1]), first + i / WORDS);
    }
    for (unsigned i = 0; i < TIMES; i++) /* as in tests/model/test_prefetch.c, test_ascending */
        assert_int_equal(asked[i], i == 0           ? 0
                                   : i == 1 * WORDS ? 1
                                   : i == 2 * WORDS ? 5
                                   : i == 3 * WORDS ? 4
                                                    : 0);
    close_decoder(d, &r);
}

/* Two pages of one set of the data TLB have one entry among the known ones (decoder_state.h). */
static void known_pages_have_sets(void **state)
{
    (void)state;
    const bx_tlb_geometry *all[] = {&bx_tlb_skylake, &bx_tlb_ivy_bridge, &bx_tlb_nehalem};
    for (unsigned i = 0; i < 3; i++) {
        bx_tlb_size size = all[i]->l1[BX_TLB_DATA][BX_PAGE_4K];
        assert_true(size.entries / size.ways >= BX_DECODER_KNOWN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_pages_have_sets),
        cmocka_unit_test(two_lines_by_turns),
        cmocka_unit_test(least_recently_used),
        cmocka_unit_test(over_the_end_of_a_line),
        cmocka_unit_test(walks_come_before_their_accesses),
        cmocka_unit_test(each_thread_has_its_own),
        cmocka_unit_test(walks_keep_the_order_of_threads),
        cmocka_unit_test(loads_of_own_stores_are_forwarded),
        cmocka_unit_test(huge_pages_are_zeroed_and_walked),
        cmocka_unit_test(as_plain_tlbs_translate),
        cmocka_unit_test(prefetches_are_added),
        cmocka_unit_test(a_load_that_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
