/* perf events on stage, checked against perf_event_open(2) and Linux's drivers: which attr is
 * refused, what read() returns, and which bits of an attr's config words a PMU's terms have. */
#include "../cmocked.h"

#include "stage/perf/attr.h"
#include "stage/perf/event_source.h"
#include "stage/perf/read_format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- read ---- */

static void read_formats(void **state)
{
    (void)state;
    enum { ENABLED = 1, RUNNING = 2, ID = 4, GROUP = 8, LOST = 16 };
    static const struct {
        unsigned format;
        size_t n;
        uint64_t words[9];
    } cases[] = {
        {0, 1, {100}},
        {ENABLED, 2, {100, 7}},
        {RUNNING, 2, {100, 5}},
        {ID, 2, {100, 41}},
        {LOST, 2, {100, 3}},
        {ENABLED | RUNNING | ID | LOST, 5, {100, 7, 5, 41, 3}},
        {GROUP, 3, {2, 100, 200}},
        {GROUP | ENABLED, 4, {2, 7, 100, 200}},
        {GROUP | RUNNING | ID, 6, {2, 5, 100, 41, 200, 42}},
        {GROUP | LOST, 5, {2, 100, 3, 200, 4}},
        {GROUP | ENABLED | RUNNING | ID | LOST, 9, {2, 7, 5, 100, 41, 3, 200, 42, 4}},
    };
    static const bx_read_value values[] = {{100, 41, 3}, {200, 42, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t got[9] = {0};
        assert_int_equal(bx_read_size(cases[i].format, 2), 8 * cases[i].n);
        bx_read_put(cases[i].format, 7, 5, values, 2, (char *)got);
        assert_memory_equal(got, cases[i].words, sizeof got);
    }
}

/* ---- attr ---- */

static void sizes(void **state)
{
    (void)state;
    static const struct {
        uint32_t claimed;
        size_t is;
    } cases[] = {{0, 64},    {63, 0},    {64, 64},     {72, 72},
                 {128, 128}, {136, 136}, {4096, 4096}, {4097, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(bx_attr_size(cases[i].claimed), cases[i].is);
    unsigned char bytes[200] = {0};
    bx_open_request *request = calloc(1, sizeof *request);
    assert_non_null(request);
    bytes[8] = 0x34;  /* config */
    bytes[56] = 0x35; /* config1 */
    bytes[64] = 0x36; /* config2: beyond the first version */
    bytes[72] = 0x37;
    assert_int_equal(bx_attr_read(request, bytes, 64), 0);
    assert_int_equal(request->attr.config, 0x34);
    assert_int_equal(request->attr.config1, 0x35);
    assert_int_equal(request->attr.config2, 0);
    assert_int_equal(bx_attr_read(request, bytes, 200), 0);
    assert_int_equal(request->attr.config2, 0x36);
    assert_int_equal(request->attr.branch_sample_type, 0x37);
    bytes[128] = 1; /* unknown to Linux 6.1 */
    assert_int_equal(bx_attr_read(request, bytes, 128), 0);
    assert_int_equal(bx_attr_read(request, bytes, 136), E2BIG);
    free(request);
}

typedef void change(bx_open_request *request);
static void no_change(bx_open_request *request)
{
    (void)request;
}
static void of_a_task(bx_open_request *request)
{
    request->pid = 1;
}
static void of_its_own_task(bx_open_request *r)
{
    r->pid = 0;
}

static void on_any_cpu(bx_open_request *request)
{
    request->cpu = -1;
}
static void samples(bx_open_request *request)
{
    request->attr.sample_period = 1000;
}
static void frequency(bx_open_request *request)
{
    request->attr.freq = 1, request->attr.sample_freq = 99;
}
static void of_a_leading_task(bx_open_request *request)
{
    request->pid = 1, request->attr.read_format = PERF_FORMAT_ID;
    request->attr.sample_type = PERF_SAMPLE_IDENTIFIER;
}
static void of_a_task_with_records(bx_open_request *request)
{
    of_a_leading_task(request);
    request->attr.sample_type |= PERF_SAMPLE_TIME;
}
static void not_user(bx_open_request *request)
{
    request->attr.exclude_user = 1;
}
static void not_kernel(bx_open_request *request)
{
    request->attr.exclude_kernel = 1;
}
static void not_idle(bx_open_request *request)
{
    request->attr.exclude_idle = 1;
}
static void not_guest(bx_open_request *request)
{
    request->attr.exclude_guest = 1;
}
static void of_a_cgroup(bx_open_request *request)
{
    request->flags = 4, request->pid = 3;
}
static void unknown_flag(bx_open_request *request)
{
    request->flags = 16;
}
static void unknown_format(bx_open_request *request)
{
    request->attr.read_format = 32;
}
static void reserved_bits(bx_open_request *request)
{
    request->attr.__reserved_1 = 1;
}
static void reserved_half(bx_open_request *request)
{
    request->attr.__reserved_2 = 1;
}
static void inherited_group(bx_open_request *request)
{
    request->attr.inherit = 1, request->attr.read_format = 8;
}
static void inherited_sample(bx_open_request *request)
{
    request->attr.inherit = 1, request->attr.sample_type = PERF_SAMPLE_READ;
}
static void inherited(bx_open_request *request)
{
    request->attr.inherit = 1, request->attr.read_format = 7;
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        change *change;
        int of_uncore, of_core;
    } cases[] = {
        {no_change, 0, 0},
        {of_a_task, EINVAL, ENOENT},
        {of_its_own_task, EINVAL, 0},   /* as PAPI does, for a CPU: docs/reference/stage.md */
        {of_a_leading_task, EINVAL, 0}, /* it is opened, and never counts */
        {of_a_task_with_records, EINVAL, ENOENT},
        {on_any_cpu, EINVAL, ENOENT},
        {samples, EINVAL, EOPNOTSUPP},
        {frequency, EINVAL, EOPNOTSUPP},
        {not_user, EINVAL, 0},
        {not_kernel, EINVAL, 0},
        {not_idle, EINVAL, 0},
        {not_guest, 0, 0},
        {of_a_cgroup, EINVAL, ENOENT},
        {unknown_flag, EINVAL, EINVAL},
        {unknown_format, EINVAL, EINVAL},
        {reserved_bits, EINVAL, EINVAL},
        {reserved_half, EINVAL, EINVAL},
        {inherited_group, 0, 0},
        {inherited_sample, EINVAL, EINVAL},
        {inherited, 0, 0},
    };
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        bx_open_request *request = calloc(1, sizeof *request);
        assert_non_null(request);
        request->pid = -1;
        request->attr.type = PERF_TYPE_RAW;
        cases[i / 2].change(request);
        int err = bx_attr_check(request);
        if (!err)
            err = i % 2 ? bx_attr_check_core(request) : bx_attr_check_uncore(request);
        assert_int_equal(err, i % 2 ? cases[i / 2].of_core : cases[i / 2].of_uncore);
        free(request);
    }
}

/* ---- PMUs: Linux 6.1 arch/x86/events/intel/uncore_snb.c, uncore_snbep.c, uncore_nhmex.c, p6.c
 * ---- */

static bx_event_sources sources_of(const char *machine, bx_topology *t)
{
    bx_event_sources s;
    bx_error e = {0};
    assert_int_equal(bx_topology_parse(bx_catalog_builtin(), bx_str_of(machine), t, &e), BX_OK);
    bx_event_sources_find(&s, t, 10);
    return s;
}

static const bx_event_source *source_named(const bx_event_sources *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->all[i].name, name) == 0)
            return &s->all[i];
    fail_msg("no PMU %s", name);
    return NULL;
}

