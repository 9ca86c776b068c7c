/* Trace files: a written file is read again. A file that is cut off or has a changed byte is
 * refused or reported. */
#include "../cmocked.h"

#include "tracefile/reader.h"
#include "tracefile/writer.h"

#include "tracer/trace_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

typedef struct bytes {
    uint8_t byte[1 << 16];
    size_t n, at;
    int err; /* errno of writing */
} bytes;

static int add(void *context, const void *from, size_t n)
{
    bytes *b = context;
    assert_true(n <= sizeof b->byte - b->n);
    memcpy(b->byte + b->n, from, n);
    b->n += n;
    return b->err;
}

static size_t give(void *context, void *to, size_t n, int *err)
{
    bytes *b = context;
    (void)err;
    n = n < b->n - b->at ? n : b->n - b->at;
    memcpy(to, b->byte + b->at, n);
    b->at += n;
    return n;
}

static const uint64_t described[] = {BX_TRACE_CONTROL | (uint64_t)BX_TRACE_BLOCK << 56 | 3, 5,
                                     UINT64_C(0x1004) << 48 | 0x1000, UINT64_C(0x2008) << 48,
                                     UINT64_C(0x4000) << 48};
static const uint64_t executed[] = {640, 0x1234, 640, 0x1238, 640, 0x123c};

static void write_all(bytes *to, bool ends)
{
    char *argument[] = {(char[]){"a program"}, (char[]){"line\nbreak\\ \x01"}};
    const bx_tracefile_head head = {argument, 2, (char[]){"sse2 avx"}, 1234, BX_TRACE_PAGE};
    bx_error e = {0};
    bx_tracefile_writer *w = bx_tracefile_writer_new(&head, (bx_tracefile_sink){add, to, "t"});
    assert_non_null(w);
    assert_int_equal(bx_tracefile_write_hello(w, 1000, 0, 77), 0);
    bx_tracefile_write_words(w, 0, described, 5);
    assert_int_equal(bx_tracefile_write_hello(w, 1001, 1000, 78), 1);
    bx_tracefile_write_words(w, 1, described, 5);
    bx_tracefile_write_words(w, 0, executed, 6);
    bx_tracefile_write_fact(w, BX_PART_UNREAD, 1002, "sudo");
    bx_tracefile_write_fact(w, BX_PART_CUT, 1002, "sudo");
    bx_tracefile_write_fact(w, BX_PART_LEFT, 1002, "sudo");
    bx_tracefile_write_round(w);
    bx_tracefile_write_gone(w, 0);
    bx_tracefile_write_words(w, 1, executed, 2);
    if (ends)
        assert_int_equal(bx_tracefile_write_end(w, 139, 11, &e), BX_OK);
    bx_tracefile_writer_free(w);
}

static bx_tracefile_reader *open_it(bytes *b, bx_error *e)
{
    bx_tracefile_reader *r = NULL;
    b->at = 0;
    bx_tracefile_reader_new((bx_tracefile_source){give, b}, &r, e);
    return r;
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    bytes b = {0};
    bx_error e = {0};
    bx_tracefile_part p;
    write_all(&b, true);
    bx_tracefile_reader *r = open_it(&b, &e);
    assert_non_null(r);
    const bx_tracefile_head *h = bx_tracefile_reader_head(r);
    assert_int_equal(h->arguments, 2);
    assert_string_equal(h->argument[0], "a program");
    assert_string_equal(h->argument[1], "line\nbreak\\ \x01");
    assert_string_equal(h->features, "sse2 avx");
    assert_int_equal(h->cpus, 1234);
    static const struct {
        enum bx_part kind;
        uint32_t number;
        const uint64_t *words;
        size_t n;
    } expected[] = {
        {BX_PART_HELLO, 0, NULL, 0},        {BX_PART_WORDS_OF, 0, described, 5},
        {BX_PART_HELLO, 1, NULL, 0},        {BX_PART_WORDS_OF, 1, described, 5},
        {BX_PART_WORDS_OF, 0, executed, 6}, {BX_PART_UNREAD, 0, NULL, 0},
        {BX_PART_CUT, 0, NULL, 0},          {BX_PART_LEFT, 0, NULL, 0},
        {BX_PART_ROUND, 0, NULL, 0},        {BX_PART_GONE, 0, NULL, 0},
        {BX_PART_WORDS_OF, 1, executed, 2},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(bx_tracefile_next(r, &p, &e), BX_OK);
        assert_int_equal(p.kind, expected[i].kind);
        assert_int_equal(p.number, expected[i].number);
        assert_int_equal(p.n, expected[i].n);
        if (p.kind == BX_PART_HELLO) {
            assert_int_equal(p.process, 1000 + p.number);
            assert_int_equal(p.parent, p.number ? 1000 : 0);
            assert_int_equal(p.time, 77 + p.number);
        }
        if (p.kind == BX_PART_UNREAD || p.kind == BX_PART_CUT || p.kind == BX_PART_LEFT) {
            assert_int_equal(p.process, 1002);
            assert_true(bx_str_eq(p.name, BX_STR("sudo")));
        }
        if (p.n)
            assert_memory_equal(p.words, expected[i].words, p.n * sizeof *p.words);
    }
    assert_int_equal(bx_tracefile_next(r, &p, &e), BX_OK);
    assert_int_equal(p.kind, BX_PART_END);
    assert_int_equal(p.status, 139);
    assert_int_equal(p.signal, 11);
    bx_codec_counts n = bx_tracefile_counts(r);
    assert_int_equal(n.made.instructions, 4);
    assert_int_equal(n.made.loads, 4);
    assert_int_equal(n.threads, 2);
    assert_int_equal(bx_tracefile_processes(r), 2);
    assert_int_equal(bx_tracefile_bytes(r), b.n);
    bx_tracefile_reader_free(r);
}

