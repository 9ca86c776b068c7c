/* Machine strings and their defaults: the `shape` lines of catalog/skl/skl.cpu. */
#include "../cmocked.h"

#include "compile/compile.h"
#include "topology/topology.h"

#include "base/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bx_topology parsed(const char *spec)
{
    bx_topology t;
    bx_error e = {0};
    if (bx_topology_parse(bx_catalog_builtin(), bx_str_of(spec), &t, &e) != BX_OK)
        fail_msg("%s: %s", spec, e.message);
    return t;
}

static void refused(const char *spec, const char *at_fault, const char *message, const char *hint)
{
    bx_topology t = {.cores = 99};
    bx_error e = {0};
    int rc = bx_topology_parse(bx_catalog_builtin(), bx_str_of(spec), &t, &e);
    assert_int_not_equal(rc, BX_OK);
    assert_int_equal(e.code, rc);
    assert_string_equal(e.message, message);
    assert_string_equal(e.hint, hint);
    if (e.at + e.len > strlen(spec)) /* something is missing at the end */
        assert_string_equal(at_fault, "");
    else
        assert_true(bx_str_eq(bx_str_sub(bx_str_of(spec), e.at, e.len), bx_str_of(at_fault)));
    assert_int_equal(t.cores, 99);
}

static uint16_t pmu(const char *name)
{
    uint16_t i = bx_cat_find_pmu(bx_catalog_builtin(), bx_str_of(name));
    assert_int_not_equal(i, BX_NONE);
    return i;
}

static void defaults(void **state)
{
    (void)state;
    bx_topology t = parsed("virtual:skl");
    assert_false(t.is_this_machine);
    assert_int_equal(t.packages, 1);
    assert_int_equal(t.cores, 4);
    assert_int_equal(bx_topology_shape(&t, "slices"), 4);
    assert_int_equal(bx_topology_shape(&t, "llc"), 8 << 20);
    assert_int_equal(bx_topology_shape(&t, "bar"), 0xfed10000);
    assert_int_equal(bx_topology_shape(&t, "no such key"), 0);
}

/* Each key of each CPU has its default, and says its own value. */
static void every_key(void **state)
{
    (void)state;
    const bx_catalog *c = bx_catalog_builtin();
    unsigned keys = 0;
    for (uint16_t cpu = 0; cpu < c->cpus.n; cpu++) {
        bx_span shapes = bx_cat_cpus(c)[cpu].shapes;
        char spec[64];
        snprintf(spec, sizeof spec, "virtual:%s", bx_cat_z(c, bx_cat_cpus(c)[cpu].name));
        bx_topology t = parsed(spec);
        for (unsigned i = 0; i < shapes.n; i++) {
            const bx_cat_shape *shape = &bx_cat_shapes(c)[shapes.first + i];
            t.shape[i] = 1000 + i;
            assert_int_equal(bx_topology_shape(&t, bx_cat_z(c, shape->name)), 1000 + i);
            keys++;
        }
    }
    assert_true(keys > 400);
}

/* 334060-001 table 1-2: up to four C-Boxes, one ARB, one fixed counter. */
static void units(void **state)
{
    (void)state;
    bx_topology four = parsed("virtual:skl"), two = parsed("virtual:skl,cores=2");
    bx_topology more = parsed("virtual:skl,cores=1,slices=4");
    assert_int_equal(bx_topology_units(&four, pmu("skl_unc_cbo")), 4);
    assert_int_equal(bx_topology_units(&two, pmu("skl_unc_cbo")), 2);
    assert_int_equal(bx_topology_units(&more, pmu("skl_unc_cbo")), 4);
    assert_int_equal(bx_topology_units(&four, pmu("skl_unc_arb")), 1);
    assert_int_equal(bx_topology_units(&four, pmu("skl_unc_clock")), 1);
    assert_int_equal(bx_topology_units(&four, pmu("skl_unc_imc")), 1);
    assert_int_equal(bx_topology_units(&four, BX_NONE), 0);
}

