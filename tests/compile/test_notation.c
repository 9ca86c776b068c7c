/* What the parser accepts and refuses, on one small CPU. Each refused text has one change; the
 * message's position, check and hint are compared. */
#include "../cmocked.h"

#include "changed.h"

#include "base/error.h"
#include "compile/compile.h"

#include "base/nearest.h"

#include "event/hint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char cpu_text[] = "cpu t \"a CPU\"\n"
                               "  source none\n"
                               "  id     6/1\n"
                               "  model  none\n";

static const char pmu_text[] = "pmu box \"a box\"\n"                               /* 1 */
                               "  source none\n"                                   /* 2 */
                               "  scope  package\n"                                /* 3 */
                               "  label  \"box\"\n"                                /* 4 */
                               "  select CODE MASK\n"                              /* 5 */
                               "reg CTL msr 0x10 \"control\"\n"                    /* 6 */
                               "  source none\n"                                   /* 7 */
                               "  field CODE  7:0 rw \"code\"\n"                   /* 8 */
                               "  field MASK 15:8 rw \"unit mask\"\n"              /* 9 */
                               "  field EN     22 rw \"enable\"\n"                 /* 10 */
                               "reg CTR msr 0x11 \"count\"\n"                      /* 11 */
                               "  source none\n"                                   /* 12 */
                               "  field VAL 43:0 rw \"count\"\n"                   /* 13 */
                               "counters 0 width 44\n"                             /* 14 */
                               "  control CTL\n"                                   /* 15 */
                               "  value   CTR.VAL\n"                               /* 16 */
                               "  when    EN=1\n"                                  /* 17 */
                               "modifier e flag field EN \"a flag\"\n"             /* 18 */
                               "event A code 0x1 counts \"things\" \"an event\"\n" /* 19 */
                               "  source none\n"                                   /* 20 */
                               "  umask ALL 0x1 \"all\"\n";                        /* 21 */

static struct bx_catalog *parse(const char *cpu, const char *pmu, bx_error *e)
{
    bx_cat_file files[] = {{BX_STR("t.cpu"), bx_str_of(cpu)}, {BX_STR("box.pmu"), bx_str_of(pmu)}};
    *e = (bx_error){0};
    return bx_catalog_parse(files, 2, e);
}

static struct bx_catalog *must_parse(const char *cpu, const char *pmu)
{
    bx_error e;
    struct bx_catalog *c = parse(cpu, pmu, &e);
    if (!c)
        fail_msg("%s", e.message);
    return c;
}

static void small_cpu_is_taken(void **state)
{
    (void)state;
    struct bx_catalog *c = must_parse(cpu_text, pmu_text);
    assert_int_equal(c->cpus.n, 1);
    assert_int_equal(c->regs.n, 2);
    assert_int_equal(c->fields.n, 4);
    assert_string_equal(bx_cat_z(c, bx_cat_cpus(c)->delay), "");
    assert_int_equal(c->events.n, 1);
    const bx_cat_event *event = bx_cat_events(c);
    assert_string_equal(bx_cat_z(c, event->name), "A");
    assert_string_equal(bx_cat_z(c, event->title), "an event");
    assert_int_equal(event->counters, 1);
    assert_int_equal(event->modifiers, 1);
    assert_int_equal(event->umask_default, BX_NONE);
    free(c);
}

struct refusal {
    const char *from, *to;
    const char *where;   /* "line:column: " */
    const char *says;    /* part of the message, with the check's name */
    const char *nearest; /* in the hint; NULL: not compared */
};

#define P6_SHAPES                                                                                  \
    "model  p6\n"                                                                                  \
    "shape packages preset 1 range 1..1 \"a\"\n"                                                   \
    "shape cores preset 1 range 1..1 \"a\"\n"                                                      \
    "shape hz preset 1 range 1..2 \"a\"\n"

