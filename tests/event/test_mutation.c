/* Event strings damaged at random, always the same ones: nothing is read beyond the text, what is
 * accepted keeps the promises of fuzz_event.c, what is not has an error within the text. */
#include "event_case.h"

#include "fuzz_event.c"
#include "../rounds.h"

enum { RUNS = 20000, LONG_RUNS = 200000, LONGEST = 200 };

static const char *const seeds[] = {
    "skl_unc_cbo2@1::UNC_CBO_CACHE_LOOKUP:READ_MESI:WRITE_M:e=1:i=1:t=31",
    "UNC_CBO_CACHE_LOOKUP.ANY_I",
    "skl_unc_arb0::UNC_ARB_TRK_OCCUPANCY.CYCLES_WITH_ANY_REQUEST:t=1:counter=0",
    "skl_unc_cbo::RAW:code=0x99:umask=0xff:e",
    "uncore_cbox_0/event=0x34,umask=0x88,edge,inv=1,cmask=0x1f/",
    "uncore_cbox/config=0x3841f34/",
    "uncore_arb/unc_arb_trk_requests.writes,cmask=2/",
    "uncore_imc/data_reads/",
    "CACHE_LOOKUP_ANY_REQUEST_FILTER:CBOX3C1:EDGEDETECT:THRESHOLD=0x1f:INVERT",
    "UNCORE_CLOCK:UBOXFIX",
    "ivbep_unc_cbo3::UNC_C_TOR_INSERTS:NID_OPCODE:OPC_RFO:nf=3:e=1:t=1:tf=1:cf=3:nc=1:isoc=1",
    "UNC_C_LLC_LOOKUP.WRITE.STATE_M.STATE_E:state=0x18:tf=0",
    "UNC_C_TOR_OCCUPANCY:umask=0x41:opc=0x193:nf=255",
    "uncore_cbox_3/event=0x34,umask=0x3,filter_state=0x1f,filter_tid=0xf,tid_en=1/",
    "p6::L2_RQSTS:M:E:u:k=0:e=1:i=1:c=255",
    "cpu/event=0x62,umask=0x20,edge,inv,cmask=2/uk",
    "{UNC_CLOCK, DRAM_DATA_READS},uncore_cbox_0/event=0xff/,skl_unc_imc::DRAM_IO_REQUESTS",
};
enum { SEEDS = sizeof seeds / sizeof *seeds };

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
        cmocka_unit_test(damaged_strings),
        cmocka_unit_test(every_byte),
        cmocka_unit_test(every_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