static void keys(void **state)
{
    (void)state;
    bx_topology t = parsed("VIRTUAL:SKL,CORES=2,llc=4M");
    assert_int_equal(t.cores, 2);
    assert_int_equal(bx_topology_shape(&t, "slices"), 2);
    assert_int_equal(bx_topology_shape(&t, "llc"), 4 << 20);
    t = parsed("virtual:skl,llc=0x100000,slices=1,cores=3");
    assert_int_equal(t.cores, 3);
    assert_int_equal(bx_topology_shape(&t, "slices"), 1);
    assert_int_equal(bx_topology_shape(&t, "llc"), 1 << 20);
    t = parsed("virtual:skl,slices=0,llc=0");
    assert_int_equal(bx_topology_shape(&t, "slices"), 4);
    assert_int_equal(bx_topology_shape(&t, "llc"), 8 << 20);
}

static void named(const char *spec, const char *name)
{
    bx_topology t = parsed(spec);
    char text[128];
    assert_int_equal(bx_topology_name(&t, text, sizeof text), strlen(name));
    assert_string_equal(text, name);
    bx_topology again = parsed(text);
    assert_memory_equal(again.shape, t.shape, sizeof t.shape);
}

static void undocumented(const char *spec, const char *sentence)
{
    bx_topology t;
    char text[96];
    assert_int_equal(bx_topology_parse(bx_catalog_builtin(), bx_str_of(spec), &t, NULL), BX_OK);
    assert_int_equal(bx_topology_undocumented(&t, text, sizeof text), strlen(sentence));
    assert_string_equal(text, sentence);
}

static void names(void **state)
{
    (void)state;
    named("virtual:skl", "virtual:skl,part=i7-6700k");
    named("virtual:ivbep", "virtual:ivbep,part=e5-2680v2");
    named("virtual:nhmex", "virtual:nhmex,part=x7560");
    named("virtual:p6", "virtual:p6,part=pentium3-800eb");
    named("virtual:skl,part=plain", "virtual:skl,part=plain");
    named("VIRTUAL:SKL,part=plain,CORES=4,llc=8M", "virtual:skl,part=plain");
    named("virtual:skl,part=plain,cores=2", "virtual:skl,part=plain,cores=2");
    named("virtual:skl,part=plain,cores=2,slices=2,llc=4096K", "virtual:skl,part=plain,cores=2");
    named("virtual:skl,part=plain,llc=2M,slices=2", "virtual:skl,part=plain,slices=2,llc=2M");
    named("virtual:skl,part=plain,llc=512K", "virtual:skl,part=plain,llc=512K");
    named("virtual:skl,part=plain,bar=0xfed20000", "virtual:skl,part=plain,bar=0xfed20000");
    named("virtual:skl,part=plain,replacement=ON", "virtual:skl,part=plain,replacement=on");
    named("virtual:skl,part=plain,dtlb_policy=lru,stlb_policy=own",
          "virtual:skl,part=plain,dtlb_policy=LRU");
    named("virtual:skl,part=plain,l2_inclusion=exclusive",
          "virtual:skl,part=plain,l2_inclusion=exclusive");
    named("virtual:skl,part=plain,stlb_policy=Grouped_PLRU",
          "virtual:skl,part=plain,stlb_policy=grouped_PLRU");
    named("virtual:skl,part=plain,replacement=off", "virtual:skl,part=plain");
    named("virtual:skl,part=PLAIN", "virtual:skl,part=plain");
    named("virtual:pm,cores=1", "virtual:pm");
    named("virtual:skl,part=plain,memory=ddr4-2133", "virtual:skl,part=plain,memory=ddr4-2133");
    named("virtual:skl,part=plain,dram_cl=14,memory=ddr4-2133",
          "virtual:skl,part=plain,memory=ddr4-2133,dram_cl=14");
    named("virtual:skl,memory=ddr4-2133,part=i7-6700k", "virtual:skl,part=i7-6700k");
    named("virtual:skl,part=i7-6700k,cores=2", "virtual:skl,part=i7-6700k,cores=2");
    named("virtual:skl,cores=4,part=i7-6700k,dram_rate=0", "virtual:skl,part=i7-6700k,dram_rate=0");
    named("virtual:nhmex,part=plain,tlb=on,pages=2M", "virtual:nhmex,part=plain,tlb=on,pages=2M");
    named("virtual:skl,part=plain,tlb=off,pages=4K", "virtual:skl,part=plain");

    bx_topology t = parsed("virtual:skl,part=plain,cores=2");
    char small[12];
    assert_int_equal(bx_topology_name(&t, small, sizeof small),
                     strlen("virtual:skl,part=plain,cores=2"));
    assert_string_equal(small, "virtual:skl");
    assert_int_equal(bx_topology_name(&t, NULL, 0), strlen("virtual:skl,part=plain,cores=2"));
}