static const struct refusal in_cpu[] = {
    {"cpu t", "cpuu t", "1:1: ", "unknown word 'cpuu' [word]", "cpu"},
    {"cpu t", "pmu t", "1:1: ", "'pmu' stands below '.pmu', not here [place]",
     "a file whose name ends in .pmu"},
    {"cpu t", "  \ncpu", "2:5: ", "'a CPU' is not a name [form]", NULL},
    {"cpu t", "\"text\" cpu t", "1:1: ", "is not the keyword of an item [form]", NULL},
    {"cpu t", "  source none\ncpu t", "1:3: ", "'source' is a clause of an item above it [place]",
     "indent it further"},
    {"cpu t", "# only a comment\ncpu", "2:5: ", "[form]", NULL},
    {"model  none", "model", "4:8: ", "line ends where a name is wanted [form]", NULL},
    {"6/1", "6/0x10000", "3:10: ", "[form]", NULL},
    {"6/1", "6/1 7/", "3:14: ", "'7/' is not a pair such as 6/0x5e [form]", NULL},
    {"6/1", "6/1 seven", "3:14: ", "unknown word 'seven' [word]", NULL},
    {"model  none", "model  none \"a\"", "4:15: ", "'title' is given twice [twice]", NULL},
    {"model  none", "model  none\x01", "4:14: ", "control character 0x01 [text]", NULL},
    {"model  none\n", "model  none\n  boxes box other\n",
     "5:13: ", "describes the PMU 'other' [reference]", "the file has only its `pmu` item"},
    {"model  none\n", "model  none\n  boxes bax\n", "5:9: ", "[reference]",
     BX_DID_YOU_MEAN_NAME("box")},
    {"model  none\n", "model  none\n  boxes box box\n", "5:13: ", "'box' is listed twice [boxes]",
     NULL},
    {"  source none", "\tsource none", "2:1: ", "tab before the first word of a line [text]",
     "indent with blanks"},
    {"  source none", "  source none\r", "2:14: ", "carriage return [text]", "line ends of Unix"},
    {"cpu t",
     "\xef\xbb\xbf"
     "cpu t",
     "1:1: ", "byte order mark [text]", "without it"},
    {"model  none", "model  0x1 none", "4:10: ", "'0x1' is not a name [form]",
     "'model' takes a name"},
    {"model  none\n", "model  none\n  wake BOX.EN\n",
     "5:8: ", "no register is called 'BOX' [reference]", NULL},
    {"model  none\n", "model  none\n  wake CTL.ON\n", "5:8: ", "is called 'ON' [reference]", "EN"},
    {"model  none\n", "model  none\n  pmi CTL.EN\n", "5:7: ", "[range]", NULL},
    {"model  none\n", "model  none\nshape a preset 1 range 3..2 \"a\"\n", "5:16: ", "[shape]",
     NULL},
    {"model  none\n", "model  none\nshape coers preset 1 range 1..2 \"a\"\n",
     "5:7: ", "without a machine model no code reads the key 'coers' [keys]", "cores"},
    {"model  none\n", "model  none\nshape llc preset 1 range 1..2 \"a\"\n", "5:7: ", "[keys]",
     "take the key out"},
    {"model  none\n", P6_SHAPES "shape llc preset 1 range 1..2 \"a\"\n",
     "8:7: ", "the machine model 'p6' has no key 'llc' [keys]", "take the key out"},
    {"model  none\n", "model  p6\nshape hz preset 1 range 1..2 \"a\"\n", "1:5: ",
     "the machine model needs a shape 'packages' [keys]", "add a line `shape packages preset"},
    {"model  none\n", "model  p6\nshape hz preset 0 range 0..2 \"a\"\n",
     "5:25: ", "the model's clock needs a shape 'hz', above 0 [clock]", "shape hz preset"},
    {"6/1", "6/1 6/1", "3:14: ", "this processor is given twice [duplicate]", "one of them"},
    {"model  none\n",
     "model  none\nshape a preset 1 range 1..2 \"a\"\nshape A preset 1 range 1..2 \"a\"\n",
     "6:7: ", "this name is taken by t.cpu:5 [duplicate]", NULL},
    {"6/1", "6/1 6/0x1f\n  relatives 6/2 6/0x1f", "4:17: ", "this is 't', of t.cpu:1 [duplicate]",
     "take it out here"},
    {"model  none", "model  cleint", "4:10: ", "there is no machine model 'cleint' [model]",
     "client"},
    {"model  none", "model  skylake", "4:10: ", "[model]", "client, ivbep, nhmex, p6, and none"},
    {"model  none", "model  client",
     "1:1: ", "'box' stands where the model 'client' has its 'package' [boxes]",
     "in this order: package cbo arb clock imc core"},
    {"model  none", "model  client\n  boxes  box", "5:10: ", "[boxes]", "`boxes` lists PMUs"},
    {"model  none\n", "model  none\npick A:ANY\n",
     "5:8: ", "A has no unit mask or modifier 'ANY' [event-string]", NULL},
    {"model  none\n", "model  none\npick A:AL\n", "5:8: ", "[event-string]", "ALL"},
};

