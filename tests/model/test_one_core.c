/* One core alone is not affected by other agents, so its counts do not depend on the order of
 * agents, nor on the pieces that a run is made in. The expected counts are those of the models;
 * each was the same in earlier commits in which cores ran ahead without bound (67fe6c9, and 3da2ae8
 * for the Xeon 7500), except for changes that their commits name. If a rule of a model changes, the
 * test prints the rows that are now right, and which counts differ: take them over if the commit is
 * meant to change just these. */
#include "../cmocked.h"

#include "model/machine/client/boxes.h"
#include "model/machine/ivbep/boxes.h"
#include "model/machine/nhmex/boxes.h"
#include "rig.h"

#include <string.h>

/* A run as a whole and the same in pieces are compared by a digest of every signal of the uncore
 * (of the P6, of the core) that the model produces, read through the seam. */
enum { CODES = 256, UNITS = 4, MASKS = 9, PORTS = 2 };

static uint64_t mix(uint64_t digest, uint64_t value)
{
    for (unsigned byte = 0; byte < 8; byte++)
        digest = (digest ^ (value >> 8 * byte & 0xff)) * UINT64_C(0x100000001b3); /* FNV-1a */
    return digest;
}

static uint64_t mix_signal(const struct rig *r, uint64_t digest, const bx_selection *sel)
{
    uint64_t sum;
    return r->s->tally(r->s, sel, &sum) ? mix(digest, sum) : digest;
}

static uint64_t mix_units(const struct rig *r, uint64_t digest, bx_selection sel)
{
    for (unsigned p = 0; p < r->packages; p++)
        for (unsigned unit = 0; unit < UNITS && (unit < r->cores || unit < 2); unit++)
            for (unsigned port = 0; port < PORTS; port++) {
                sel.package = (uint16_t)p;
                sel.unit = (uint16_t)unit;
                sel.port = (uint16_t)port;
                digest = mix_signal(r, digest, &sel);
            }
    return digest;
}

/* A count that is expected: a sum over packages and units. */
struct figure {
    const char *name;
    unsigned box, units, code; /* of the units of each package */
    uint32_t umask;
};

enum { FIGURES = 5 };

struct machine {
    const char *model;
    unsigned boxes; /* of the uncore: the first ones */
    bx_model_shape shape;
    unsigned lookups; /* the code of lookups, if a filter selects their states */
    struct figure figure[FIGURES];
};

enum { ANY_STATE = 0x7e0000 }; /* the filter of Ivy Bridge-EP: lookups in any state */

static uint64_t digest_of(const struct rig *r, const struct machine *m)
{
    uint64_t digest = mix(UINT64_C(0xcbf29ce484222325), rig_now(r));

    digest = mix(digest, bx_model_accesses(r->m));
    for (unsigned box = 0; box < m->boxes; box++)
        for (unsigned code = 0; code < CODES; code++)
            for (unsigned mask = 0; mask < MASKS; mask++) {
                bx_selection sel = {.box = (uint16_t)box,
                                    .code = (uint16_t)code,
                                    .umask = mask ? 1u << (mask - 1) | 0x80 : 0,
                                    .filter = {ANY_STATE},
                                    .applies = {code && code == m->lookups ? ANY_STATE : 0},
                                    .levels = BX_LEVELS};
                if (bx_model_produces(r->m, &sel))
                    digest = mix_units(r, digest, sel);
                sel.umask = mask ? 1u << (mask - 1) | 0x1f : 0x0f;
                if (bx_model_produces(r->m, &sel))
                    digest = mix_units(r, digest, sel);
            }
    return digest;
}

static uint64_t sum_of(const struct rig *r, const struct machine *m, const struct figure *f)
{
    uint64_t sum = 0;
    for (unsigned p = 0; p < r->packages; p++)
        for (unsigned unit = 0; unit < f->units; unit++) {
            bx_selection sel = {.box = (uint16_t)f->box,
                                .unit = (uint16_t)unit,
                                .package = (uint16_t)p,
                                .code = (uint16_t)f->code,
                                .umask = f->umask,
                                .filter = {ANY_STATE},
                                .applies = {f->code == m->lookups ? ANY_STATE : 0},
                                .levels = BX_LEVELS};
            uint64_t of_unit;
            if (r->s->tally(r->s, &sel, &of_unit))
                sum += of_unit;
        }
    return sum;
}