/* Asserts that these are all terms of a PMU. */
static void assert_formats(const char *machine, const char *name, const char *all)
{
    bx_topology t;
    bx_event_sources s = sources_of(machine, &t);
    bx_event_source_format formats[BX_EVENT_SOURCE_FORMATS];
    size_t n = bx_event_source_formats(&s, source_named(&s, name), formats), had = 0;
    char line[64];
    for (size_t i = 0; i < n; i++) {
        const char *word = ((const char *[]){"config", "config1", "config2"})[formats[i].word];
        if (formats[i].lo == formats[i].hi)
            snprintf(line, sizeof line, "%.*s=%s:%d\n", (int)formats[i].name.n, formats[i].name.p,
                     word, formats[i].lo);
        else
            snprintf(line, sizeof line, "%.*s=%s:%d-%d\n", (int)formats[i].name.n,
                     formats[i].name.p, word, formats[i].lo, formats[i].hi);
        const char *at = strstr(all, line);
        if (!at || (at != all && at[-1] != '\n'))
            fail_msg("%s has no %s", name, line);
        had += strlen(line);
    }
    assert_int_equal(had, strlen(all));
}

static void terms_of_pmus(void **state)
{
    (void)state;
    assert_formats("virtual:skl,part=plain", "uncore_cbox_0",
                   "event=config:0-7\numask=config:8-15\nedge=config:18\ninv=config:23\n"
                   "cmask=config:24-28\n");
    assert_formats("virtual:skl,part=plain", "uncore_arb",
                   "event=config:0-7\numask=config:8-15\nedge=config:18\ninv=config:23\n"
                   "cmask=config:24-28\n");
    assert_formats("virtual:skl,part=plain", "uncore_imc", "event=config:0-7\n");
    /* Linux's filter_link and filter_c6 have bits that the manual reserves. */
    assert_formats("virtual:ivbep,part=plain", "uncore_cbox_3",
                   "event=config:0-7\numask=config:8-15\nedge=config:18\ntid_en=config:19\n"
                   "thresh=config:24-31\nfilter_tid=config1:0-4\nfilter_state=config1:17-22\n"
                   "filter_nid=config1:32-47\nfilter_opc=config1:52-60\nfilter_nc=config1:62\n"
                   "filter_isoc=config1:63\n");
    assert_formats("virtual:nhmex,part=plain", "uncore_cbox_7",
                   "event=config:0-7\numask=config:8-15\nedge=config:18\ninv=config:23\n"
                   "thresh=config:24-31\n");
    assert_formats("virtual:nhmex,part=plain", "uncore_ubox", "event=config:0-7\nedge=config:18\n");
    assert_formats("virtual:nhmex,part=plain", "uncore_wbox",
                   "event=config:0-7\numask=config:8-15\nedge=config:18\ninv=config:23\n"
                   "thresh=config:24-31\n");
    assert_formats("virtual:nhmex,part=plain", "uncore_bbox_1",
                   "event=config:1-5\ncounter=config:6-7\nmatch=config1:0-63\nmask=config2:0-63\n");
    assert_formats("virtual:nhmex,part=plain", "uncore_sbox_0",
                   "event=config:0-7\numask=config:8-15\nedge=config:18\ninv=config:23\n"
                   "thresh=config:24-31\nmatch=config1:0-63\nmask=config2:0-63\n");
    assert_formats(
        "virtual:nhmex,part=plain", "uncore_mbox_0",
        "count_mode=config:2-3\nstorage_mode=config:4-5\nwrap_mode=config:6\n"
        "flag_mode=config:7\ninc_sel=config:9-13\nset_flag_sel=config:19-21\n"
        "filter_cfg_en=config2:63\nfilter_match=config2:0-33\nfilter_mask=config2:34-61\n"
        "dsp=config1:0-31\nthr=config1:0-31\nfvc=config1:0-31\npgt=config1:0-31\n"
        "map=config1:0-31\niss=config1:0-31\npld=config1:32-63\n");
    assert_formats("virtual:nhmex,part=plain", "uncore_rbox_1",
                   "event=config:1-5\nxbr_mm_cfg=config:32-63\nxbr_match=config1:0-63\n"
                   "xbr_mask=config2:0-63\nqlx_cfg=config1:0-15\niperf_cfg=config1:0-31\n");
    /* `pc` signals events on a pin: no event of the catalogue has it. */
    assert_formats("virtual:p6,part=plain", "cpu",
                   "event=config:0-7\numask=config:8-15\nedge=config:18\ninv=config:23\n"
                   "cmask=config:24-31\n");
}

