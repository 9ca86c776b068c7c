/* A few thousand damaged copies of catalog/skl and of tests/catalog/slots, the same ones each time:
 * the parser must refuse or accept each without a crash, a leak or a hang (the sanitizer build is
 * what watches). */
#include "../cmocked.h"

#include "folder.h"
#include "fuzz_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 17, ROUNDS = 4000 };

static uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);

static uint32_t below(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 32) % n;
}

struct text {
    char bytes[ROOM];
    size_t n;
};

static void cut(struct text *t, size_t at, size_t n)
{
    if (n > t->n - at)
        n = t->n - at;
    memmove(t->bytes + at, t->bytes + at + n, t->n - at - n);
    t->n -= n;
}

static void insert(struct text *t, size_t at, const char *bytes, size_t n)
{
    if (n > ROOM - t->n)
        return;
    memmove(t->bytes + at + n, t->bytes + at, t->n - at);
    memcpy(t->bytes + at, bytes, n);
    t->n += n;
}

/* Words of the notation and values at the edges of what it can hold. */
static const char *const words[] = {
    "event",
    "umask",
    "bit",
    "names",
    "reg",
    "field",
    "counters",
    "modifier",
    "source",
    "note",
    "when",
    "sets",
    "like",
    "msr",
    "pci",
    "mmio",
    "stride",
    "units",
    "range",
    "pmi",
    "fixed",
    "slot",
    "place",
    "port",
    "modes",
    "at",
    "levels",
    "in",
    "precondition",
    "gathers",
    "clears",
    "masked",
    "alias",
    "twin",
    "value",
    "preset",
    "tally",
    "scale",
    "minds",
    "EV_SEL=4",
    "{0..3}",
    "{0..7+8u}",
    "{7+8u}",
    "{n+8u}",
    "+",
    "{unit}",
    "{n}",
    "{",
    "}",
    "\"",
    "#",
    "=",
    "..",
    ":",
    "/",
    "-1",
    "0",
    "63",
    "64",
    "255",
    "256",
    "65535",
    "65536",
    "0xffffffff",
    "4294967296",
    "0xffffffffffffffff",
    "{0..254}",
    "{0..99999999999}",
    "63:0",
    "0:63",
    "0..255",
    "0..254",
    "255:31.7+0xfff",
    "\n  ",
    "\n",
    "%file x.pmu\n",
};

static size_t word_end(const struct text *t, size_t at)
{
    while (at < t->n && !strchr(" \n\"", t->bytes[at]))
        at++;
    return at;
}

static void damage(struct text *t)
{
    if (t->n == 0)
        return;
    size_t at = below((uint32_t)t->n);
    const char *word = words[below(sizeof words / sizeof *words)];
    switch (below(7)) {
    case 0:
        t->bytes[at] = (char)below(256);
        break;
    case 1:
        cut(t, at, 1 + below(40));
        break;
    case 2: /* another word in the place of one */
        cut(t, at, word_end(t, at) - at);
        insert(t, at, word, strlen(word));
        break;
    case 3:
        insert(t, at, word, strlen(word));
        break;
    case 4: { /* some lines twice */
        char lines[400];
        size_t n = t->n - at < sizeof lines ? t->n - at : sizeof lines;
        memcpy(lines, t->bytes + at, n);
        insert(t, below((uint32_t)t->n), lines, n);
        break;
    }
    case 5: /* words become one */
        at = word_end(t, at);
        cut(t, at, 1);
        break;
    default:
        if (below(8) == 0)
            t->n = at;
        break;
    }
}

static struct text skl, slots, damaged;

static void read_whole(struct text *whole, const char *path)
{
    folder f = {.n = 0};
    folder_read(&f, path, "cpu/");
    for (size_t i = 0; i < f.n; i++) {
        char head[128];
        int n = snprintf(head, sizeof head, "%%file %s\n", f.files[i].name.p);
        insert(whole, whole->n, head, (size_t)n);
        insert(whole, whole->n, f.files[i].text.p, f.files[i].text.n);
    }
    folder_free(&f);
}

static int set_up(void **state)
{
    (void)state;
    read_whole(&skl, "catalog/skl");
    read_whole(&slots, "tests/catalog/slots");
    return 0;
}

static void undamaged_is_accepted(void **state)
{
    (void)state;
    assert_int_equal(LLVMFuzzerTestOneInput((const uint8_t *)skl.bytes, skl.n), 1);
    assert_int_equal(LLVMFuzzerTestOneInput((const uint8_t *)slots.bytes, slots.n), 1);
}

static void assert_survived(const struct text *whole)
{
    unsigned accepted = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        damaged = *whole;
        for (unsigned n = 1 + below(3); n; n--)
            damage(&damaged);
        accepted += (unsigned)LLVMFuzzerTestOneInput((const uint8_t *)damaged.bytes, damaged.n);
    }
    /* Damage to titles and comments is none; most other damage is seen. */
    assert_in_range(accepted, ROUNDS / 100, ROUNDS * 9 / 10);
}

static void damaged_is_survived(void **state)
{
    (void)state;
    assert_survived(&skl);
    assert_survived(&slots);
}

/* Short inputs, where every byte counts. */
static void rubbish_is_survived(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROUNDS; i++) {
        damaged.n = 0;
        insert(&damaged, 0, "%file a.pmu\n", 12);
        for (unsigned n = below(30); n; n--) {
            const char *word = words[below(sizeof words / sizeof *words)];
            insert(&damaged, damaged.n, word, strlen(word));
            insert(&damaged, damaged.n, " ", 1);
        }
        assert_int_equal(LLVMFuzzerTestOneInput((const uint8_t *)damaged.bytes, damaged.n), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undamaged_is_accepted),
        cmocka_unit_test(damaged_is_survived),
        cmocka_unit_test(rubbish_is_survived),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
