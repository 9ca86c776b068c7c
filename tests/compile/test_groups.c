/* The notation of groups of unit masks, of modifiers in shared registers, of PMUs that are like
 * others, and of several CPUs in a folder: the tables that it becomes, and what is refused. */
#include "../cmocked.h"

#include "changed.h"

#include "base/error.h"
#include "compile/compile.h"

#include <stdlib.h>
#include <string.h>

static const char cpu_text[] = "cpu t \"a CPU\"\n"
                               "  source none\n"
                               "  id     6/1\n"
                               "  model  none\n";

static const char pmu_text[] =
    "pmu box \"a box\"\n"
    "  source none\n"
    "  scope  package\n"
    "  label  \"box\"\n"
    "  select CODE MASK\n"
    "reg CTL msr 0x10 \"control\"\n"
    "  source none\n"
    "  field CODE  7:0 rw \"code\"\n"
    "  field MASK 15:8 rw \"unit mask\"\n"
    "  field USR    16 rw \"user\"\n"
    "  field OS     17 rw \"system\"\n"
    "  field RST    18 wo resets counter \"reset\"\n"
    "  field FILTER 19 rw \"filter on\"\n"
    "  field EN     22 rw \"enable\"\n"
    "reg CTR msr 0x11 extends 31 \"count\"\n"
    "  source none\n"
    "  field VAL 39:0 rw \"count\"\n"
    "reg FILTER msr 0x12 shared \"filter\"\n"
    "  source none\n"
    "  field CORE  2:0 rw \"core\"\n"
    "  field STATE 6:3 rw \"states\"\n"
    "counters 0 width 40\n"
    "  control CTL\n"
    "  value   CTR.VAL\n"
    "  when    EN=1\n"
    "  levels  USR OS\n"
    "modifier u flag field USR \"user\"\n"
    "modifier k flag field OS  \"system\"\n"
    "modifier cf range 0..7 field FILTER.CORE needs u sets on=1 \"core\"\n"
    "modifier on hidden flag field FILTER \"filter on\"\n"
    "modifier state hidden bits range 0..15 field FILTER.STATE kernel st \"states\"\n"
    "event A code 0x1 counts \"things\" alias A2 A3 likwid AA libpfm PA \"an event\"\n"
    "  source none\n"
    "  group request one default ANY \"requests\"\n"
    "  umask ANY  0x1 \"any\"\n"
    "  umask NODE 0x2 needs cf \"of a core\"\n"
    "  group state default ALL \"states\"\n"
    "  umask ALL  0 one sets state=15 libpfm none \"all\"\n"
    "  umask M    0 sets state=8 \"modified\"\n"
    "  umask K    0 hides sets state=1 \"hides a modifier\"\n"
    "event B code 0x2 counts \"things\" takes u libpfm none \"another\"\n"
    "  source none\n";

static struct bx_catalog *parse(const char *cpu, const char *pmu, bx_error *e)
{
    bx_cat_file files[] = {{BX_STR("t.cpu"), bx_str_of(cpu)}, {BX_STR("box.pmu"), bx_str_of(pmu)}};
    *e = (bx_error){0};
    return bx_catalog_parse(files, 2, e);
}

static struct bx_catalog *must_parse_files(const bx_cat_file *files, size_t n)
{
    bx_error e = {0};
    struct bx_catalog *c = bx_catalog_parse(files, n, &e);
    if (!c)
        fail_msg("%s", e.message);
    return c;
}