static const struct refusal in_pmu[] = {
    {"pmu box", "evnt box", "1:1: ", "unknown word 'evnt' [word]", "event"},
    {"label  \"box\"\n", "", "1:1: ", "this pmu has no label [missing]",
     "add `label` and a text in quotes"},
    {"counts \"things\" ", "", "19:1: ", "this event has no counts [missing]", "add `counts`"},
    {"counts \"things\"", "what", "19:18: ", "unknown word 'what' [word]", "a title in quotes"},
    {"\"a flag\"", "\"a flag\" a_word_that_is_far", "18:35: ", "[word]", "allowed here: range"},
    {"code 0x1", "code 81H", "19:14: ", "'81H' is not a number [form]", "write 0x81"},
    {"22 rw \"enable\"", "22 \"enable\"", "10:19: ", "is not a kind of bits such as rw [form]",
     "'field' takes a name, bits such as 7:0, a kind of bits"},
    {"label  \"box\"", "label  box", "4:10: ", "'box' is not a text in quotes [form]", NULL},
    {"scope  package", "scope  cores", "3:10: ", "no scope is called 'cores' [choice]", "core"},
    {"select CODE", "select COD", "5:10: ", "is called 'COD' [reference]", "CODE"},
    {"select CODE MASK", "select", "5:9: ", "line ends where a name is wanted [form]", NULL},
    {"select CODE MASK", "select CODE MASK EN", "5:20: ", "a code and a unit mask, no more [form]",
     NULL},
    {"select CODE MASK", "select CODE", "21:13: ", "the PMU has no field for unit masks [umask]",
     NULL},
    {"label", "stride 256\n  label", "4:10: ", "stride is at most 255 [range]", NULL},
    {"label", "units  1..2\n  label", "4:10: ", "units count from 0 to at most 254 [range]", NULL},
    {"label", "units  0..255\n  label", "4:10: ", "[range]", NULL},
    {"label", "count  CTL.EN -256\n  label", "4:17: ", "[range]", NULL},
    {"label", "count  CTL.EN --1\n  label", "4:17: ", "'--1' is not a number [form]", NULL},
    {"label", "units  0..0 slices\n  label", "4:15: ", "the machine string has no such key [units]",
     "`shape slices` to the file of 't'"},
    {"msr 0x10", "msr 0x1g", "6:13: ", "'0x1g' is not an address [form]", NULL},
    {"msr 0x10", "msr 0x100000000", "6:13: ", "is not an address [form]", NULL},
    {"msr 0x10", "pci 0:32.0+0x10", "6:13: ", "is not an address [form]", NULL},
    {"msr 0x10", "msr 0x10 pci 0:0.0+0x10", "6:18: ", "one space only [space]", NULL},
    {"msr 0x10", "mmio 0x10", "6:19: ", "'control' is not an address [form]", NULL},
    {"msr 0x10", "mmio 0x10 CTL.EN", "6:19: ", "'CTL.EN' is not an address [form]", NULL},
    {"msr 0x10", "msr 0x10 mmio CTL.EN 0x10", "6:18: ", "one space only [space]", NULL},
    {"msr 0x10", "msr 0x10 step 1M", "6:23: ", "packages differ in the buses of PCI only [space]",
     NULL},
    {"msr 0x10", "pci 0:0.0+0x10 step 64K", "6:29: ", "packages are whole buses apart", NULL},
    {"msr 0x10", "msr 0x10 width 48", "6:24: ", "registers have 32 or 64 bits [width]", NULL},
    {"msr 0x10", "msr 0x10 like CTR", "6:23: ", "no register is called 'CTR' [reference]", NULL},
    {"msr 0x10", "msr 0x10 0x12", "6:9: ", "2 addresses for 1 registers [addresses]",
     "list the addresses of all 1 registers"},
    {"msr 0x10", "msr 0x10 stride 4", "6:25: ", "a stride, but the PMU has one unit [addresses]",
     "take it out"},
    {"msr 0x10", "msr 0x11", "11:5: ", "0x11 in unit 0 is taken by box.pmu:6 [address]",
     "unit 0 of 'CTL'"},
    {"reg CTL", "reg CTL{0..255}", "6:5: ", "at most 255 registers of one kind [range]", NULL},
    {"reg CTL", "reg CTL{", "6:5: ", "'CTL{' is not a name [form]", NULL},
    {"reg CTL", "reg CTR", "15:11: ", "no register is called 'CTL' [reference]", "CTR"},
    {"7:0", "0:7", "8:15: ", "'0:7' is not bits such as 7:0 [form]", NULL},
    {"7:0", "64:0", "8:15: ", "[form]", NULL},
    {"7:0 rw", "7:0 r", "8:19: ", "no kind of bits is called 'r' [choice]", "rw"},
    {"7:0 rw", "7:0 fixed", "8:19: ", "no kind of bits is called 'fixed' [choice]", NULL},
    {"field CODE  7:0", "field MASK  7:0", "5:10: ", "is called 'CODE' [reference]", NULL},
    {"43:0 rw \"count\"", "43:0 rw \"count\"\n  field val 44 rw \"more\"",
     "14:9: ", "this name is taken by box.pmu:13 [duplicate]", NULL},
    {"width 44", "width 0", "14:18: ", "a counter has 1 to 64 bits [width]", NULL},
    {"counters 0", "counters 0..32", "14:10: ", "[range]", NULL},
    {"counters 0", "counters a", "14:10: ", "'a' is not a range such as 0..3 [form]", NULL},
    {"value   CTR.VAL", "value   CTR", "16:11: ", "[reference]", NULL},
    {"when    EN=1", "when    EN", "17:11: ", "'EN' is not a setting such as EN=1 [form]", NULL},
    {"when    EN=1", "when    EN=1 CTR.VAL=0x100000000000",
     "17:16: ", "VAL has no such value [condition]", NULL},
    {"when    EN=1", "overflow CTR.VAL", "14:10: ", "overflow comes with enable or pmi [counter]",
     NULL},
    {"  control CTL\n", "", "16:11: ", "[reference]", NULL},
    {"flag field", "field", "18:1: ", "a modifier is a flag or has a range [range]", NULL},
    {"flag field", "flag range 0..1 field", "18:23: ", "[range]", NULL},
    {"modifier e", "modifier all",
     "21:9: ", "a modifier has this name and could not be given [shadow]", NULL},
    {"code 0x1", "code 0x100", "19:14: ", "CODE holds 0 to 0xff [code]", NULL},
    {"code 0x1", "code 0x100000000", "19:14: ", "code beyond 32 bits [code]", NULL},
    {"code 0x1", "code 0x1 in match", "19:21: ", "no slot is called 'match' [reference]", NULL},
    {"code 0x1", "code 0x1 in 1", "19:21: ", "'1' is not a name [form]", NULL},
    {"code 0x1", "code 0x1 scale 0", "19:24: ", "a count stands for 1 or more [range]", NULL},
    {"code 0x1", "code 0x1 counters 0..1", "19:27: ", "the PMU has 1 counters [reference]",
     "count from 0"},
    {"code 0x1", "code 0x1 takes e t", "19:26: ", "no modifier is called 't' [reference]", NULL},
    {"code 0x1", "code 0x1 confidence wek", "19:29: ", "[choice]", "weak"},
    {"code 0x1", "code 0x1 default ANY", "19:26: ", "no unit mask is called 'ANY' [reference]",
     NULL},
    {"ALL 0x1", "ALL 0x100", "21:13: ", "MASK holds 0 to 0xff [umask]", NULL},
    {"ALL 0x1", "ALL 0x100000000", "21:13: ", "unit mask beyond 32 bits [umask]", NULL},
    {"ALL 0x1", "ALL. 0x1", "21:9: ", "'ALL.' is not a name [form]", NULL},
    {"ALL 0x1", "ALL 0x1 sets t=1", "21:22: ", "no modifier is called 't' [reference]", NULL},
    {"umask ALL", "names rank 256 source none\n  umask ALL", "21:14: ", "[range]", NULL},
    {"umask ALL", "field ALL", "21:3: ", "'field' stands below 'reg', not here [place]", NULL},
    {"  umask ALL", "umask ALL", "21:1: ", "'umask' stands below 'event', not here [place]",
     "indent it further than the 'event'"},
    {"\"all\"", "\"all", "21:17: ", "quote is not closed on its line [text]",
     "on the line that it begins on"},
    {"\"all\"", "", "21:3: ", "this umask has no title [missing]", "add a text in quotes"},
    {"\"all\"\n", "\"all\"\npmu two \"a box\"\n  source none\n  scope package\n  label \"b\"\n",
     "22:1: ", "a second 'pmu' in one file [place]", NULL},
};