/* A hash of the contents. */
static uint64_t sum_of(const bx_tracefile_part *p)
{
    uint64_t sum = p->kind + p->number + p->process + p->parent + p->time + (uint64_t)p->status;
    for (size_t i = 0; i < p->n; i++)
        sum = sum * 31 + p->words[i];
    return sum;
}

/* Reads to the end. */
static int read_all(bytes *b, uint64_t *sum, bx_error *e)
{
    *sum = 0;
    bx_tracefile_part p = {0};
    bx_tracefile_reader *r = open_it(b, e);
    int rc = r ? BX_OK : e->code;
    while (rc == BX_OK && p.kind != BX_PART_END)
        if ((rc = bx_tracefile_next(r, &p, e)) == BX_OK)
            *sum = *sum * 31 + sum_of(&p);
    bx_tracefile_reader_free(r);
    return rc;
}

static void a_file_that_was_cut_off_is_none(void **state)
{
    (void)state;
    bytes b = {0};
    uint64_t sum;
    write_all(&b, true);
    for (b.n--; b.n > 0; b.n--) {
        bx_error e = {0};
        assert_int_equal(read_all(&b, &sum, &e), BX_BAD_INPUT);
        assert_non_null(strstr(e.message, "cut off"));
    }
    b.n = 0;
    write_all(&b, false); /* killed: the last chunk is missing, too */
    bx_error e = {0};
    assert_int_equal(read_all(&b, &sum, &e), BX_BAD_INPUT);
    assert_non_null(strstr(e.message, "its end is missing"));
}

/* Some bits of a zstd frame have no meaning. */
static void a_changed_byte_is_found_or_changes_nothing(void **state)
{
    (void)state;
    bytes b = {0};
    bx_error none = {0};
    uint64_t sum, right;
    unsigned found = 0;
    write_all(&b, true);
    assert_int_equal(read_all(&b, &right, &none), BX_OK);
    const uint8_t *end = memmem(b.byte, b.n, "\n\n", 2);
    for (size_t i = 0; i < b.n; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            bx_error e = {0};
            b.byte[i] ^= (uint8_t)(1u << bit);
            int rc = read_all(&b, &sum, &e);
            b.byte[i] ^= (uint8_t)(1u << bit);
            assert_true(rc == BX_BAD_INPUT || (sum == right && b.byte + i > end));
            found += rc == BX_BAD_INPUT;
        }
    assert_true(found > 800);
}

/* A head without a checksum, as version 1 has it, is read. */
static void an_older_file_is_read(void **state)
{
    (void)state;
    static const char head[] = "boxscore trace 1\nwords 3\nargument a\npage-bytes 4096\n\n";
    bytes b = {0}, old = {0};
    bx_error e = {0};
    uint64_t sum, right;
    write_all(&b, true);
    assert_int_equal(read_all(&b, &right, &e), BX_OK);
    const uint8_t *end = (const uint8_t *)memmem(b.byte, b.n, "\n\n", 2) + 2;
    add(&old, head, sizeof head - 1);
    add(&old, end, b.n - (size_t)(end - b.byte));
    assert_int_equal(read_all(&old, &sum, &e), BX_OK);
    assert_true(sum == right);
}

/* ---- files that take more than they have ---- */