/* Modifiers u, k, cf, on, state are bits 0 to 4 of the masks below. */
static void groups(void **state)
{
    (void)state;
    bx_error e;
    struct bx_catalog *c = parse(cpu_text, pmu_text, &e);
    if (!c)
        fail_msg("%s", e.message);
    const bx_cat_event *a = &bx_cat_events(c)[0], *b = &bx_cat_events(c)[1];
    const bx_cat_umask *umasks = bx_cat_umasks(c);
    const bx_cat_group *group = bx_cat_groups(c);
    assert_int_equal(c->groups.n, 2);
    assert_int_equal(a->groups.n, 2);
    assert_int_equal(a->umasks.n, 5);
    assert_int_equal(b->groups.n, 0);
    assert_string_equal(bx_cat_z(c, group[0].name), "request");
    assert_int_equal(group[0].flags, BX_GROUP_ONE);
    assert_int_equal(group[0].umasks.n, 2);
    assert_int_equal(group[0].preset, 0);
    assert_int_equal(group[1].flags, 0);
    assert_int_equal(group[1].umasks.first, 2);
    assert_int_equal(group[1].umasks.n, 3);
    assert_int_equal(group[1].preset, 2);
    static const struct {
        uint16_t group;
        uint8_t flags;
        uint32_t needs;
    } expected[] = {{0, BX_UMASK_ALONE, 0},
                    {0, BX_UMASK_ALONE, 4},
                    {1, BX_UMASK_ALONE | BX_UMASK_NO_LIBPFM, 0},
                    {1, 0, 0},
                    {1, BX_UMASK_HIDES, 0}};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(umasks[i].group, expected[i].group);
        assert_int_equal(umasks[i].flags, expected[i].flags);
        assert_int_equal(umasks[i].needs, expected[i].needs);
        assert_int_equal(umasks[i].takes, expected[i].needs);
    }
    assert_int_equal(a->bound, 4);
    assert_int_equal(a->modifiers,
                     0x1f); /* includes the hidden ones: cf sets `on`, unit masks set `state` */
    assert_int_equal(b->modifiers, 0x01);
    free(c);
}

static void modifiers(void **state)
{
    (void)state;
    bx_error e;
    struct bx_catalog *c = parse(cpu_text, pmu_text, &e);
    const bx_cat_modifier *m = bx_cat_modifiers(c);
    uint16_t filter = bx_cat_find_reg(c, 0, BX_STR("FILTER"));
    assert_int_equal(m[0].flags, BX_MODIFIER_LEVEL);
    assert_int_equal(m[2].reg, filter);
    assert_int_equal(m[2].needs, 1);
    assert_int_equal(m[2].sets.n, 1);
    assert_int_equal(bx_cat_sets(c)[m[2].sets.first].modifier, 3);
    assert_int_equal(m[3].flags, BX_MODIFIER_HIDDEN);
    assert_int_equal(m[3].reg, BX_NONE);
    assert_int_equal(m[4].flags, BX_MODIFIER_HIDDEN | BX_MODIFIER_BITS);
    assert_int_equal(bx_cat_regs(c)[filter].flags, BX_REG_SHARED);
    assert_int_equal(bx_cat_regs(c)[bx_cat_find_reg(c, 0, BX_STR("CTR"))].extends, 31);
    uint16_t control = bx_cat_find_reg(c, 0, BX_STR("CTL"));
    const bx_cat_counter *k = bx_cat_counters(c);
    assert_int_equal(k->user, bx_cat_find_field(c, control, BX_STR("USR")));
    assert_int_equal(k->os, bx_cat_find_field(c, control, BX_STR("OS")));
    assert_int_equal(bx_cat_fields(c)[bx_cat_find_field(c, control, BX_STR("RST"))].resets,
                     BX_RESETS_COUNTER);
    free(c);
}

