/* Answers of the helper's executable, to normal and to malicious clients. */
#include "../cmocked.h"

#include "catalog/catalog.h"
#include "helper/helper_process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The format of the protocol: little-endian, typed byte by byte. */
static void the_wire(void **state)
{
    (void)state;
    static const uint8_t hello[] = {0x62, 0x58, 0x73, 0x68, 1, 0, 1, 0, 4, 3, 2, 1, 1, 0,
                                    0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                    0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0};
    /* The answer has kind 81H, family 6, model 94 (5EH). */
    static const uint8_t answer[] = {0x62, 0x58, 0x73, 0x68, 1, 0, 0x81, 0, 4, 3, 2,    1, 1, 0,
                                     0,    0,    0,    0,    0, 0, 0,    0, 0, 0, 0x5e, 0, 6, 0,
                                     0,    0,    0,    0,    0, 0, 0,    0, 0, 0, 0,    0};
    uint8_t got[64];
    started s = helper_start(NULL, NULL);
    int fd = connected(&s);
    assert_int_equal(send(fd, hello, sizeof hello, 0), sizeof hello);
    assert_int_equal(recv(fd, got, sizeof got, 0), sizeof answer);
    assert_memory_equal(got, answer, sizeof answer);
    close(fd);
    helper_end(&s);
}

/* Registers of the cores, SDM volume 4: counters, their selects, and the registers of fixed
 * counters and of all counters. */
static bool is_writable_in_cores(unsigned msr)
{
    return (msr >= 0xc1 && msr <= 0xc8) || (msr >= 0x186 && msr <= 0x18d) ||
           (msr >= 0x309 && msr <= 0x30b) || msr == 0x38d || msr == 0x38f || msr == 0x390 ||
           msr == 0x1a6 || msr == 0x1a7 || msr == 0x3f6 || msr == 0x3f7;
}

/* C-Boxes, the cores' status, and aliases of the cores' counters. */
static bool is_read_only(unsigned msr)
{
    return msr == 0x396 || msr == 0x38e || (msr >= 0x4c1 && msr <= 0x4c8);
}

/* 334060-001 table 2-1: writable registers. */
static bool is_writable(unsigned msr)
{
    return is_writable_in_cores(msr) ||
           (msr >= 0x700 && msr < 0x740 && (msr & 0xf) <= 7 && (msr & 7) != 2 && (msr & 7) != 3 &&
            (msr & 7) != 4 && (msr & 7) != 5) ||
           msr == 0x394 || msr == 0x395 || (msr >= 0x3b0 && msr <= 0x3b3) || msr == 0xe01 ||
           msr == 0xe02;
}

static void every_address(void **state)
{
    (void)state;
    started s = helper_start(NULL, NULL);
    int fd = connected(&s);
    uint64_t before = msrs_sum(&s), value;
    for (unsigned msr = 0; msr <= 0xffff; msr++) {
        /* all ones is never allowed; writable registers contain 0 */
        assert_int_equal(client_writes(fd, 64, msr, UINT64_MAX), is_writable(msr) ? EPERM : EACCES);
        if (!is_writable(msr))
            assert_int_equal(client_writes(fd, 64, msr, 0), EACCES);
        if (!is_writable(msr) && !is_read_only(msr))
            assert_int_equal(client_reads(fd, 64, msr, &value), EACCES);
    }
    assert_int_equal(client_writes(fd, 64, UINT64_C(0x100000700), 0), EACCES);
    assert_int_equal(client_writes(fd, 64, UINT64_MAX, 0), EACCES);
    assert_int_equal(msrs_sum(&s), before);
    assert_int_equal(client_reads(fd, 64, 0x396, &value), 0);
    assert_int_equal(value, 5);
    close(fd);
    helper_end(&s);
}

