/* Changes of one byte in an event string, and every event of the catalogue. The properties of
 * fuzz_event.c must hold for each. Random changes are tried by that target itself. */
#include "event_case.h"

#include "fuzz_event.c"
#include "fuzz/corpus.h"
#include "../rounds.h"

enum { LONGEST = 200 };

static corpus seeds;

static int read_seeds(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s/tests/event/fuzz_event.txt", getenv("SOURCE_ROOT"));
    corpus_read(&seeds, path);
    assert_true(seeds.n > 0);
    return 0;
}

static int drop_seeds(void **state)
{
    (void)state;
    corpus_free(&seeds);
    return 0;
}

/* Changes each byte of a string: to every value in the long suite, else to one in eleven. */
static void every_byte(void **state)
{
    (void)state;
    for (unsigned s = 0; s < seeds.n; s++)
        for (size_t at = 0; at < seeds.input[s].n; at++)
            for (unsigned byte = 0; byte < 256; byte++) {
                if (!is_tried(byte + at, 11))
                    continue;
                uint8_t text[LONGEST];
                assert_true(seeds.input[s].n <= LONGEST);
                memcpy(text, seeds.input[s].p, seeds.input[s].n);
                text[at] = (uint8_t)byte;
                LLVMFuzzerTestOneInput(text, seeds.input[s].n);
            }
}

static void try_text(const char *text)
{
    LLVMFuzzerTestOneInput((const uint8_t *)text, strlen(text));
}

/* Every event of the catalogue, alone and with each of its unit masks, in each PMU's spellings. */
static void every_event(void **state)
{
    (void)state;
    const bx_catalog *c = built_in();
    for (unsigned i = 0; i < c->events.n; i++) {
        const bx_cat_event *e = &bx_cat_events(c)[i];
        char text[LONGEST];
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event),
        cmocka_unit_test(every_byte),
    };
    return cmocka_run_group_tests(tests, read_seeds, drop_seeds);
}