static void assert_refusal(const char *file, const struct refusal *r, const char *cpu,
                           const char *pmu)
{
    bx_error e;
    struct bx_catalog *c = parse(cpu, pmu, &e);
    if (c) {
        free(c);
        fail_msg("\"%s\" was taken", r->to);
    }
    char where[64];
    snprintf(where, sizeof where, "%s:%s", file, r->where);
    assert_int_equal(e.code, BX_BAD_INPUT);
    if (strncmp(e.message, where, strlen(where)) != 0 || !strstr(e.message, r->says))
        fail_msg("\"%s\": wanted %s%s, got %s", r->to, where, r->says, e.message);
    if (r->nearest && !strstr(e.hint, r->nearest))
        fail_msg("\"%s\": wanted a hint to %s, got \"%s\"", r->to, r->nearest, e.hint);
}

static void refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof in_cpu / sizeof *in_cpu; i++) {
        char *text = changed(cpu_text, in_cpu[i].from, in_cpu[i].to);
        assert_refusal("t.cpu", &in_cpu[i], text, pmu_text);
        free(text);
    }
    for (size_t i = 0; i < sizeof in_pmu / sizeof *in_pmu; i++) {
        char *text = changed(pmu_text, in_pmu[i].from, in_pmu[i].to);
        assert_refusal("box.pmu", &in_pmu[i], cpu_text, text);
        free(text);
    }
}

/* The picture below a message: the line, and carets below the span. */
static void message_has_a_picture(void **state)
{
    (void)state;
    bx_error e;
    char *text = changed(pmu_text, "scope  package", "scope  packege");
    assert_null(parse(cpu_text, text, &e));
    assert_string_equal(e.message, "box.pmu:3:10: no scope is called 'packege' [choice]\n"
                                   "  scope  packege\n"
                                   "         ^^^^^^^");
    assert_string_equal(e.hint, BX_DID_YOU_MEAN_NAME("package"));
    assert_memory_equal(text + e.at, "packege", 7);
    assert_int_equal(e.len, 7);
    free(text);
}

/* A long line is cut around the span. */
static void picture_of_a_long_line(void **state)
{
    (void)state;
    bx_error e;
    char long_title[400];
    memset(long_title, 'x', sizeof long_title);
    memcpy(long_title, "umask ALL \"", 11);
    memcpy(long_title + 390, "\" 0x1", 6);
    char *text = changed(pmu_text, "umask ALL 0x1 \"all\"", long_title);
    assert_null(parse(cpu_text, text, &e));
    assert_true(strlen(e.message) < sizeof e.message - 1);
    const char *line = strchr(e.message, '\n') + 1, *carets = strchr(line, '\n') + 1;
    assert_true(strlen(carets) <= (size_t)(carets - line));
    assert_int_equal(carets[strspn(carets, " ")], '^');
    free(text);
}

static bool refused_as(const bx_cat_file *files, size_t n, const char *start)
{
    bx_error e = {0};
    struct bx_catalog *c = bx_catalog_parse(files, n, &e);
    free(c);
    return !c && strncmp(e.message, start, strlen(start)) == 0;
}

static void sets_of_files(void **state)
{
    (void)state;
    bx_cat_file cpu = {BX_STR("a/t.cpu"), bx_str_of(cpu_text)};
    bx_cat_file pmu = {BX_STR("a/box.pmu"), bx_str_of(pmu_text)};
    bx_cat_file far = {BX_STR("b/box.pmu"), bx_str_of(pmu_text)};
    bx_cat_file odd = {BX_STR("a/notes"), BX_STR("")};
    bx_cat_file empty = {BX_STR("a/empty.pmu"), BX_STR("")};
    assert_true(refused_as(NULL, 0, "no file of a catalogue was given"));
    assert_true(refused_as(&cpu, 1, "a/t.cpu:1:1: no file describes a PMU [reference]"));
    assert_true(refused_as(&pmu, 1, "a/box.pmu:1:1: no .cpu file in the folder of this file"));
    assert_true(refused_as((bx_cat_file[]){cpu, far}, 2, "b/box.pmu:1:1: no .cpu file"));
    assert_true(refused_as((bx_cat_file[]){cpu, pmu, cpu}, 3, "a/t.cpu:1:1: one of several CPUs"));
    assert_true(refused_as((bx_cat_file[]){cpu, pmu, odd}, 3, "a/notes:1:1: a file of the cat"));
    assert_true(refused_as((bx_cat_file[]){cpu, pmu, empty}, 3, "a/empty.pmu:1:1: the first item"));
    assert_true(refused_as((bx_cat_file[]){cpu, pmu, pmu}, 3,
                           "a/box.pmu:1:5: this name is taken by a/box.pmu:1 [d"));
}

/* Two CPUs in two folders: registers of the same name are not mixed up. Names of CPUs and PMUs, and
 * processors, are of one CPU only. */
static void two_cpus(void **state)
{
    (void)state;
    char *cpu2 = changed(cpu_text, "cpu t \"a CPU\"\n  source none\n  id     6/1",
                         "cpu u \"a CPU\"\n  source none\n  id     6/2"),
         *pmu2 = changed(pmu_text, "pmu box", "pmu box2"),
         *same_id = changed(cpu_text, "cpu t", "cpu u"),
         *same_name = changed(cpu2, "cpu u", "cpu T"),
         *related = changed(cpu2, "6/2", "6/2\n  relatives 6/3 6/1");
    bx_cat_file files[] = {{BX_STR("a/t.cpu"), bx_str_of(cpu_text)},
                           {BX_STR("b/u.cpu"), bx_str_of(cpu2)},
                           {BX_STR("b/box.pmu"), bx_str_of(pmu2)},
                           {BX_STR("a/box.pmu"), bx_str_of(pmu_text)}};
    bx_error e = {0};
    struct bx_catalog *c = bx_catalog_parse(files, 4, &e);
    if (!c)
        fail_msg("%s", e.message);
    uint16_t u = bx_cat_find_cpu(c, BX_STR("u")), box2 = bx_cat_find_pmu(c, BX_STR("box2"));
    assert_int_equal(u, 1);
    assert_int_equal(bx_cat_cpus(c)[u].pmus.first, box2);
    assert_int_equal(bx_cat_pmus(c)[box2].cpu, u);
    const bx_cat_counter *k = &bx_cat_counters(c)[bx_cat_pmus(c)[box2].counters.first];
    assert_int_equal(bx_cat_regs(c)[k->control].pmu, box2);
    free(c);

    files[1].text = bx_str_of(same_id);
    assert_true(refused_as(files, 4, "b/u.cpu:3:10: this is 't', of a/t.cpu:1 [duplicate]"));
    files[1].text = bx_str_of(related);
    assert_true(refused_as(files, 4, "b/u.cpu:4:17: this is 't', of a/t.cpu:1 [duplicate]"));
    files[1].text = bx_str_of(same_name);
    assert_true(refused_as(files, 4, "b/u.cpu:1:5: this name is taken by a/t.cpu:1 [duplicate]"));
    files[1].text = bx_str_of(cpu2);
    files[2].text = bx_str_of(pmu_text);
    e = (bx_error){0};
    assert_null(bx_catalog_parse(files, 4, &e));
    assert_non_null(strstr(e.message, "b/box.pmu:1:5: this name is taken by a/box.pmu:1 [dup"));
    assert_string_equal(e.hint, "CPUs and PMUs of all folders have names of their own: begin a "
                                "PMU's with that of its CPU");
    free(cpu2);
    free(pmu2);
    free(same_id);
    free(same_name);
    free(related);
}