static void words_as_perf_spells_them(void **state)
{
    (void)state;
    static const struct {
        const char *machine, *pmu;
        uint64_t words[3];
        const char *spelled;
    } cases[] = {
        {"virtual:skl,part=plain", "uncore_cbox_0", {0x8f34}, "event=0x34,umask=0x8f"},
        {"virtual:skl,part=plain",
         "uncore_cbox_1",
         {0x3848834},
         "event=0x34,umask=0x88,edge=0x1,inv=0x1,cmask=0x3"},
        /* bits that Linux drops as well: enable, overflow report */
        {"virtual:skl,part=plain", "uncore_arb", {0x500181}, "event=0x81,umask=0x1"},
        {"virtual:skl,part=plain", "uncore_imc", {0x1}, "event=0x1"},
        {"virtual:ivbep,part=plain",
         "uncore_cbox_0",
         {0x80135, 0x1800000000000005},
         "event=0x35,umask=0x1,filter_tid=0x5,tid_en=0x1,filter_opc=0x180"},
        {"virtual:nhmex,part=plain",
         "uncore_bbox_0",
         {0x44, 0x3000000000000},
         "event=0x2,counter=0x1,match=0x3000000000000"},
        {"virtual:nhmex,part=plain",
         "uncore_mbox_0",
         {0x1a40, 0x2800},
         "inc_sel=0xd,wrap_mode=0x1,fvc=0x2800"},
        {"virtual:nhmex,part=plain", "uncore_sbox_0", {0x50}, "event=0x50"},
        {"virtual:nhmex,part=plain",
         "uncore_sbox_1",
         {0x0, 0x400000000000},
         "event=0x0,match=0x400000000000"},
        {"virtual:nhmex,part=plain",
         "uncore_mbox_0",
         {0x1a00, 0x2800},
         "inc_sel=0xd,wrap_mode=0x0,fvc=0x2800"},
        {"virtual:nhmex,part=plain",
         "uncore_rbox_0",
         {0x2, 0x80000000},
         "event=0x1,iperf_cfg=0x80000000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bx_topology t;
        bx_event_sources s = sources_of(cases[i].machine, &t);
        bx_buf text = {0};
        char expected[160];
        bx_event_source_spell(&s, source_named(&s, cases[i].pmu), cases[i].words, &text);
        snprintf(expected, sizeof expected, "%s/%s/", cases[i].pmu, cases[i].spelled);
        assert_string_equal(text.p, expected);
        bx_evsel event;
        bx_error e = {0};
        if (bx_event_parse(t.catalog, t.cpu, text.p, text.n, &event, &e) != BX_OK)
            fail_msg("%s: %s", text.p, e.message);
        bx_buf_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_formats),
        cmocka_unit_test(sizes),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(terms_of_pmus),
        cmocka_unit_test(words_as_perf_spells_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