static void names_of_others(void **state)
{
    (void)state;
    bx_error e;
    struct bx_catalog *c = parse(cpu_text, pmu_text, &e);
    static const char *const names[] = {"a", "AA", "PA", "A2", "a3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(bx_cat_find_event(c, 0, bx_str_of(names[i])), 0);
    assert_int_equal(bx_cat_find_event(c, 0, BX_STR("none")), BX_NONE);
    const bx_cat_event *a = &bx_cat_events(c)[0];
    assert_int_equal(a->aliases.n, 4);
    assert_string_equal(bx_cat_z(c, a->alias), "AA");
    assert_string_equal(bx_cat_z(c, a->libpfm), "PA");
    assert_int_equal(a->flags, 0);
    assert_int_equal(bx_cat_events(c)[1].flags, BX_EVENT_NO_LIBPFM);
    free(c);
}

/* One change of the text, and the message that it causes. */
static const struct {
    const char *from, *to, *says;
} refusals[] = {
    {"default ANY", "required default ANY", "what must be named has no default [group]"},
    {"default ANY", "default M", "no unit mask is called 'M' [reference]"},
    {"  group state", "  group empty \"n\"\n  group state", "this group has no unit mask [group]"},
    {"alias A2", "default ANY alias A2", "the groups of this event have the defaults [group]"},
    {"needs cf", "needs ct", "no modifier is called 'ct' [reference]"},
    {"alias A2", "takes u alias A2", "the event does not take all of these [needs]"},
    {"needs u", "needs cf", "a modifier does not need itself [needs]"},
    {"sets on=1", "sets on=2", "on goes from 0 to 1 [sets]"},
    {"sets on=1 ", "", "nothing sets this modifier [hidden]"},
    {"cf range 0..7", "cf range 0..7 libpfm 0..6", "not less [modifier]"},
    {"cf range 0..7", "cf range 0..7 libpfm 1..9", "begin with the same number [range]"},
    {"cf range 0..7", "cf range 0..7 libpfm none", "'none' is not a range such as 0..3 [form]"},
    {"libpfm PA", "libpfm 0..1", "'0..1' is not a name [form]"},
    {"u flag", "u range 0..1", "counted or not: a flag [modifier]"},
    {"0x12 shared", "0x12", "nor of a shared register of the unit [shared]"},
    {"wo resets counter", "rw resets counter", "only write-only bits reset something [resets]"},
    {"wo resets counter", "wo resets count", "no thing to reset is called 'count' [choice]"},
    {"shared \"filter\"", "shared extends 3 \"filter\"", "counts in this register [extends]"},
    {"extends 31", "extends 64", "a bit of the register above bit 0 [range]"},
    {"USR OS\n", "USR\n", "line ends where a word is wanted [form]"},
    {"K    0 hides", "K    0", "could not be given [shadow]"},
    {"M    0 sets", "M    0 hides sets", "no modifier has this name [shadow]"},
    {"alias A2", "alias B", "its other name 'B' is taken [duplicate]"},
    {"libpfm none \"all\"", "libpfm EVERY \"all\"", "the only word here is 'none' [choice]"},
    {"  label", "  without A\n  label", "no event of this name [like]"},
    {"  label", "  like other\n  label", "no file describes the PMU 'other' [like]"},
    {"  label", "  like box\n  label", "is like this PMU itself [like]"},
};

static void refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        char *text = changed(pmu_text, refusals[i].from, refusals[i].to);
        bx_error e;
        struct bx_catalog *c = parse(cpu_text, text, &e);
        if (c || !strstr(e.message, refusals[i].says))
            fail_msg("%s: %s", refusals[i].to, c ? "taken" : e.message);
        free(c);
        free(text);
    }
}

static const char cpu2_text[] = "cpu u \"a CPU\"\n"
                                "  source none\n"
                                "  id     6/2\n"
                                "  model  none\n"
                                "  first\n"
                                "  boxes  box2\n";

static const char pmu2_text[] = "pmu box2 \"a box\"\n"
                                "  like   box  without B\n"
                                "  source none\n"
                                "  scope  package\n"
                                "  label  \"box\"\n"
                                "  select CODE MASK\n"
                                "event A code 0x3 counts \"things\" \"another A\"\n"
                                "  source none\n"
                                "event C code 0x4 counts \"things\" \"an event\"\n"
                                "  source none\n";