/* A key that says how many units there are promises no more than there can be, and needs no machine
 * model. Keys of memory come together. */
static void keys(void **state)
{
    (void)state;
    static const char units[] = "model  none\nshape rows preset 1 range 1..2 \"rows\"\n";
    char *cpu = changed(cpu_text, "model  none\n", units), *more = changed(cpu, "1..2", "1..3"),
         *pmu = changed(pmu_text, "label", "units 0..1 rows\n  label"),
         *label = changed(pmu, "\"box\"", "\"box {unit}\""),
         *ctl = changed(label, "CTL msr 0x10", "CTL{unit} msr 0x10 0x12"),
         *ctr = changed(ctl, "CTR msr 0x11", "CTR{unit} msr 0x11 0x13"),
         *control = changed(ctr, "control CTL", "control CTL{unit}"),
         *value = changed(control, "CTR.VAL", "CTR{unit}.VAL");
    free(must_parse(cpu, value));
    static const struct refusal too_many = {
        "", "rows 1..3", "4:9: ", "there are 2 units, and the shape 'rows' goes to 3 [units]",
        "units count from 0"};
    assert_refusal("box.pmu", &too_many, more, value);
    char *all[] = {cpu, more, pmu, label, ctl, ctr, control, value};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);

    static const char memory[] = "model  ivbep\n"
                                 "shape packages preset 1 range 1..1 \"a\"\n"
                                 "shape cores preset 1 range 1..1 \"a\"\n"
                                 "shape hz preset 1 range 1..2 \"a\"\n"
                                 "shape dram_rate preset 1 range 1..2 \"a\"\n";
    static const struct refusal alone = {
        "", "dram_rate", "1:5: ", "a shape 'dram_rate' needs one called 'dram_channels' [keys]",
        "`shape dram_channels preset"};
    char *with_memory = changed(cpu_text, "model  none\n", memory),
         *ubo = changed(pmu_text, "pmu box", "pmu t_ubo");
    assert_refusal("t.cpu", &alone, with_memory, ubo);
    free(with_memory);
    free(ubo);
}

/* A topology has room for BX_SHAPES keys. */
static void too_many_keys(void **state)
{
    (void)state;
    enum { ROOM = 64 };
    char *lines = calloc(BX_SHAPES + 1, ROOM), *end = lines + sprintf(lines, "model  none\n");
    for (int i = 0; i < BX_SHAPES; i++)
        end += sprintf(end, "shape k%d preset 1 range 1..2 \"a\"\n", i);
    sprintf(end, "shape more preset 1 range 1..2 \"a\"\n");
    char *cpu = changed(cpu_text, "model  none\n", lines);
    static const struct refusal refusal = {"", "cpu", "1:1: ", "more than 256 shape keys [size]",
                                           ""};
    assert_refusal("t.cpu", &refusal, cpu, pmu_text);
    free(cpu);
    free(lines);
}

/* A fixed counter without a control register cannot be stopped. */
static void free_running(void **state)
{
    (void)state;
    static const char text[] = "pmu box \"a box\"\n"
                               "  source none\n"
                               "  scope  package\n"
                               "  label  \"box\"\n"
                               "reg CTR msr 0x11 \"count\"\n"
                               "  source none\n"
                               "  field VAL 43:0 ro \"count\"\n"
                               "counters 0 width 44 fixed value CTR.VAL\n"
                               "event A code 0 counts \"things\" \"an event\"\n"
                               "  source none\n";
    static const struct refusal bad[] = {
        {" fixed", "", "8:10: ", "a counter has a control register or is fixed [counter]", NULL},
    };
    struct bx_catalog *c = must_parse(cpu_text, text);
    assert_int_equal(bx_cat_counters(c)[0].flags, BX_COUNTER_FREE | BX_COUNTER_FIXED);
    free(c);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *other = changed(text, bad[i].from, bad[i].to);
        assert_refusal("box.pmu", &bad[i], cpu_text, other);
        free(other);
    }
}

/* Units that are cores all have one address. The levels in one register enable fixed counters. A
 * count may have a second address. No code selects a fixed counter's event. */
