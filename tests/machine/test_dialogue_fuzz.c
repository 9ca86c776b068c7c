/* Dialogues of random words, some with corrupted bytes: every line is executed, or refused with a
 * span, and output has one of three forms. It is meant to run under sanitizers. */
#include "../cmocked.h"

#include "../dice.h"
#include "machine/dialogue/dialogue.h"
#include "../rounds.h"

#include <stdio.h>
#include <string.h>

enum { LINES = 400, LINE_MOST = 400 };

static uint64_t seed;

static unsigned below(unsigned n)
{
    return dice_below(&seed, n);
}

#define PICK(array) array[below(sizeof(array) / sizeof(*(array)))]

static const char *const msrs[] = {
    "0x700", "0x701", "0x706", "0x707", "0x710", "0x716", "0x731", "0x3b0", "0x3b2",  "0x394",
    "0x395", "0x396", "0xe01", "0xe02", "0x38f", "0x740", "0",     "1792",  "037777", "0xffffffff"};
static const char *const values[] = {"0",
                                     "1",
                                     "0x401134",
                                     "0x501134",
                                     "0x541134",
                                     "0x1d41134",
                                     "0x2501134",
                                     "0x20000000",
                                     "0x2000001f",
                                     "0xa000000f",
                                     "0x500000",
                                     "0xffffffffff0",
                                     "0xffffffffffff0",
                                     "0xfffffffffffe",
                                     "0x8000000000000000"};
static const char *const machines[] = {"virtual:skl,part=plain",
                                       "virtual:ivbep,part=plain,cores=4,packages=1",
                                       "virtual:ivbep,part=plain,cores=2", "virtual:p6,part=plain"};
static const char *const box_msrs[] = {"0xd04", "0xd10", "0xd11", "0xd14", "0xd16",
                                       "0xd1a", "0xd30", "0xc00", "0xc01", "0x186",
                                       "0x187", "0xc1",  "0xc2",  "0xe04"};
static const char *const box_values[] = {
    "0",          "3",          "0x100",    "0x400135",   "0x4c4135",      "0x401134",  "0x7e000b",
    "0x1820000f", "0x80000000", "0x5300c0", "0xffffffff", "0xfffffffffff", "0x20400135"};
static const char *const box_signals[] = {"ivbep_unc_cbo0 0x35 1",
                                          "ivbep_unc_cbo1@0 0x35 0x41",
                                          "ivbep_unc_cbo1@1 0x34 0x11",
                                          "ivbep_unc_cbo9 0x35 1",
                                          "p6 0xc0 0",
                                          "p60 0xc0 0"};
static const char *const keys[] = {"opc=0x182", "nid=2",  "tid=0xb", "core=5",   "state=8",
                                   "nc=1",      "isoc=0", "cpl=0",   "cpl=3",    "other=1",
                                   "tf=1",      "opc=",   "=",       "nid=99999"};
static const char *const units[] = {"skl_unc_cbo0",  "skl_unc_cbo1", "skl_unc_arb",
                                    "skl_unc_clock", "skl_unc_imc",  "skl_unc_cbo0@0",
                                    "skl_unc_cbo9",  "skl_unc_"};
static const char *const others[] = {"rdpmc 0 0",
                                     "rdpmc 1 0x40000001 cpl=3 pce=1 mode=protected",
                                     "rdpci 0:0.0 0x48 8",
                                     "rdpci 0:2.0 0 1",
                                     "wrpci 0:0.0 0x48 4 0xfed20001",
                                     "wrmem 0xfed15050 8 1",
                                     "rdmem 0xfed15050 8",
                                     "rdmem 0xffffffffffffffff 8",
                                     "sleep 1",
                                     "wake 1",
                                     "run nosuch",
                                     "run stream,size=4K",
                                     "# a comment",
                                     "",
                                     "cycles 1000000",
                                     "cycles 0x4000000000000000000000000",
                                     "signal"};

static int write_line(char *to)
{
    switch (below(9)) {
    case 6:
        return snprintf(to, LINE_MOST, "wrmsr %u %s %s", below(5), PICK(box_msrs),
                        PICK(box_values));
    case 7:
        return snprintf(to, LINE_MOST, "signal %s %u %u %s %s", PICK(box_signals), below(5),
                        below(50), PICK(keys), PICK(keys));
    case 8:
        return snprintf(to, LINE_MOST, "rdpmc 0 %u cpl=%u pce=%u mode=%s", below(3), below(5),
                        below(3), below(2) ? "v86" : "protected");
    case 0:
        return snprintf(to, LINE_MOST, "rdmsr %u %s", below(5), PICK(msrs));
    case 1:
    case 2:
        return snprintf(to, LINE_MOST, "wrmsr %u %s %s", below(5), PICK(msrs), PICK(values));
    case 3:
        return snprintf(to, LINE_MOST, "signal %s 0x34 0x11 %u %u%s", PICK(units), below(5),
                        below(50), below(20) ? "" : " opc=1");
    case 4:
        return snprintf(to, LINE_MOST, "cycles %u", below(100));
    default:
        return snprintf(to, LINE_MOST, "%s", PICK(others));
    }
}

/* Changes, removes or doubles bytes. No new digits: a line with a huge number would run for hours.
 */
static size_t spoil(char *line, size_t n)
{
    for (unsigned i = below(4); i > 0 && n > 0; i--) {
        size_t at = below((unsigned)n);
        char byte = (char)below(256);
        if (below(2) == 0) {
            memmove(line + at, line + at + 1, n - at - 1);
            n--;
        } else if (byte < '0' || byte > '9') {
            line[at] = byte;
        }
    }
    return n;
}

static void check_printed(const char *text)
{
    for (const char *end; *text; text = end + 1) {
        unsigned long long value;
        unsigned core;
        end = strchr(text, '\n');
        assert_non_null(end);
        bool is_value = sscanf(text, "0x%llx\n", &value) == 1;
        bool is_pmi = sscanf(text, "PMI core=%u\n", &core) == 1 && core < 4;
        assert_true(is_value || is_pmi || strncmp(text, "#GP\n", 4) == 0);
    }
}

static void play(bx_dialogue *d, bx_str line)
{
    bx_buf out = {0};
    bx_error e = {0};
    int code = bx_dialogue_line(d, line, &out, &e);
    if (code) {
        assert_int_equal(e.code, code);
        assert_true(e.message[0] != '\0');
        assert_true(e.at <= line.n && e.len <= line.n - e.at);
        assert_int_equal(out.n, 0);
    }
    if (out.p)
        check_printed(out.p);
    bx_buf_free(&out);
}

static void test_any_text(void **state)
{
    (void)state;
    for (unsigned round = 0; round < rounds_of(200, 2000); round++) {
        bx_machine *m = NULL;
        bx_error e = {0};
        seed = round;
        assert_int_equal(bx_machine_open(bx_catalog_builtin(), machines[round % 4], &m, &e), BX_OK);
        bx_dialogue *d = bx_dialogue_new(m, &e);
        assert_non_null(d);
        for (unsigned i = 0; i < LINES; i++) {
            char line[LINE_MOST];
            size_t n = (size_t)write_line(line);
            play(d, (bx_str){line, below(3) ? n : spoil(line, n)});
        }
        bx_dialogue_free(d);
        bx_machine_close(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