/* A name of a CPU or of a part; letters and digits alone are compared. */
static void other_names(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *name;
    } of[] = {
        {"virtual:i7-6700k", "virtual:skl,part=i7-6700k"},
        {"virtual:I7 6700K,cores=2", "virtual:skl,part=i7-6700k,cores=2"},
        {"virtual:core-i7-6700k", "virtual:skl,part=i7-6700k"},
        {"virtual:Intel Core i7-6700K", "virtual:skl,part=i7-6700k"},
        {"virtual:intel-skylake", "virtual:skl,part=i7-6700k"},
        {"virtual:Pentium III 800EB", "virtual:p6,part=pentium3-800eb"},
        {"virtual:coppermine", "virtual:p6,part=pentium3-800eb"},
        {"virtual:xeon-e5-2680-v2", "virtual:ivbep,part=e5-2680v2"},
        {"virtual:Intel Xeon X7560,packages=2", "virtual:nhmex,part=x7560,packages=2"},
        {"virtual:skylake,part=i7-6700", "virtual:skl,part=i7-6700"},
        {"virtual:e5-2680 v2,packages=1", "virtual:ivbep,part=e5-2680v2,packages=1"},
        {"virtual:E5-2695v2", "virtual:ivbep,part=e5-2695v2"},
        {"virtual:ivybridge-ep,part=e5-2680v2", "virtual:ivbep,part=e5-2680v2"},
        {"virtual:x7560", "virtual:nhmex,part=x7560"},
        {"virtual:nehalem-ex,part=x7560", "virtual:nhmex,part=x7560"},
        {"virtual:pentium-iii,part=plain", "virtual:p6,part=plain"},
        {"virtual:Pentium M", "virtual:pm"},
        {"virtual:pentium3-800eb", "virtual:p6,part=pentium3-800eb"},
        {"virtual:plain", "virtual:skl,part=plain"},
        {"virtual:i7-6700k,memory=ddr4-2400", "virtual:skl,part=i7-6700k,memory=ddr4-2400"},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        named(of[i].spec, of[i].name);
    refused("virtual:i7-6700k,part=plain", "part=plain", "'part' is given twice",
            "the machine's name is a part; virtual:skl leaves it open");
}

/* Given values override those of the memory, these override those of the part, and these the CPU's
 * defaults. */
static void parts(void **state)
{
    (void)state;
    bx_topology t = parsed("virtual:skl,part=i7-6700k");
    assert_int_equal(bx_topology_shape(&t, "replacement"), 1);
    assert_int_equal(bx_topology_shape(&t, "dram_rate"), 2133);
    assert_int_equal(bx_topology_shape(&t, "dram_ranks"), 2);
    t = parsed("virtual:skl,dram_ranks=4,part=i7-6700k,replacement=off");
    assert_int_equal(bx_topology_shape(&t, "replacement"), 0);
    assert_int_equal(bx_topology_shape(&t, "dram_ranks"), 4);
    t = parsed("virtual:skl,part=plain");
    assert_int_equal(bx_topology_shape(&t, "dram_rate"), 0);
}