static void counters_of_cores(void **state)
{
    (void)state;
    static const char text[] =
        "pmu box \"a box\"\n"                                                            /* 1 */
        "  source none\n"                                                                /* 2 */
        "  scope  core\n"                                                                /* 3 */
        "  units  0..3\n"                                                                /* 4 */
        "  label  \"core {unit}\"\n"                                                     /* 5 */
        "  kernel cpu\n"                                                                 /* 6 */
        "  architectural 4\n"                                                            /* 7 */
        "  select CODE\n"                                                                /* 8 */
        "reg CTL msr 0x10 \"control\"\n"                                                 /* 9 */
        "  source none\n"                                                                /* 10 */
        "  field CODE 7:0 rw \"code\"\n"                                                 /* 11 */
        "reg CTR{0..1} msr 0x11 0x12 \"count\"\n"                                        /* 12 */
        "  source none\n"                                                                /* 13 */
        "  field VAL 43:0 rw \"count\"\n"                                                /* 14 */
        "reg FULL{0..1} msr 0x21 0x22 like CTR0 shows CTR{n} \"count\"\n"                /* 15 */
        "  source none\n"                                                                /* 16 */
        "reg ALL msr 0x13 \"levels and enables\"\n"                                      /* 17 */
        "  source none\n"                                                                /* 18 */
        "  field OS 0 rw \"a level\"\n"                                                  /* 19 */
        "  field USR 1 rw \"a level\"\n"                                                 /* 20 */
        "  field EN 2 rw \"enable\"\n"                                                   /* 21 */
        "counters 0 width 44 control CTL value CTR0.VAL\n"                               /* 22 */
        "counters 1 width 44 fixed value CTR1.VAL when ALL.EN=1 levels ALL.USR ALL.OS\n" /* 23 */
        "event A code 0x300 counters 1 counts \"things\" \"an event\"\n"                 /* 24 */
        "  source none\n";                                                               /* 25 */
    static const struct refusal bad[] = {
        {"levels ALL.USR", "levels USR", "23:63: ", "levels needs a control register [control]",
         NULL},
        {"shows CTR{n}", "shows CTX{n}", "15:46: ", "[reference]", NULL},
        {"msr 0x13", "msr 0x13 0x14", "17:9: ", "2 addresses for 1 registers [addresses]", NULL},
        {"msr 0x13", "msr 0x13 stride 1", "17:9: ", "each core has the same addresses [addresses]",
         NULL},
        {"msr 0x13", "msr 0x22", "17:5: ", "is taken by box.pmu:15 [address]", "FULL{0..1}"},
        {"counters 1 counts", "counters 0 counts", "24:14: ", "CODE holds 0 to 0xff [code]", NULL},
    };
    struct bx_catalog *c = must_parse(cpu_text, text);
    const bx_cat_counter *fixed = &bx_cat_counters(c)[1];
    const bx_cat_cond *conds = &bx_cat_conds(c)[fixed->counts.first];
    assert_int_equal(fixed->flags, BX_COUNTER_FIXED);
    assert_int_equal(fixed->control, BX_NONE);
    assert_int_equal(fixed->counts.n, 3);
    assert_int_equal(conds[0].field, fixed->user);
    assert_int_equal(conds[1].field, fixed->os);
    assert_int_equal(conds[2].field, bx_cat_find_field(c, conds[2].reg, BX_STR("EN")));
    const bx_cat_reg *ctr = &bx_cat_regs(c)[fixed->value];
    for (unsigned unit = 0; unit < 4; unit++)
        assert_int_equal(bx_cat_addrs(c)[ctr->first_addr + unit], 0x12);
    assert_int_equal(bx_cat_regs(c)[bx_cat_find_reg(c, 0, BX_STR("FULL1"))].shows, fixed->value);
    assert_int_equal(bx_cat_pmus(c)[0].architectural, 4);
    bx_evsel event;
    char perf[64];
    assert_int_equal(bx_event_parse(c, 0, "A", 1, &event, NULL), BX_OK);
    assert_int_equal(bx_event_format_perf(c, &event, perf, sizeof perf), 0);
    free(c);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *other = changed(text, bad[i].from, bad[i].to);
        assert_refusal("box.pmu", &bad[i], cpu_text, other);
        free(other);
    }
}

/* Spelling that makes no difference. */
static void blanks_and_comments(void **state)
{
    (void)state;
    char *text =
        changed(pmu_text, "  source none\n", "   source\tnone   # where from\n\n   # more\n");
    char *more = changed(text, "when    EN=1", "when EN=1# no comment");
    struct bx_catalog *c = must_parse(cpu_text, text);
    assert_string_equal(bx_cat_z(c, bx_cat_pmus(c)[0].source), "none");
    free(c);
    bx_error e;
    assert_null(parse(cpu_text, more, &e)); /* a comment begins after a blank */
    free(text);
    free(more);
}

static void last_line_needs_no_line_feed(void **state)
{
    (void)state;
    char *text = changed(cpu_text, "model  none\n", "model  none");
    free(must_parse(text, pmu_text));
    free(text);
}

/* Addresses: listed unit by unit, by stride, and in each address space. */
static void addresses(void **state)
{
    (void)state;
    char *units = changed(pmu_text, "\"box\"", "\"box {unit}\"\n  units 0..1");
    char *ctl = changed(units, "CTL msr 0x10", "CTL{unit} msr 0x10 0x37");
    char *ctr = changed(ctl, "CTR msr 0x11", "CTR{unit} pci 0x7f:31.7+0x40 stride 0x8000");
    char *control = changed(ctr, "control CTL", "control CTL{unit}");
    char *text = changed(control, "CTR.VAL", "CTR{unit}.VAL");
    struct bx_catalog *c = must_parse(cpu_text, text);
    const bx_cat_reg *regs = bx_cat_regs(c);
    assert_string_equal(bx_cat_z(c, regs[0].name), "CTL{unit}");
    assert_int_equal(bx_cat_addrs(c)[regs[0].first_addr], 0x10);
    assert_int_equal(bx_cat_addrs(c)[regs[0].first_addr + 1], 0x37);
    assert_int_equal(regs[1].space, BX_SPACE_PCI);
    assert_int_equal(bx_cat_addrs(c)[regs[1].first_addr],
                     UINT32_C(0x7f) << 20 | 31 << 15 | 7 << 12 | 0x40);
    assert_int_equal(bx_cat_addrs(c)[regs[1].first_addr + 1],
                     (UINT32_C(0x7f) << 20 | 31 << 15 | 7 << 12 | 0x40) + 0x8000);
    free(c);
    free(units);
    free(ctl);
    free(ctr);
    free(control);
    free(text);
}