static const struct machine machines[] = {
    {"client",
     5,
     {.packages = 1, .cores = 4, .slices = 4, .llc_bytes = 1 << 20},
     0,
     {{"lookups by reads", BX_CLIENT_CBO, 4, 0x34, 0x1f},
      {"lookups by writes", BX_CLIENT_CBO, 4, 0x34, 0x2f},
      {"lookups in I", BX_CLIENT_CBO, 4, 0x34, 0x88},
      {"lines read", BX_CLIENT_IMC, 1, 0x5050, 0},
      {"lines written", BX_CLIENT_IMC, 1, 0x5054, 0}}},
    {"ivbep",
     3,
     {.packages = 2, .cores = 4, .llc_bytes = 4 * 2560 << 10},
     0x34,
     {{"lookups", BX_IVBEP_CBO, 4, 0x34, 0x11},
      {"write-backs", BX_IVBEP_CBO, 4, 0x34, 0x05},
      {"victims in M", BX_IVBEP_CBO, 4, 0x37, 0x01},
      {"lines read", BX_IVBEP_IMC, 4, 0x04, 0x03},
      {"lines written", BX_IVBEP_IMC, 4, 0x04, 0x0c}}},
    {"nhmex",
     7,
     {.packages = 2, .cores = 4, .llc_bytes = 4 * 3072 << 10},
     0,
     {{"hits", BX_NHMEX_C, 4, 0x15, 0x0f},
      {"misses", BX_NHMEX_C, 4, 0x14, 0x07},
      {"fills", BX_NHMEX_C, 4, 0x16, 0x0f},
      {"victims in M", BX_NHMEX_C, 4, 0x17, 0x01},
      {"requests", BX_NHMEX_C, 4, 0x19, 0}}},
    {"p6",
     1,
     {.packages = 1, .cores = 1},
     0,
     {{"fills of the DCU", 0, 1, 0x45, 0},
      {"fills of L2", 0, 1, 0x24, 0},
      {"modified lines that leave L2", 0, 1, 0x27, 0},
      {"RFO", 0, 1, 0x66, 0},
      {"transactions", 0, 1, 0x70, 0}}},
};

enum { MACHINES = sizeof machines / sizeof *machines };

struct counts {
    uint64_t cycles, accesses, figure[FIGURES];
};

static const struct {
    const char *spec;
    struct counts counts[MACHINES];
} work[] = {
    {"stream,size=256K,passes=2",
     {{543417, 393216, {49152, 15104, 18816, 18816, 1792}},
      {447880, 393216, {92416, 15104, 0, 12288, 0}},
      {400069, 393216, {36864, 12288, 12288, 0, 64256}},
      {3219273, 393216, {98304, 86656, 25600, 30336, 112256}}}},
    {"stream,size=2M,stride=24",
     {{3144564, 524286, {196608, 64192, 196608, 196608, 60352}},
      {2444755, 524286, {422528, 64128, 0, 98304, 0}},
      {2001223, 524286, {98304, 98304, 98304, 0, 260736}},
      {14536858, 524286, {393216, 393216, 125952, 131072, 519168}}}},
    {"copy,size=1M,stride=40",
     {{1049632, 104856, {65536, 30976, 65536, 65536, 24640}},
      {877242, 104856, {192576, 30784, 0, 32768, 0}},
      {689348, 104856, {32768, 32768, 32768, 0, 96320}},
      {4179736, 104856, {104856, 104831, 44439, 52428, 149270}}}},
    {"chase,size=32K,passes=5",
     {{83456, 5120, {512, 0, 512, 512, 0}},
      {113912, 5120, {1027, 0, 0, 512, 0}},
      {91526, 5120, {0, 512, 512, 0, 512}},
      {245760, 10240, {10240, 1024, 0, 0, 1024}}}},
    {"chase,size=256K,passes=3",
     {{1199278, 24576, {17344, 0, 4096, 4096, 0}},
      {1185008, 24576, {15559, 0, 0, 4096, 0}},
      {1095001, 24576, {7360, 4096, 4096, 0, 11456}},
      {2046656, 49152, {49152, 14336, 0, 0, 14336}}}},
    {"chase,size=4M,passes=1,seed=7",
     {{20185088, 131072, {131072, 0, 131072, 131072, 0}},
      {15298560, 131072, {196608, 0, 0, 65536, 0}},
      {13743760, 131072, {65536, 65536, 65536, 0, 131072}},
      {27525142, 262144, {262144, 262144, 0, 0, 262144}}}},
    {"random,size=4K,iterations=50000,write=100",
     {{400380, 100000, {64, 0, 64, 64, 0}},
      {400766, 100000, {129, 0, 0, 64, 0}},
      {400497, 100000, {0, 64, 64, 0, 64}},
      {403102, 100000, {128, 128, 0, 128, 128}}}},
    {"random,size=48K,iterations=50000,write=60,seed=3",
     {{470778, 100000, {768, 0, 768, 768, 0}},
      {475108, 100000, {1537, 0, 0, 768, 0}},
      {471589, 100000, {0, 768, 768, 0, 768}},
      {455411, 100000, {67021, 1536, 0, 953, 1536}}}},
    {"random,size=300K,iterations=50000",
     {{557692, 100000, {29171, 10868, 4800, 4800, 0}},
      {594847, 100000, {37592, 9750, 0, 4800, 0}},
      {575673, 100000, {18232, 4800, 4800, 0, 32782}},
      {1219463, 100000, {94720, 14967, 2965, 3632, 17932}}}},
    {"random,size=3M,iterations=50000,write=50,seed=5",
     {{1482220, 100000, {92067, 45890, 69575, 69575, 30732}},
      {1169852, 100000, {169223, 45996, 0, 31268, 0}},
      {1031344, 100000, {60685, 31268, 31268, 0, 137949}},
      {3544122, 100000, {99484, 84703, 36793, 42493, 121496}}}},
    {"random,size=64M,iterations=30000,write=0",
     {{918746, 60000, {59787, 0, 59041, 59041, 0}},
      {778547, 60000, {89359, 0, 0, 29576, 0}},
      {684656, 60000, {30207, 29576, 29576, 0, 59783}},
      {1662067, 60000, {59986, 57018, 0, 0, 57018}}}},
    {"random,size=512K,stride=4096,iterations=50000,write=30",
     {{487344, 100000, {51030, 21240, 128, 128, 0}},
      {490003, 100000, {72837, 22350, 0, 128, 0}},
      {489189, 100000, {50231, 128, 128, 0, 72709}},
      {1724150, 100000, {97040, 20328, 11053, 6160, 31381}}}},
};