static void bad_parts(void **state)
{
    (void)state;
    refused("virtual:skl,part=i7-670", "i7-670", "no part 'i7-670'",
            BX_DID_YOU_MEAN_NAME("i7-6700"));
    refused("virtual:skl,part=none", "none", "no part 'none'",
            "there are i7-6700k, i7-6700, i5-6400t, plain");
    refused("virtual:skl,part", "part", "no part ''",
            "there are i7-6700k, i7-6700, i5-6400t, plain");
    refused("virtual:skl,part=plain,cores=2,part=plain", "part=plain", "'part' is given twice", "");
    refused("virtual:ivbep,memory=ddr4", "ddr4", "no memory 'ddr4'",
            "there are ddr3-1600c10, ddr3-1866, ddr3-1600");
    refused("virtual:pm,part=plain", "part", "no key 'part' in a machine string",
            "there are packages, cores, hz, pce, line_size, l1d_size and more: boxscore info pm");
}

static void no_machine(void **state)
{
    (void)state;
    const char *hint = "try 'virtual:skl' or 'host'", *list = "boxscore help machines lists all";
    refused("virtul:skl", "virtul:skl", "'virtul:skl' is no machine", hint);
    refused("", "", "'' is no machine", hint);
    refused("i7-6700k,cores=2", "i7-6700k,cores=2", "'i7-6700k,cores=2' is no machine",
            BX_DID_YOU_MEAN_NAME("virtual:i7-6700k,cores=2"));
    refused("virtual:sky", "sky", "no CPU model or part 'sky'", BX_DID_YOU_MEAN_NAME("skl"));
    refused("virtual:skylale", "skylale", "no CPU model or part 'skylale'",
            BX_DID_YOU_MEAN_NAME("skylake"));
    refused("virtual:e5-2690v2", "e5-2690v2", "no CPU model or part 'e5-2690v2'",
            BX_DID_YOU_MEAN_NAME("e5-2680v2"));
    refused("virtual:", "", "no CPU model or part ''", list);
    refused("virtual:nonesuch,cores=2", "nonesuch", "no CPU model or part 'nonesuch'", list);
}

static void bad_keys(void **state)
{
    (void)state;
    refused("virtual:skl,core=2", "core", "no key 'core' in a machine string",
            BX_DID_YOU_MEAN_NAME("cores"));
    refused("virtual:skl,frequency=2", "frequency", "no key 'frequency' in a machine string",
            "there are packages, cores, slices, llc, llc_ways and more: boxscore info skl");
    refused("virtual:skl,=2", "", "no key '' in a machine string",
            "there are packages, cores, slices, llc, llc_ways and more: boxscore info skl");
    refused("virtual:skl,", "", "nothing follows the comma", "");
    refused("virtual:skl,cores=2,,llc=8M", ",", "nothing follows the comma", "");
    refused("virtual:skl,cores=2,cores=2", "cores=2", "'cores' is given twice", "");
}