/* A passive line that covers a described MSR, and two passive lines that overlap. */
static void passive_lines(void **state)
{
    (void)state;
    bx_cat_file files[] = {{BX_STR("t.cpu"), bx_str_of(cpu_text)},
                           {BX_STR("box.pmu"), bx_str_of(pmu_text)},
                           {BX_STR("passive"), BX_STR("passive 0x11 scope core \"x\"\n")}};
    assert_true(refused_as(files, 3, "passive:1:9: 0x11 in unit 0 is taken"));
    files[2].text = BX_STR("passive 0x20..0x22 scope core \"x\"\npassive 0x22 scope core \"y\"\n");
    assert_true(refused_as(files, 3, "passive:2:9: 0x22 in unit 0 is taken"));
    files[2].text = BX_STR("passive 0x22..0x20 scope core \"x\"\n");
    assert_true(refused_as(files, 3, "passive:1:9: no such range of MSRs [range]"));
    files[2].text = BX_STR("passive 0x20..0x22 scope package preset 7 \"x\"\n");
    struct bx_catalog *c = bx_catalog_parse(files, 3, NULL);
    assert_non_null(c);
    assert_int_equal(bx_cat_passives(c)[0].first, 0x20);
    assert_int_equal(bx_cat_passives(c)[0].last, 0x22);
    assert_int_equal(bx_cat_passives(c)[0].preset, 7);
    free(c);
}

/* PCI functions and their words. */
static void functions(void **state)
{
    (void)state;
    static const char shapes[] = "shape packages preset 1 range 1..4 \"packages\"\n";
    char cpu[400], text[512];
    snprintf(cpu, sizeof cpu, "%s%s", cpu_text, shapes);
    bx_cat_file files[] = {{BX_STR("t.cpu"), bx_str_of(cpu)},
                           {BX_STR("box.pmu"), bx_str_of(pmu_text)},
                           {BX_STR("passive"), {NULL, 0}}};
    static const struct {
        const char *head, *words, *start;
    } bad[] = {
        {"1:2 device 1/2 class 3", "",
         "passive:1:10: '1:2' is not a PCI function such as 0:5.0 [form]"},
        {"1:2.8 device 1/2 class 3", "", "passive:1:10: '1:2.8' is not a PCI function"},
        {"1:2.3 device 1 class 3", "", "passive:1:23: '1' is not a pair such as 6/0x5e [form]"},
        {"1:2.3 device 1/2", "", "passive:1:1: this function has no class [missing]"},
        {"1:2.3 device 1/2 class 0x1000000", "", "passive:1:33: a class has 24 bits [range]"},
        {"1:2.3 device 1/2 class 3 stride 4", "", "passive:1:42: packages are whole buses apart"},
        {"255:2.3 device 1/2 class 3 stride 1M", "",
         "passive:1:44: the last package would be beyond bus 255 [address]"},
        {"1:2.3 device 1/2 class 3", "passive 0x40..0x42 \"w\"",
         "passive:3:11: no range of whole words within 4096 bytes [range]"},
        {"1:2.3 device 1/2 class 3", "passive 0x42..0x45 \"w\"", "passive:3:11: no range of whole"},
        {"1:2.3 device 1/2 class 3", "passive 0x1000..0x1003 \"w\"", "passive:3:11: no range of"},
        {"1:2.3 device 1/2 class 3", "passive 0x40..0x43 preset 0x100000000 \"w\"",
         "passive:3:11: a word has 32 bits [range]"},
        {"1:2.3 device 1/2 class 3", "passive 0..3 \"w\"",
         "passive:3:11: 0x113000 in unit 0 is taken"},
        {"1:2.3 device 1/2 class 3", "passive 0x40..0x43 scope core \"w\"",
         "passive:3:22: unknown word 'scope' [word]"},
        {"1:2.3 device 1/2 class 3 stride 1M",
         "passive 0x40..0x43 \"w\"\nfunction 2:2.3 device 1/2 class 3 \"f\"\n  source s",
         "passive:4:10: 0x213000 in unit 0 is taken"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "function %s \"f\"\n  source s\n  %s\n", bad[i].head,
                 bad[i].words);
        files[2].text = bx_str_of(text);
        assert_true(refused_as(files, 3, bad[i].start));
    }
    files[2].text =
        BX_STR("function 0x3f:0x10.4 device 0x8086/0xeb4 class 0x88000 stride 64M \"f\"\n"
               "  source a page\n"
               "  passive 0xa0..0xa7 preset 7 stride 3 \"w\"\n"
               "passive 0x20 scope core \"x\"\n");
    struct bx_catalog *c = bx_catalog_parse(files, 3, NULL);
    assert_non_null(c);
    const bx_cat_cpu *of = bx_cat_cpus(c);
    const bx_cat_function *f = &bx_cat_functions(c)[of->functions.first];
    const bx_cat_passive *words = &bx_cat_passives(c)[f->passives.first];
    assert_int_equal(of->passives.n, 1);
    assert_int_equal(bx_cat_passives(c)[of->passives.first].first, 0x20);
    assert_int_equal(of->functions.n, 1);
    assert_int_equal(f->address, 0x3f << 20 | 0x10 << 15 | 4 << 12);
    assert_int_equal(f->stride, 64 << 20);
    assert_true(f->vendor == 0x8086 && f->device == 0xeb4 && f->kind == 0x88000);
    assert_string_equal(bx_cat_z(c, f->source), "a page");
    assert_int_equal(f->passives.n, 1);
    assert_true(words->first == 0xa0 && words->last == 0xa7);
    assert_true(words->preset == 7 && words->step == 3);
    free(c);
}