/* Two CPUs share a folder; the PMU of the second is like that of the first. */
static void families(void **state)
{
    (void)state;
    char *cpu = changed(cpu_text, "model  none\n", "model  none\n  boxes  box\n");
    bx_cat_file files[] = {{BX_STR("f/t.cpu"), bx_str_of(cpu)},
                           {BX_STR("f/u.cpu"), bx_str_of(cpu2_text)},
                           {BX_STR("f/box2.pmu"), bx_str_of(pmu2_text)},
                           {BX_STR("f/box.pmu"), bx_str_of(pmu_text)}};
    struct bx_catalog *c = must_parse_files(files, 4);
    assert_int_equal(bx_cat_find_cpu(c, BX_STR("u")), 0); /* it has `first` */
    assert_int_equal(bx_cat_find_cpu(c, BX_STR("t")), 1);
    uint16_t box = bx_cat_find_pmu(c, BX_STR("box")), box2 = bx_cat_find_pmu(c, BX_STR("box2"));
    const bx_cat_pmu *one = &bx_cat_pmus(c)[box], *two = &bx_cat_pmus(c)[box2];
    assert_int_equal(one->cpu, 1);
    assert_int_equal(two->cpu, 0);
    assert_int_equal(bx_cat_cpus(c)[0].pmus.n, 1);
    assert_int_equal(two->regs.n, one->regs.n);
    assert_int_equal(two->modifiers.n, one->modifiers.n);
    assert_int_equal(bx_cat_regs(c)[two->regs.first].pmu, box2);
    assert_int_equal(two->events.n, 2);
    uint16_t a = bx_cat_find_event(c, box2, BX_STR("A"));
    assert_int_equal(bx_cat_events(c)[a].code, 3); /* its own, not the inherited one */
    assert_int_equal(bx_cat_events(c)[a].umasks.n, 0);
    assert_int_equal(bx_cat_find_event(c, box2, BX_STR("B")), BX_NONE);
    assert_int_equal(bx_cat_events(c)[bx_cat_find_event(c, box, BX_STR("A"))].code, 1);
    assert_int_not_equal(bx_cat_find_event(c, box, BX_STR("B")), BX_NONE);
    free(c);
    free(cpu);
}

/* Registers and modifiers that are described again take the places of the other PMU's, which later
 * items name. A register that names no fields has the other's, as have registers that are `like`
 * it. */
static void described_again(void **state)
{
    (void)state;
    static const char again[] =
        "pmu box2 \"a box\"\n"
        "  like   box\n"
        "  source none\n"
        "  scope  package\n"
        "  label  \"box\"\n"
        "  select CODE MASK\n"
        "reg TWIN msr 0x40 \"count\"\n"
        "  source none\n"
        "reg CTR msr 0x21 \"count\"\n"
        "  source none\n"
        "reg FILTER msr 0x22 shared \"filter\"\n"
        "  source none\n"
        "  field STATE 9:6 rw \"states\"\n"
        "  field CORE  1:0 rw \"core\"\n"
        "modifier cf range 0..3 field FILTER.CORE needs u sets on=1 \"core\"\n";
    char *first = changed(pmu_text, "counters 0",
                          "reg TWIN msr 0x13 like CTR \"count\"\n"
                          "  source none\n"
                          "counters 0"),
         *cpu = changed(cpu_text, "model  none\n", "model  none\n  boxes  box\n");
    bx_cat_file files[] = {{BX_STR("f/t.cpu"), bx_str_of(cpu)},
                           {BX_STR("f/u.cpu"), bx_str_of(cpu2_text)},
                           {BX_STR("f/box2.pmu"), bx_str_of(again)},
                           {BX_STR("f/box.pmu"), bx_str_of(first)}};
    struct bx_catalog *c = must_parse_files(files, 4);
    uint16_t box = bx_cat_find_pmu(c, BX_STR("box")), box2 = bx_cat_find_pmu(c, BX_STR("box2"));
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[box2];
    static const struct {
        const char *name;
        uint32_t old, new;
        unsigned fields;
    } regs[] = {{"CTL", 0x10, 0x10, 7},
                {"CTR", 0x11, 0x21, 1},
                {"FILTER", 0x12, 0x22, 2},
                {"TWIN", 0x13, 0x40, 1}};
    assert_int_equal(pmu->regs.n, 4);
    for (unsigned i = 0; i < 4; i++) {
        uint16_t own = bx_cat_find_reg(c, box2, bx_str_of(regs[i].name)),
                 other = bx_cat_find_reg(c, box, bx_str_of(regs[i].name));
        assert_int_equal(own, pmu->regs.first + i); /* the other's order */
        assert_int_equal(bx_cat_addrs(c)[bx_cat_regs(c)[own].first_addr], regs[i].new);
        assert_int_equal(bx_cat_addrs(c)[bx_cat_regs(c)[other].first_addr], regs[i].old);
        assert_int_equal(bx_cat_regs(c)[own].fields.n, regs[i].fields);
    }
    assert_int_equal(bx_cat_counters(c)[pmu->counters.first].value,
                     bx_cat_find_reg(c, box2, BX_STR("CTR")));
    assert_int_equal(pmu->modifiers.n, bx_cat_pmus(c)[box].modifiers.n);
    const bx_cat_modifier *cf = &bx_cat_modifiers(c)[bx_cat_find_modifier(c, box2, BX_STR("cf"))],
                          *st =
                              &bx_cat_modifiers(c)[bx_cat_find_modifier(c, box2, BX_STR("state"))];
    assert_int_equal(cf->hi, 3);
    assert_int_equal(bx_cat_fields(c)[st->field].lo, 6); /* copied: it means the new field */
    assert_int_equal(bx_cat_modifiers(c)[bx_cat_find_modifier(c, box, BX_STR("cf"))].hi, 7);
    free(c);
    free(first);
    free(cpu);
}