static void work_in_pieces(struct rig *r, const char *spec)
{
    rig_begin(r, spec);
    while (!bx_model_run(r->m, rig_now(r) + 99991))
        continue;
    for (unsigned agent = 0; agent < BX_AGENTS; agent++)
        bx_model_feed(r->m, agent, NULL);
    bx_workload_free(r->workload);
    bx_frames_free(r->frames);
    r->workload = NULL;
    r->frames = NULL;
}

static struct counts counts_of(const struct rig *r, const struct machine *m)
{
    struct counts c = {.cycles = rig_now(r), .accesses = bx_model_accesses(r->m)};
    for (unsigned i = 0; i < FIGURES; i++)
        c.figure[i] = sum_of(r, m, &m->figure[i]);
    return c;
}

static bool differs(const char *name, uint64_t is, uint64_t expected)
{
    if (is != expected)
        print_error("    %s: %llu, not %llu\n", name, (unsigned long long)is,
                    (unsigned long long)expected);
    return is != expected;
}

static bool equal_counts(const struct machine *m, const char *spec, const struct counts *is,
                         const struct counts *expected)
{
    if (memcmp(is, expected, sizeof *is) == 0)
        return true;
    print_error("%s, %s:\n", m->model, spec);
    differs("cycles", is->cycles, expected->cycles);
    differs("accesses", is->accesses, expected->accesses);
    for (unsigned i = 0; i < FIGURES; i++)
        differs(m->figure[i].name, is->figure[i], expected->figure[i]);
    print_error("    now {%llu, %llu, {", (unsigned long long)is->cycles,
                (unsigned long long)is->accesses);
    for (unsigned i = 0; i < FIGURES; i++)
        print_error("%s%llu", i ? ", " : "", (unsigned long long)is->figure[i]);
    print_error("}}\n");
    return false;
}

/* The whole run: its counts are as expected. The same in pieces: every signal is equal. */
static void test_machine(const struct machine *m, size_t machine)
{
    bool equal = true;
    for (size_t w = 0; w < sizeof work / sizeof *work; w++) {
        struct rig whole = rig_of(m->model, m->shape), pieces = rig_of(m->model, m->shape);
        for (unsigned time = 0; time < 2; time++) { /* the same again, on warm caches */
            rig_work(&whole, work[w].spec);
            work_in_pieces(&pieces, work[w].spec);
        }
        struct counts is = counts_of(&whole, m);
        equal &= equal_counts(m, work[w].spec, &is, &work[w].counts[machine]);
        assert_int_equal(digest_of(&pieces, m), digest_of(&whole, m));
        rig_free(&whole);
        rig_free(&pieces);
    }
    assert_true(equal);
}

static void test_client(void **state)
{
    (void)state;
    test_machine(&machines[0], 0);
}

static void test_ivbep(void **state)
{
    (void)state;
    test_machine(&machines[1], 1);
}

static void test_nhmex(void **state)
{
    (void)state;
    test_machine(&machines[2], 2);
}

static void test_p6(void **state)
{
    (void)state;
    test_machine(&machines[3], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_client),
        cmocka_unit_test(test_ivbep),
        cmocka_unit_test(test_nhmex),
        cmocka_unit_test(test_p6),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