static uint8_t *number(uint8_t *to, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

/* Writes a file with one chunk, whose records are `first` once, then `again` so many times. */
static void write_records(bytes *to, bx_str first, bx_str again, size_t times)
{
    static const char head[] = "boxscore trace 1\nwords 3\nargument a\npage-bytes 4096\n\n";
    uint8_t lengths[BX_CHUNK_HEAD] = {0};
    size_t n = first.n + times * again.n;
    char *records = malloc(n), *at = records;
    static uint8_t packed[sizeof to->byte];
    assert_non_null(records);
    memcpy(at, first.p, first.n);
    at += first.n;
    for (; times; times--, at += again.n)
        memcpy(at, again.p, again.n);
    size_t frame = ZSTD_compress(packed, sizeof packed, records, n, 3);
    assert_false(ZSTD_isError(frame));
    free(records);
    for (unsigned i = 0; i < 4; i++) {
        lengths[i] = (uint8_t)(n >> 8 * i);
        lengths[12 + i] = (uint8_t)(frame >> 8 * i);
    }
    *to = (struct bytes){0};
    add(to, head, sizeof head - 1);
    add(to, lengths, sizeof lengths);
    add(to, packed, frame);
}

/* A few hundred bytes can say millions of processes, block numbers, threads, forks or rounds. What
 * they would take is refused before it is taken. */
static void a_small_file_takes_little(void **state)
{
    (void)state;
    static const uint64_t control = BX_TRACE_CONTROL;
    uint8_t part[64], *end;
    struct {
        uint64_t words[5];
        size_t n;
        const char *message;
    } of[] = {
        {{control | (uint64_t)BX_TRACE_BLOCK << 56, BX_TRACE_BLOCKS - 1},
         2,
         "more blocks, threads or mappings"},
        {{control | (uint64_t)BX_TRACE_THREAD << 56 | 60000},
         1,
         "more blocks, threads or mappings"},
        {{control | (uint64_t)BX_TRACE_START << 56 | 1, 1}, 2, "more blocks, threads or mappings"},
        {{control | (uint64_t)BX_TRACE_FORK << 56, 1}, 2, "more blocks, threads or mappings"},
        {{control | (uint64_t)BX_TRACE_KERNEL_READ << 56, 0, 1 << 20},
         3,
         "more accesses of the kernel than"},
    };
    static bytes b;
    static const char hello[] = "\1\1\0\1", round[] = "\5", name[] = "\4\1\1x";
    uint64_t sum;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        end = part;
        *end++ = BX_PART_WORDS_OF;
        end = number(end, 0);
        end = number(end, of[i].n);
        end = number(number(end, 2), of[i].words[0] & ~control);
        for (size_t k = 1; k < of[i].n; k++)
            end = number(end, of[i].words[k]);
        bx_error e = {0};
        write_records(&b, (bx_str){hello, 4}, (bx_str){(char *)part, (size_t)(end - part)}, 300000);
        assert_int_equal(read_all(&b, &sum, &e), BX_BAD_INPUT);
        if (!strstr(e.message, of[i].message))
            fail_msg("%zu: %s", i, e.message);
    }
    const struct {
        bx_str again;
        const char *message;
    } parts[] = {{{hello, 4}, "more processes than"},
                 {{round, 1}, "more parts without words than"},
                 {{name, 4}, "more parts without words than"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        bx_error e = {0};
        write_records(&b, (bx_str){hello, 4}, parts[i].again, 300000);
        assert_int_equal(read_all(&b, &sum, &e), BX_BAD_INPUT);
        assert_non_null(strstr(e.message, parts[i].message));
    }
}

static void other_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"no trace\n\n", "this is no trace: it does not begin with 'boxscore trace '"},
        {"boxscore trace 9\nwords 3\n\n",
         "the trace is of version 9 (of the file), which is unknown"},
        {"boxscore trace 1\nwords 1\n\n",
         "the trace is of version 1 (of its words), which is unknown"},
        {"boxscore trace 1\nwords 3\npage-bytes 4096\n\n", "the trace's head names no program"},
        {"boxscore trace 2\nwords 3\nargument a\npage-bytes 4096\n\n",
         "the trace's head is damaged: its checksum is missing"},
        {"boxscore trace 2\nwords 3\nargument a\npage-bytes 4096\ncksum 1\n\n",
         "the trace's head is damaged: it does not have the checksum that it says"},
        {"boxscore trace 1\nwords 3\nargument a\npage-bytes 8192\n\n",
         "the trace was made with pages of another size than 4096 bytes"},
        {"boxscore trace 1\nwords 3\nargument \\x0\n\n",
         "the trace's head has a line that is malformed: 'argument \\x0'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        bytes b = {0};
        uint64_t sum;
        bx_error e = {0};
        add(&b, wrong[i].text, strlen(wrong[i].text));
        assert_int_equal(read_all(&b, &sum, &e), BX_BAD_INPUT);
        assert_string_equal(e.message, wrong[i].message);
    }
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    bytes b = {.err = ENOSPC};
    bx_error e = {0};
    char *argument[] = {(char[]){"x"}};
    const bx_tracefile_head head = {argument, 1, NULL, 0, BX_TRACE_PAGE};
    bx_tracefile_writer *w = bx_tracefile_writer_new(&head, (bx_tracefile_sink){add, &b, "t"});
    assert_int_not_equal(bx_tracefile_write_end(w, 0, 0, &e), BX_OK);
    assert_string_equal(e.message, "cannot write 't': No space left on device");
    bx_tracefile_writer_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(a_file_that_was_cut_off_is_none),
        cmocka_unit_test(a_changed_byte_is_found_or_changes_nothing),
        cmocka_unit_test(an_older_file_is_read),
        cmocka_unit_test(a_small_file_takes_little),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(a_full_disk_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