static void bits_and_sizes(void **state)
{
    (void)state;
    started s = helper_start(NULL, NULL);
    int fd = connected(&s);
    uint64_t before = msrs_sum(&s), value;
    for (unsigned bit = 0; bit < 64; bit++) { /* table 2-7: 7:0, 15:8, 18, 22, 23, 28:24 */
        bool allowed = bit < 16 || bit == 18 || bit == 22 || bit == 23 || (bit >= 24 && bit <= 28);
        if (!allowed)
            assert_int_equal(client_writes(fd, 64, 0x720, UINT64_C(1) << bit), EPERM);
    }
    for (unsigned bit = 0; bit < 64; bit++) /* table 2-2: EN, 29, but neither PMI nor freeze */
        if (bit != 29)
            assert_int_equal(client_writes(fd, 64, 0xe01, UINT64_C(1) << bit), EPERM);
    for (unsigned width = 0; width < 256; width++) {
        if (width == 64)
            continue;
        assert_int_equal(client_writes(fd, width, 0x700, 0), EACCES);
        assert_int_equal(client_reads(fd, width, 0x700, &value), EACCES);
    }
    assert_int_equal(msrs_sum(&s), before);
    bx_protocol_message w = {.kind = BX_PROTOCOL_WRITE, .n = 1};
    for (unsigned space = 1; space < 256; space++) { /* no other space can be written */
        w = (bx_protocol_message){.kind = BX_PROTOCOL_WRITE, .n = 1};
        w.record[0] = (bx_protocol_record){.space = (uint8_t)space, .width = 64, .offset = 0x700};
        assert_true(client_asks(fd, &w));
        assert_int_equal(w.record[0].error, EACCES);
    }
    for (unsigned cpu = 2; cpu < 65536; cpu += 97) {
        w = (bx_protocol_message){.kind = BX_PROTOCOL_WRITE, .n = 1};
        w.record[0] = (bx_protocol_record){.width = 64, .cpu = (uint16_t)cpu, .offset = 0x700};
        assert_true(client_asks(fd, &w));
        assert_int_equal(w.record[0].error, ENXIO);
    }
    close(fd);
    helper_end(&s);
}

/* Accesses are executed in order, up to the first that fails. */
static void batches(void **state)
{
    (void)state;
    started s = helper_start(NULL, NULL);
    int fd = connected(&s);
    bx_protocol_message w = {.kind = BX_PROTOCOL_WRITE, .n = 4};
    static const uint64_t writes[4][2] = {
        {0x700, 0x408834}, {0x710, 0x8f34}, {0x1a0, 1}, {0x720, 1}};
    for (unsigned i = 0; i < 4; i++)
        w.record[i] =
            (bx_protocol_record){.width = 64, .offset = writes[i][0], .value = writes[i][1]};
    assert_true(client_asks(fd, &w));
    assert_int_equal(w.record[0].error, 0);
    assert_int_equal(w.record[1].error, 0);
    assert_int_equal(w.record[2].error, EACCES);
    assert_int_equal(w.record[3].error, ECANCELED);
    assert_int_equal(folder_get(&s.f, "/dev/cpu/0/msr", 0x700), 0x408834);
    assert_int_equal(folder_get(&s.f, "/dev/cpu/0/msr", 0x710), 0x8f34);
    assert_int_equal(folder_get(&s.f, "/dev/cpu/0/msr", 0x720), 0);
    w = (bx_protocol_message){.kind = BX_PROTOCOL_READ, .n = BX_PROTOCOL_MAX_RECORDS};
    for (unsigned i = 0; i < BX_PROTOCOL_MAX_RECORDS; i++)
        w.record[i] = (bx_protocol_record){.width = 64, .offset = i % 2 ? 0x710 : 0x10};
    assert_true(client_asks(fd, &w));
    for (unsigned i = 0; i < BX_PROTOCOL_MAX_RECORDS; i++) {
        assert_int_equal(w.record[i].error, i % 2 ? 0 : EACCES);
        assert_int_equal(w.record[i].value, i % 2 ? 0x8f34 : 0);
    }
    close(fd);
    helper_end(&s);
}

