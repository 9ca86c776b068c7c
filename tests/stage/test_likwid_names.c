/* Every name of LIKWID's own lists for events of a core: likwid-perfctr -e prints name, code, unit
 * mask, counters and options. By the same name boxscore selects the same bits, or says in which way
 * the documents' event of that name differs. */
#include "../cmocked.h"

#include "event/event.h"
#include "stage/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of the list: "UOPS_ISSUED_USED_CYCLES, 0xE, 0x1, PMC, THRESHOLD=0x1". */
typedef struct likwid_line {
    char name[96], counters[64], options[96];
    unsigned code, umask;
} likwid_line;

static bool read_line(const char *text, likwid_line *to)
{
    *to = (likwid_line){.options = ""};
    return sscanf(text, "%95[A-Z0-9_], 0x%x, 0x%x, %63[A-Z0-9|], %95[^\n]", to->name, &to->code,
                  &to->umask, to->counters, to->options) >= 4 &&
           strncmp(to->counters, "PMC", 3) == 0;
}

/* The control register's bits: SDM volume 3B, IA32_PERFEVTSELx. Edge detection sets the threshold
 * to 1, too: LIKWID's parseOptions(), and what it writes on stage. */
static uint64_t bits_of(const likwid_line *line)
{
    const char *threshold = strstr(line->options, "THRESHOLD=");
    bool edge = strstr(line->options, "EDGEDETECT");
    uint64_t cycles = threshold ? strtoull(threshold + strlen("THRESHOLD="), NULL, 16) : 0;
    return line->code | (uint64_t)line->umask << 8 | (uint64_t)edge << 18 |
           (uint64_t)(strstr(line->options, "ANYTHREAD") != NULL) << 21 |
           (uint64_t)(strstr(line->options, "INVERT") != NULL) << 23 |
           (cycles | (edge ? 1 : 0)) << 24;
}

/* What a user has to say in addition, or what a counter of the catalogue cannot count. */
static bool is_exception(int cpu, const likwid_line *line)
{
    const char *of = bx_cat_z(bx_catalog_builtin(), bx_cat_cpus(bx_catalog_builtin())[cpu].name);
    return strstr(line->name, "_OPTIONS") || strcmp(line->name, "GENERIC_EVENT") == 0 ||
           /* LIKWID counts it on counter 1; the SDM gives it counter 2 alone */
           (strcmp(of, "ivbep") == 0 && strcmp(line->name, "L1D_PEND_MISS_PENDING") == 0) ||
           /* counted on counter 3 alone */
           (strcmp(of, "nhmex") == 0 &&
            strcmp(line->name, "MEM_INST_RETIRED_LATENCY_ABOVE_THRESHOLD") == 0);
}

static void check(int cpu, const likwid_line *line)
{
    const bx_catalog *c = bx_catalog_builtin();
    char text[128];
    bx_evsel event;
    bx_error e = {0};
    bx_regvalue to[1 + BX_EXTRAS];
    snprintf(text, sizeof text, "%s:%.4s", line->name,
             strcmp(line->counters, "PMC") == 0 ? "PMC0" : line->counters);
    int code = bx_event_parse(c, cpu, text, strlen(text), &event, &e);
    if (code && strstr(e.message, "LIKWID selects something else by"))
        return;
    if (code)
        fail_msg("'%s': %s (%s)", text, e.message, e.hint);
    assert_true(bx_event_registers(c, &event, (unsigned)event.counter, to) > 0);
    if ((to[0].value & 0xffa4ffff) != bits_of(line))
        fail_msg("'%s' is 0x%llx, LIKWID's 0x%llx", text, (unsigned long long)to[0].value,
                 (unsigned long long)bits_of(line));
}

/* `at_least`: LIKWID 5.2.2 lists so many. */
static void check_list(const char *cpu, unsigned at_least)
{
    need_mount_namespace();
    need_program("likwid-perfctr");
    char script[128];
    unsigned n = 0;
    likwid_line line;
    int index = bx_cat_find_cpu(bx_catalog_builtin(), bx_str_of(cpu));
    snprintf(script, sizeof script,
             "timeout 100 $B stage --machine virtual:%s --pace 0 -- likwid-perfctr -M 0 -e", cpu);
    ran r = play(script);
    char *rest = NULL;
    for (char *text = strtok_r(r.out, "\n", &rest); text; text = strtok_r(NULL, "\n", &rest)) {
        if (!read_line(text, &line) || is_exception(index, &line))
            continue;
        check(index, &line);
        n++;
    }
    if (n < at_least)
        fail_msg("%u names of %s\n%s", n, cpu, r.err);
    ran_free(&r);
}

static void skylake(void **state)
{
    (void)state;
    check_list("skl", 370);
}

static void ivy_bridge_ep(void **state)
{
    (void)state;
    check_list("ivbep", 350);
}

static void nehalem_ex(void **state)
{
    (void)state;
    check_list("nhmex", 290);
}

static void pentium_m(void **state)
{
    (void)state;
    check_list("pm", 190);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skylake),
        cmocka_unit_test(ivy_bridge_ep),
        cmocka_unit_test(nehalem_ex),
        cmocka_unit_test(pentium_m),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