static void bad_values(void **state)
{
    (void)state;
    refused("virtual:skl,replacement=1", "1", "'1' is neither on nor off",
            "write replacement=on or replacement=off");
    refused("virtual:skl,l2_inclusion=exclusiv", "exclusiv", "'exclusiv' is no inclusion",
            BX_DID_YOU_MEAN_NAME("exclusive"));
    refused("virtual:skl,dtlb_policy=PRLU", "PRLU", "'PRLU' is no replacement policy",
            BX_DID_YOU_MEAN_NAME("LRU"));
    refused("virtual:skl,dtlb_policy=1", "1", "'1' is no replacement policy",
            "it has a name, such as LRU");
    refused("virtual:skl,cores=2,dram_banks=12", "dram_banks=12",
            "dram_banks=12 is no power of two",
            "bits of an address are its number: 1, 2, 4 and so on");
    refused("virtual:skl,pages=64K", "pages=64K", "no processor has pages of that size",
            "pages=4K or pages=2M would do");
    const char *hint = "write cores=NUMBER, with K, M or G after it if you like";
    refused("virtual:skl,cores=two", "two", "'two' is not a number", hint);
    assert_int_equal(parsed("virtual:skl, cores=2, llc=4M").cores, 2);
    refused("virtual:skl,llc=8MB", "8MB", "'8MB' is not a number",
            "write 8M for powers of 1024: with a B some mean powers of 1000");
    refused("virtual:skl,cores=", "cores=", "'' is not a number", hint);
    refused("virtual:skl,cores", "cores", "'' is not a number", hint);
    refused("virtual:skl,cores=2=2", "2=2", "'2=2' is not a number", hint);
    refused("virtual:skl,cores=-1", "-1", "'-1' is not a number", hint);
    refused("virtual:skl,cores=99999999999999999999", "99999999999999999999",
            "'99999999999999999999' is not a number", hint);
    refused("virtual:skl,core_hz=999999999", "core_hz=999999999",
            "cores at 999999999 Hz, the uncore at 4000000000 Hz",
            "a core's clock is from a quarter of the uncore's to 64 times that");
    refused("virtual:skl,hz=1000,core_hz=65001", "core_hz=65001",
            "cores at 65001 Hz, the uncore at 1000 Hz",
            "a core's clock is from a quarter of the uncore's to 64 times that");
    refused("virtual:skl,cores=5", "5", "cores=5 is out of range", "cores goes from 1 to 4");
    refused("virtual:skl,cores=0", "0", "cores=0 is out of range", "cores goes from 1 to 4");
    refused("virtual:skl,llc=128M", "128M", "llc=128M is out of range", "llc goes from 0 to 64M");
    refused("virtual:skl,bar=0xff", "0xff", "bar=0xff is out of range",
            "bar goes from 0x8000 to 0x7fffff8000");
    /* A mechanism that only later processors have. */
    for (size_t i = 0; i < 3; i++) {
        static const char *const given[] = {"prefetch=on", "prefetch=1", "prefetch"};
        char spec[40];
        snprintf(spec, sizeof spec, "virtual:pii,%s", given[i]);
        refused(spec, given[i], "'prefetch' is always off: pii had none",
                "leave it out; the machines that can have it are skl, ivbep, nhmex, pm");
    }
    parsed("virtual:pii,prefetch=off");
    /* MCHBAR: bits 38:15 are the base. */
    refused("virtual:skl,bar=0xfed11000", "bar=0xfed11000", "no base address can be 0xfed11000",
            "bar=0xfed10000 would do: a multiple of 0x8000");
}

/* The published slice hash makes 1, 2 or 4 slices (Maurice et al., RAID 2015). */
static void impossible_shapes(void **state)
{
    (void)state;
    const char *message = "3 slices: the slice hash is known for 1, 2 and 4";
    const char *hint = "slices=2 or slices=4 would do, with any number of cores";
    refused("virtual:skl,slices=3,cores=4", "slices=3", message, hint);
    refused("virtual:skl,llc=8M,cores=3", "cores=3", message, hint);
    refused("virtual:skl,llc=25M", "llc=25M",
            "no cache of 25M in 4 slices: 64 sets or more, a power of two, of 4 to 24 ways",
            "llc=24M or llc=26M would do");
    refused("virtual:skl,llc=1", "llc=1",
            "no cache of 1 in 4 slices: 64 sets or more, a power of two, of 4 to 24 ways",
            "llc=64K would do");
    refused("virtual:skl,llc=10M,llc_ways=16", "llc=10M",
            "no cache of 10M in 4 slices of 16 ways: sets are a power of two",
            "leave llc_ways out, or llc_ways=20");
    refused("virtual:nhmex,llc=5M,cores=3", "llc=5M",
            "no cache of 5M in 3 slices: 64 sets or more, a power of two, of 4 to 24 ways",
            "llc=4992K or llc=5376K would do");
}