static void metrics(void **state)
{
    (void)state;
    static const char good[] = "metric m unit \"%\" beside A:ALL \"x\"\n"
                               "  formula 100 * {A:ALL:e=1} / {A:ALL}  # share\n";
    bx_cat_file files[] = {{BX_STR("t.cpu"), bx_str_of(cpu_text)},
                           {BX_STR("box.pmu"), bx_str_of(pmu_text)},
                           {BX_STR("t.metric"), bx_str_of(good)}};
    struct bx_catalog *c = bx_catalog_parse(files, 3, NULL);
    assert_non_null(c);
    assert_string_equal(bx_cat_z(c, bx_cat_metrics(c)[0].formula), "100 * {A:ALL:e=1} / {A:ALL}");
    const bx_cat_metric *m = &bx_cat_metrics(c)[0];
    const bx_cat_operand *operands = bx_cat_operands(c);
    assert_int_equal(c->operands.n, 3);
    assert_int_equal(m->operands.n, 2);
    assert_int_equal(m->operands.first, 0);
    assert_int_equal(m->beside, 2);
    for (unsigned i = 0; i < 3; i++) {
        assert_string_equal(bx_cat_z(c, bx_cat_events(c)[operands[i].event].name), "A");
        assert_int_equal(operands[i].umask, 1);
        assert_int_equal(operands[i].sets.n, i == 0);
    }
    assert_int_equal(bx_cat_sets(c)[operands[0].sets.first].value, 1);
    free(c);
    static const struct {
        const char *formula, *start;
    } bad[] = {
        {"{B}", "t.metric:2:12: " BX_UNKNOWN_EVENT("B") " [event-string]"},
        {"{A:ALL} + {A:q=1}", "t.metric:2:24: box has no modifier 'q' [event-string]"},
        {"{A}", "t.metric:2:12: A needs a unit mask [event-string]"},
        {"{box0::A:ALL}", "t.metric:2:12: a metric uses events by name, on any counter and unit "
                          "[event-string]"},
        {"{box::RAW:code=0x99:umask=1}", "t.metric:2:12: a metric uses events by name, on any "
                                         "counter and unit [event-string]"},
        {"{A:ALL", "t.metric:2:11: a '{' without its '}' [formula]"},
        {"{A:ALL}}", "t.metric:2:18: '}' where an operator or the end belongs [formula]"},
        {"2 *", "t.metric:2:14: the formula ends where a number, a name or '{event}' belongs "
                "[formula]"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[128];
        snprintf(text, sizeof text, "metric m unit \"%%\" \"x\"\n  formula %s\n", bad[i].formula);
        files[2].text = bx_str_of(text);
        assert_true(refused_as(files, 3, bad[i].start));
    }
}

static void metric_groups(void **state)
{
    static const char good[] = "metric m unit \"%\" \"x\"\n"
                               "  topics \"hit miss\"  means \"y\"  caution \"z\"\n"
                               "  source a document; with more\n"
                               "  formula 100 * {A:ALL:e=1} / {A:ALL}\n"
                               "group G \"what is asked\" topics \"cache\" metrics n m\n"
                               "metric n unit \"u\" \"stands after its group\"\n"
                               "  formula {A:ALL}\n";
    static const struct {
        const char *text, *start;
    } bad[] = {
        {"group G \"g\" metrics m\n", "t.metric:1:21: there is no such metric [reference]"},
        {"group G \"g\"\n", "t.metric:1:1: this group has no metrics [missing]"},
        {"metric m unit \"u\" \"x\"\n  formula {A:ALL}\ngroup M \"g\" metrics m\n",
         "t.metric:3:7: a metric has this name [duplicate]"},
        {"metric m unit \"u\" \"x\"\n  formula {A:ALL}\n"
         "group G \"g\" metrics m\ngroup g \"g\" metrics m\n",
         "t.metric:4:7: this name is taken by t.metric:3 [duplicate]"},
    };
    (void)state;
    bx_cat_file files[] = {{BX_STR("t.cpu"), bx_str_of(cpu_text)},
                           {BX_STR("box.pmu"), bx_str_of(pmu_text)},
                           {BX_STR("t.metric"), bx_str_of(good)}};
    bx_error e = {0};
    struct bx_catalog *c = bx_catalog_parse(files, 3, &e);
    if (!c)
        fail_msg("%s", e.message);
    const bx_cat_metric *m = &bx_cat_metrics(c)[0];
    assert_string_equal(bx_cat_z(c, m->topics), "hit miss");
    assert_string_equal(bx_cat_z(c, m->means), "y");
    assert_string_equal(bx_cat_z(c, m->caution), "z");
    assert_string_equal(bx_cat_z(c, m->source), "a document; with more");
    assert_int_equal(bx_cat_find_metric(c, 0, BX_STR("N")), 1);
    assert_int_equal(bx_cat_find_metric(c, 0, BX_STR("G")), BX_NONE);
    assert_int_equal(bx_cat_find_metric_group(c, 0, BX_STR("g")), 0);
    const bx_cat_metric_group *g = &bx_cat_metric_groups(c)[0];
    assert_string_equal(bx_cat_z(c, g->topics), "cache");
    assert_int_equal(g->members.n, 2);
    assert_int_equal(bx_cat_metric_members(c)[g->members.first].metric, 1);
    assert_true(bx_cat_metric_is_in(c, 0, g) && bx_cat_metric_is_in(c, 1, g));
    free(c);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        files[2].text = bx_str_of(bad[i].text);
        if (!refused_as(files, 3, bad[i].start))
            fail_msg("%s", bad[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_cpu_is_taken),
        cmocka_unit_test(refusals),
        cmocka_unit_test(message_has_a_picture),
        cmocka_unit_test(picture_of_a_long_line),
        cmocka_unit_test(sets_of_files),
        cmocka_unit_test(two_cpus),
        cmocka_unit_test(keys),
        cmocka_unit_test(too_many_keys),
        cmocka_unit_test(free_running),
        cmocka_unit_test(counters_of_cores),
        cmocka_unit_test(blanks_and_comments),
        cmocka_unit_test(last_line_needs_no_line_feed),
        cmocka_unit_test(addresses),
        cmocka_unit_test(passive_lines),
        cmocka_unit_test(functions),
        cmocka_unit_test(metrics),
        cmocka_unit_test(metric_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