/* A malformed message ends its connection and nothing else. */
static void no_messages(void **state)
{
    (void)state;
    started s = helper_start(NULL, NULL);
    uint8_t good[BX_PROTOCOL_MAX_BYTES + 8] = {0};
    bx_protocol_message w = {.kind = BX_PROTOCOL_READ, .n = 2};
    w.record[0].offset = w.record[1].offset = 0x700;
    size_t n = bx_protocol_encode(&w, good);
    static const struct {
        size_t at;
        uint8_t byte;
        size_t length; /* 0: the whole message */
    } wrongs[] = {
        {0, 'x', 0},
        {4, 2, 0},
        {5, 1, 0},
        {6, 0, 0},
        {6, 6, 0},
        {6, 0x82, 0},
        {7, 1, 0},
        {12, 3, 0},
        {12, 1, 0},
        {12, 0, 16},
        {13, 1, 0},
        {15, 0xff, 0},
        {0, 0x62, 1},
        {0, 0x62, 4},
        {0, 0x62, 15},
        {0, 0x62, 16},
        {12, 1, 39},
        {0, 0x62, 63},
        {12, 65, 16 + 65 * 24},
        {12, 64, 16 + 64 * 24 + 8},
    };
    int other = connected(&s);
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        uint8_t bad[2 * BX_PROTOCOL_MAX_BYTES] = {0};
        uint64_t value;
        memcpy(bad, good, n);
        bad[wrongs[i].at] = wrongs[i].byte;
        int fd = connected(&s);
        assert_true(send(fd, bad, wrongs[i].length ? wrongs[i].length : n, MSG_NOSIGNAL) > 0);
        if (!client_dropped(fd))
            fail_msg("case %zu is answered", i);
        close(fd);
        assert_int_equal(client_reads(other, 64, 0x396, &value), 0);
    }
    close(other);
    helper_end(&s);
}

static uint64_t seed = 88172645463325252;

static uint64_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Corrupted messages in random order: afterwards registers are as before, and the helper still
 * serves. */
static void fuzz(void **state)
{
    (void)state;
    static const uint16_t registers[] = {0x700, 0x710, 0x720, 0x730, 0xe01, 0x396, 0x10, 0x1a0};
    unsigned rounds = getenv("BX_LONG") ? 200000 : 10000;
    started s = helper_start(NULL, NULL);
    uint64_t before = msrs_sum(&s);
    int fd = -1;
    for (unsigned i = 0; i < rounds; i++) {
        uint8_t bytes[BX_PROTOCOL_MAX_BYTES];
        bx_protocol_message w = {.kind = (uint8_t)(1 + rnd() % 5), .n = (uint32_t)(1 + rnd() % 4)};
        for (uint32_t k = 0; k < w.n; k++)
            w.record[k] = (bx_protocol_record){.width = 64,
                                               .cpu = rnd() % 8 ? 0 : 2,
                                               .offset = registers[rnd() % 8],
                                               .value = rnd() & rnd() & 0xc4ffff};
        size_t n = bx_protocol_encode(&w, bytes);
        for (unsigned wrong = rnd() % 3; wrong; wrong--)
            bytes[rnd() % n] = (uint8_t)rnd();
        if (rnd() % 16 == 0)
            n = 1 + rnd() % n;
        fd = fd < 0 ? client_open(&s) : fd;
        assert_true(fd >= 0);
        bool alive = send(fd, bytes, n, MSG_NOSIGNAL) > 0 && recv(fd, bytes, sizeof bytes, 0) > 0;
        if (alive && rnd() % 64)
            continue;
        close(fd);
        fd = -1;
    }
    if (fd >= 0)
        close(fd);
    msrs_wait_for(&s, before);
    helper_end(&s);
    print_message("%u messages tried\n", rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wire),       cmocka_unit_test(every_address),
        cmocka_unit_test(bits_and_sizes), cmocka_unit_test(batches),
        cmocka_unit_test(no_messages),    cmocka_unit_test(fuzz),
    };
    stay_on_one_cpu();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