/* 8 MB of 16 ways: the i7-6700K; 25 MB of 20 ways: the E5-2680 v2; 24 MB of 24 ways: the X7560. */
static void what_no_part_has(void **state)
{
    (void)state;
    undocumented("virtual:skl", "");
    undocumented("virtual:skl,cores=2", "");
    undocumented("virtual:skl,llc=8M", "");
    undocumented("virtual:skl,llc=4M",
                 "no documented part has an LLC of 4M in 4 slices of 16 ways");
    undocumented("virtual:skl,llc=6M", ""); /* i5-6400T */
    undocumented("virtual:skl,cores=2,llc=3M", "");
    undocumented("virtual:i5-6400t", "");
    undocumented("virtual:i5-6400t,llc_ways=24",
                 "no documented part has an LLC of 6M in 4 slices of 24 ways");
    undocumented("virtual:skl,llc=10M",
                 "no documented part has an LLC of 10M in 4 slices of 20 ways");
    undocumented("virtual:i7-6700,llc=8M,llc_ways=8",
                 "no documented part has an LLC of 8M in 4 slices of 8 ways");
    undocumented("virtual:skl,part=plain,llc=10M", "");
    undocumented("virtual:ivbep", "");
    undocumented("virtual:ivbep,cores=4", "");
    undocumented("virtual:ivbep,packages=1,cores=6,llc=12M", ""); /* i7-4930K */
    undocumented("virtual:ivbep,llc=30M",
                 "no documented part has an LLC of 30M in 10 slices of 24 ways");
    undocumented("virtual:ivbep,part=i7-3770", "");
    undocumented("virtual:nhmex", "");
    undocumented("virtual:nhmex,llc=18M,cores=6", "");
    undocumented("virtual:nhmex,llc=12M",
                 "no documented part has an LLC of 12M in 8 slices of 24 ways");
    undocumented("virtual:skl,llc=4M,cores=2", "");
    undocumented("virtual:p6", "");
}

/* Sizes between: the ways nearest to those of the processor, the more of two. What no part that is
 * documented here has is in the machine's name. */
static void sizes_of_the_llc(void **state)
{
    (void)state;
    named("virtual:skl,part=plain,llc=10M", "virtual:skl,part=plain,llc=10M,llc_ways=20");
    named("virtual:skl,part=i7-6700k,llc=6M", "virtual:skl,part=i7-6700k,llc=6M,llc_ways=12");
    named("virtual:skl,part=plain,llc=7M,cores=2",
          "virtual:skl,part=plain,cores=2,llc=7M,llc_ways=14");
    named("virtual:skl,part=plain,llc=4M,llc_ways=8", "virtual:skl,part=plain,llc=4M,llc_ways=8");
    named("virtual:skl,part=plain,llc=4M,llc_ways=16", "virtual:skl,part=plain,llc=4M");
    named("virtual:ivbep,part=plain,llc=25M", "virtual:ivbep,part=plain,llc=25M");
    named("virtual:ivbep,part=plain,llc=30M", "virtual:ivbep,part=plain,llc=30M,llc_ways=24");
    named("virtual:ivbep,part=plain,llc=20M", "virtual:ivbep,part=plain,llc=20M,llc_ways=16");
    named("virtual:nhmex,part=plain,llc=18M,cores=6", "virtual:nhmex,part=plain,cores=6,llc=18M");
    named("virtual:skl,part=plain,llc=1536K", "virtual:skl,part=plain,llc=1536K,llc_ways=12");
    named("virtual:nhmex,part=plain,cores=2,llc=48K", "virtual:nhmex,part=plain,cores=2,llc=48K");
    named("virtual:nhmex,part=plain,llc=12M", "virtual:nhmex,part=plain,llc=12M");
    named("virtual:nhmex,part=plain,llc=16M", "virtual:nhmex,part=plain,llc=16M,llc_ways=16");
}

#define KEYS                                                                                       \
    "shape packages preset 1 range 1..1 \"packages\"\n"                                            \
    "shape cores preset 1 range 1..1 \"cores\"\n"                                                  \
    "shape hz preset 1 range 1..2 \"cycles per second\"\n"
#define PMU(name)                                                                                  \
    "pmu " name " \"a PMU\"\n"                                                                     \
    "  source none\n"                                                                              \
    "  scope package\n"                                                                            \
    "  label \"box\"\n"

