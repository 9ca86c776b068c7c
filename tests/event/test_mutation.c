/* Event strings damaged at random, always the same ones: nothing is read beyond the text, what is
 * accepted keeps the promises of fuzz_event.c, what is not has an error within the text. */
#include "event_case.h"

#include "fuzz_event.c"
#include "../rounds.h"

enum { RUNS = 20000, LONG_RUNS = 200000, LONGEST = 200, SEEDS = 34 };

static char seeds[SEEDS][LONGEST + 1];

/* The seeds are the lines of fuzz_event.txt, which libFuzzer may start from too. */
static int read_seeds(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s/tests/event/fuzz_event.txt", getenv("SOURCE_ROOT"));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    unsigned n = 0;
    while (n < SEEDS && fgets(seeds[n], sizeof seeds[n], f))
        seeds[n][strcspn(seeds[n], "\n")] = '\0', n++;
    assert_int_equal(fgetc(f), EOF);
    fclose(f);
    assert_int_equal(n, SEEDS);
    return 0;
}

static uint32_t next(uint32_t *random) /* xorshift */
{
    *random ^= *random << 13;
    *random ^= *random >> 17;
    *random ^= *random << 5;
    return *random;
}

/* One change: a byte replaced, dropped or doubled, a tail cut, or a piece of another seed put in.
 */
static size_t change(char *text, size_t n, uint32_t *random)
{
    static const char bytes[] = ":.,/=@{}_ 019xaEeMtu\t\n\x01\xc3\xff";
    size_t at = n ? next(random) % n : 0;
    const char *other = seeds[next(random) % SEEDS];
    size_t from = next(random) % strlen(other), piece = 1 + next(random) % 12;
    if (piece > strlen(other + from))
        piece = strlen(other + from);
    switch (next(random) % 6) {
    case 0:
        return at;
    case 1:
        if (n)
            text[at] = bytes[next(random) % (sizeof bytes - 1)];
        return n;
    case 2:
        if (n)
            memmove(text + at, text + at + 1, n - at - 1);
        return n ? n - 1 : 0;
    case 3:
        piece = 1;
        other = bytes;
        from = next(random) % (sizeof bytes - 1);
        break;
    default:
        break;
    }
    if (n + piece > LONGEST)
        return n;
    memmove(text + at + piece, text + at, n - at);
    memcpy(text + at, other + from, piece);
    return n + piece;
}

static void damaged_strings(void **state)
{
    (void)state;
    uint32_t random = 0x5eed;
    unsigned runs = rounds_of(RUNS, LONG_RUNS);
    for (unsigned run = 0; run < runs; run++) {
        char text[LONGEST + 1];
        const char *seed = seeds[run % SEEDS];
        size_t n = strlen(seed);
        memcpy(text, seed, n);
        for (unsigned changes = next(&random) % 4; changes < 5; changes++)
            n = change(text, n, &random);
        LLVMFuzzerTestOneInput((const uint8_t *)text, n);
    }
}

/* What one byte can do to a string, at each position: each value in the long suite, else one in
 * eleven. */
static void every_byte(void **state)
{
    (void)state;
    for (unsigned s = 0; s < SEEDS; s++)
        for (size_t at = 0; at < strlen(seeds[s]); at++)
            for (unsigned byte = 0; byte < 256; byte++) {
                if (!is_tried(byte + at, 11))
                    continue;
                char text[LONGEST + 1];
                size_t n = strlen(seeds[s]);
                memcpy(text, seeds[s], n);
                text[at] = (char)byte;
                LLVMFuzzerTestOneInput((const uint8_t *)text, n);
            }
}

static void try_text(const char *text)
{
    LLVMFuzzerTestOneInput((const uint8_t *)text, strlen(text));
}

/* Every event of the catalogue, alone and with each of its unit masks: each PMU's spellings. */
static void every_event(void **state)
{
    (void)state;
    const bx_catalog *c = built_in();
    for (unsigned i = 0; i < c->events.n; i++) {
        const bx_cat_event *e = &bx_cat_events(c)[i];
        char text[LONGEST + 1];
        int n = snprintf(text, sizeof text, "%s::%s", bx_cat_z(c, bx_cat_pmus(c)[e->pmu].name),
                         bx_cat_z(c, e->name));
        try_text(text);
        for (unsigned j = 0; j < e->umasks.n; j++) {
            if (!is_tried(i + j, 3))
                continue;
            snprintf(text + n, sizeof text - (size_t)n, ":%s",
                     bx_cat_z(c, bx_cat_umasks(c)[e->umasks.first + j].name));
            try_text(text);
        }
    }
}

static void every_prefix(void **state)
{
    (void)state;
    for (unsigned s = 0; s < SEEDS; s++)
        for (size_t n = 0; n <= strlen(seeds[s]); n++)
            LLVMFuzzerTestOneInput((const uint8_t *)seeds[s], n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event),
        cmocka_unit_test(damaged_strings),
        cmocka_unit_test(every_byte),
        cmocka_unit_test(every_prefix),
    };
    return cmocka_run_group_tests(tests, read_seeds, NULL);
}