/* What is wrong with a copied line is said of its own file, and the hint names the PMU that copies
 * it. */
static void copied_lines(void **state)
{
    (void)state;
    char *inherits = changed(pmu2_text, "event A", "event D"),
         *select = changed(inherits, "select CODE MASK", "select CODE"),
         *named = changed(pmu2_text, "pmu box2", "pmu box"),
         *cpu = changed(cpu2_text, "boxes  box2", "boxes  box");
    bx_cat_file files[] = {{BX_STR("f/t.cpu"), bx_str_of(cpu_text)},
                           {BX_STR("g/u.cpu"), bx_str_of(cpu2_text)},
                           {BX_STR("g/box2.pmu"), bx_str_of(select)},
                           {BX_STR("f/box.pmu"), bx_str_of(pmu_text)}};
    bx_error e = {0};
    assert_null(bx_catalog_parse(files, 4, &e));
    assert_int_equal(strncmp(e.message, "f/box.pmu:", 10), 0);
    assert_string_equal(
        e.hint, "the PMU 'box2', g/box2.pmu:1, is `like` this one, so it has this line, too");

    files[1].text = bx_str_of(cpu);
    files[2].text = bx_str_of(named);
    e = (bx_error){0};
    assert_null(bx_catalog_parse(files, 4, &e));
    assert_non_null(strstr(e.message, "g/box2.pmu:1:5: this name is taken by f/box.pmu:1 [dup"));
    free(inherits);
    free(select);
    free(named);
    free(cpu);
}

/* Two PMUs that are like each other are refused, whichever file comes first. */
static void circles(void **state)
{
    (void)state;
    char *one = changed(pmu_text, "  label", "  like box2\n  label");
    for (int turn = 0; turn < 2; turn++) {
        bx_cat_file files[] = {{BX_STR("t.cpu"), bx_str_of(cpu_text)},
                               {BX_STR("a.pmu"), bx_str_of(turn ? one : pmu2_text)},
                               {BX_STR("b.pmu"), bx_str_of(turn ? pmu2_text : one)}};
        bx_error e = {0};
        assert_null(bx_catalog_parse(files, 3, &e));
        assert_non_null(strstr(e.message, "[like]"));
    }
    free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups),          cmocka_unit_test(modifiers),
        cmocka_unit_test(names_of_others), cmocka_unit_test(refused),
        cmocka_unit_test(families),        cmocka_unit_test(circles),
        cmocka_unit_test(described_again), cmocka_unit_test(copied_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