/* Only a CPU with a machine model is offered as a machine. */
static void cpus_without_a_model(void **state)
{
    (void)state;
    const bx_cat_file files[] = {
        {BX_STR("a/a.cpu"), BX_STR("cpu a \"no model\"\n  source none\n  id 6/1 model none\n" KEYS
                                   "shape slices preset 3 range 1..3 \"slices\"\n")},
        {BX_STR("a/a.pmu"), BX_STR("pmu a_box \"a PMU\"\n"
                                   "  source none\n"
                                   "  scope package\n"
                                   "  units 0..2 slices\n"
                                   "  label \"box {unit}\"\n")},
        {BX_STR("b/b.cpu"), BX_STR("cpu b \"a model\"\n  source none\n  id 6/2 model p6\n" KEYS)},
        {BX_STR("b/b.pmu"), BX_STR(PMU("b_box"))},
    };
    bx_topology t;
    bx_error e = {0};
    char name[32];
    struct bx_catalog *c = bx_catalog_parse(files, 4, &e);
    if (!c)
        fail_msg("%s", e.message);
    assert_false(bx_cat_is_virtual(c, &bx_cat_cpus(c)[0]));
    assert_true(bx_cat_is_virtual(c, &bx_cat_cpus(c)[1]));
    assert_int_equal(bx_topology_parse(c, BX_STR("virtual:bo"), &t, &e), BX_NOT_FOUND);
    assert_string_equal(e.hint, BX_DID_YOU_MEAN_NAME("b"));
    e = (bx_error){0};
    assert_int_equal(bx_topology_parse(c, BX_STR("virtual:ao"), &t, &e), BX_NOT_FOUND);
    assert_string_equal(e.hint, "boxscore help machines lists all");
    /* Its machine string says how many units there are, but no model has an LLC of so many slices.
     */
    assert_int_equal(bx_topology_parse(c, BX_STR("virtual:a"), &t, NULL), BX_OK);
    assert_int_equal(bx_topology_units(&t, bx_cat_find_pmu(c, BX_STR("a_box"))), 3);
    bx_machine_string(c, 0, name, sizeof name);
    assert_string_equal(name, "virtual:b");
    bx_machine_string(c, 1, name, sizeof name);
    assert_string_equal(name, "host");
    free(c);
}

/* PMUs that no processor has have no units on a real machine, so that nothing reads their
 * registers there. */
static void only_virtual(void **state)
{
    (void)state;
    static const char *const machines[] = {"virtual:skl", "virtual:ivbep", "virtual:nhmex",
                                           "virtual:p6"};
    const bx_catalog *c = bx_catalog_builtin();
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        const bx_topology is = parsed(machines[i]);
        bx_topology real;
        bx_span pmus = bx_cat_cpus(c)[is.cpu].pmus;
        unsigned found = 0;
        bx_topology_real(c, is.cpu, 1, 2, &real);
        for (unsigned p = pmus.first; p < pmus.first + pmus.n; p++) {
            if (!bx_cat_pmus(c)[p].only_virtual)
                continue;
            found++;
            assert_int_equal(bx_topology_units(&is, (uint16_t)p), is.cores);
            assert_int_equal(bx_topology_units(&real, (uint16_t)p), 0);
        }
        assert_int_equal(found, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(every_key),
        cmocka_unit_test(units),
        cmocka_unit_test(keys),
        cmocka_unit_test(names),
        cmocka_unit_test(other_names),
        cmocka_unit_test(parts),
        cmocka_unit_test(bad_parts),
        cmocka_unit_test(no_machine),
        cmocka_unit_test(bad_keys),
        cmocka_unit_test(bad_values),
        cmocka_unit_test(impossible_shapes),
        cmocka_unit_test(what_no_part_has),
        cmocka_unit_test(sizes_of_the_llc),
        cmocka_unit_test(cpus_without_a_model),
        cmocka_unit_test(only_virtual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
