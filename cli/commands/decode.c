/* boxscore decode: turns register values into event strings. */
#include "cli/commands/commands.h"
#include "cli/common/names.h"
#include "cli/show/selection.h"
#include "event/event.h"
#include "register/register_name.h"
#include "reglog/register_word.h"
#include "event/decode/decode.h"
#include "host/perf/decode_words.h"

#include <stdio.h>
#include <string.h>

typedef struct values {
    const char *cpu, *machine, *root;
    bool json;
} values;

static const bx_option options[] = {
    BX_OPTION_CPU(values),
    BX_OPTION_MACHINE(values, machine),
    BX_OPTION_ROOT(values, root),
    BX_OPTION_JSON(values),
};

/* Fails with a part of the word as the span. */
static int refuse_word(const char *word, bx_str part, bx_error *e, const char *what,
                       const char *hint)
{
    bx_fail(e, BX_BAD_INPUT, (size_t)(part.p - word), part.n ? part.n : 1, "%s", what);
    bx_hint(e, "%s", hint);
    return BX_BAD_INPUT;
}

/* Says which register is meant if the word has the name of several. */
static void note_kind(const bx_cli *cli, unsigned cpu, const char *word)
{
    bx_str name = {word, strcspn(word, "=")};
    bx_nearest near = bx_nearest_to(name);
    bx_named_register found = bx_register_named(cli->catalog, cpu, name, &near);
    if (found.n > 1)
        bx_cli_note("%.*s names %u registers; it is read as %s", BX_QUOTED(name), found.n,
                    bx_register_word(cli->catalog, found.reg, found.unit).text);
}

/* Reads all arguments as one state of the machine, in which each register has one value. */
static int read_words(const bx_cli *cli, unsigned cpu, const bx_texts *words, bx_raw *raw,
                      size_t *at, bx_error *e)
{
    for (*at = 0; *at < words->n; ++*at) {
        const char *word = words->text[*at];
        bx_raw *here = &raw[*at];
        int code = bx_register_word_parse(cli->catalog, cpu, bx_str_of(word), here, e);
        for (size_t i = 0; i < *at && !code; i++)
            if (raw[i].space == here->space && raw[i].address == here->address)
                code = refuse_word(word, (bx_str){word, strcspn(word, "=")}, e,
                                   "this register is given twice",
                                   "all words are one reading of a machine");
        if (code)
            return code;
        note_kind(cli, cpu, word);
    }
    return BX_OK;
}

/* The index of a register among those of an event, the control register first; -1: not among
 * them. */
static int index_among(const bx_selected *s, bx_unit_register at)
{
    for (size_t i = 0; i < s->regs_n && s->unit == at.unit; i++)
        if (s->regs[i].reg == at.reg)
            return (int)i;
    return -1;
}

static void passive_text(bx_buf *to, const bx_cat_passive *p, const bx_catalog *c,
                         const bx_raw *raw)
{
    bx_buf_f(to, "%s (msr 0x%llx) = 0x%llx\n  note       it selects no event and counts none\n",
             bx_cat_z(c, p->title), (unsigned long long)raw->address,
             (unsigned long long)raw->value);
}

/* Says that the register with an event's choice, such as MSR_OFFCORE_RSP_0, is not among the words.
 */
static void note_choice(bx_buf *to, const bx_catalog *c, const bx_selected *s, const bx_raw *raw,
                        size_t raws)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[s->event.pmu];
    uint16_t place = s->regs_n ? bx_place_selected(c, pmu, s->regs[0].value) : BX_NONE;
    const bx_cat_place *p = place == BX_NONE ? NULL : &bx_cat_places(c)[place];
    bool given = !p || !p->has;
    for (size_t i = 0; !given && i < raws; i++)
        given = bx_register_is_raw(c, p->reg[0], s->unit, &raw[i]);
    if (!given)
        bx_buf_f(to, "  note       %s, which is not given, says what is counted; 0: nothing\n",
                 bx_register_word(c, p->reg[0], s->unit).text);
}

/* Prints each event at the position of its control register, and the registers that belong to no
 * event. */
static void show_events(bx_cli *cli, unsigned cpu, const bx_raw *raw, size_t raws,
                        const bx_selected *events, size_t n)
{
    const bx_catalog *c = cli->catalog;
    for (size_t i = 0; i < raws; i++) {
        bx_unit_register at = bx_register_at(c, cpu, raw[i].space, raw[i].address);
        if (at.reg == BX_NONE) {
            passive_text(&cli->out, bx_passive_at(c, cpu, &raw[i]), c, &raw[i]);
            continue;
        }
        uint64_t foreign = bx_register_invalid_bits(c, at.reg, raw[i].value);
        const bx_selected *event = NULL;
        bool shown = false;
        for (size_t j = 0; j < n && !event; j++) {
            int among = index_among(&events[j], at);
            event = among == 0 ? &events[j] : NULL;
            shown |= among > 0;
        }
        if (event) {
            bx_selected_text(&cli->out, c, event);
            note_choice(&cli->out, c, event, raw, raws);
        } else if (!shown || foreign) {
            bx_register_text(&cli->out, c, at.reg, at.unit, raw[i].value);
            bx_fields_text(&cli->out, c, at.reg, raw[i].value);
        }
        if (foreign)
            bx_buf_f(&cli->out,
                     "  note      bits 0x%llx are reserved: the register cannot hold this\n",
                     (unsigned long long)foreign);
    }
}

static void json(bx_cli *cli, const bx_selected *events, size_t n)
{
    bx_json j = {.to = &cli->out};
    bx_json_open(&j, NULL, '[');
    for (size_t i = 0; i < n; i++)
        bx_selected_json(&j, cli->catalog, &events[i]);
    bx_json_close(&j, ']');
    bx_buf_z(&cli->out, "\n");
    if (!n)
        bx_cli_note(
            "no event is selected by these registers; without --json their fields are shown");
}

/* Copies the registers of PMUs. Returns their number. */
static size_t of_pmus(const bx_catalog *c, int cpu, const bx_raw *raw, size_t n, bx_raw *to)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (bx_register_at(c, (unsigned)cpu, raw[i].space, raw[i].address).reg != BX_NONE)
            to[kept++] = raw[i];
    return kept;
}

static int decode(bx_cli *cli, int cpu, const bx_texts *words, bool as_json)
{
    bx_error e = {0};
    size_t n = 0, at;
    bx_raw *registers = bx_arena_get(&cli->arena, words->n * sizeof *registers);
    bx_raw *raw = bx_arena_get(&cli->arena, words->n * sizeof *raw);
    bx_decoded *decoded = bx_arena_get(&cli->arena, words->n * sizeof *decoded);
    bx_selected *events = bx_arena_get(&cli->arena, words->n * sizeof *events);
    if (!raw || !registers || !decoded || !events)
        return bx_cli_fail("out of memory");
    if (read_words(cli, (unsigned)cpu, words, raw, &at, &e))
        return bx_cli_error(&e, words->text[at]);
    size_t registers_n = of_pmus(cli->catalog, cpu, raw, words->n, registers);
    if (bx_decode(cli->catalog, cpu, registers, registers_n, decoded, words->n, &n, &e))
        return bx_cli_error(&e, NULL);
    for (size_t i = 0; i < n; i++)
        events[i] = bx_selected_decoded(cli->catalog, &decoded[i], raw, words->n);
    if (as_json)
        json(cli, events, n);
    else
        show_events(cli, (unsigned)cpu, raw, words->n, events, n);
    return BX_EXIT_OK;
}

/* ---- words of the kernel ---- */

/* The whole argument list is of one kind. */
static bool are_words(const bx_texts *operands)
{
    bx_str pmu;
    uint64_t words[BX_PERF_WORDS];
    for (size_t i = 0; i < operands->n; i++)
        if (!bx_perf_words_read(bx_str_of(operands->text[i]), &pmu, words))
            return false;
    return operands->n > 0;
}

static int decode_words(bx_cli *cli, int cpu, const char *root, const bx_texts *operands,
                        bool as_json)
{
    bx_perf perf;
    bx_json j = {.to = &cli->out};
    int status = BX_EXIT_OK;
    if (!bx_perf_find_pmus(root ? root : "", &cli->arena, &perf))
        return bx_cli_fail("out of memory");
    if (as_json)
        bx_json_open(&j, NULL, '[');
    for (size_t i = 0; i < operands->n; i++) {
        bx_error e = {0};
        bx_str text = bx_str_of(operands->text[i]), pmu;
        bx_kernel_words kernel = {0};
        bx_evsel event;
        bx_perf_words_read(text, &pmu, kernel.word);
        if (bx_perf_words_decode(&perf, cli->catalog, cpu, pmu, kernel.word, &event, &e)) {
            status = bx_cli_error(&e, NULL);
            continue;
        }
        bx_selected s = bx_selected_encoded(cli->catalog, &event);
        kernel.pmu = bx_arena_copy(&cli->arena, pmu);
        s.kernel = kernel.pmu ? &kernel : NULL;
        if (as_json)
            bx_selected_json(&j, cli->catalog, &s);
        else
            bx_selected_text(&cli->out, cli->catalog, &s);
    }
    if (as_json) {
        bx_json_close(&j, ']');
        bx_buf_z(&cli->out, "\n");
    }
    return status;
}

static int run_decode(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    bx_subject subject;
    int status = bx_cli_subject_in(cli, v->cpu, v->machine, v->root, &subject);
    if (!status && subject.cpu < 0)
        status = bx_cli_no_cpu(cli, "decode");
    if (!status && are_words(operands))
        status = decode_words(cli, subject.cpu, v->root, operands, v->json);
    else if (!status)
        status = decode(cli, subject.cpu, operands, v->json);
    bx_machine_close(subject.machine);
    return status;
}

static const bx_example examples[] = {
    {"boxscore decode --cpu skl 0x700=0x408834",
     "the event that a control register's value counts"},
    {"boxscore decode --cpu skl 0x186=0x4300c0 -j", "the same for a core counter, as JSON"},
    {"boxscore decode --cpu skl MSR_UNC_CBO_0_PERFEVTSEL0=408834",
     "a register by its name, and a value as rdmsr prints it"},
    {.line = NULL},
};

const bx_command bx_command_decode = {
    .name = "decode",
    .help = "turn register values into event strings",
    .operands = "[SPACE:]ADDRESS=VALUE | REGISTER=VALUE...",
    .text = "All arguments together are the registers of one machine at one time. SPACE is msr\n"
            "(the default), pci or mmio. Write addresses as 'encode' prints them: 0x700,\n"
            "pci:00:00.0+0x48, mmio:BAR+0x5050; as manuals print them, E01H; or name the\n"
            "register. Numbers without 0x and H are hexadecimal, as rdmsr prints them.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_least = 1,
    .operands_most = SIZE_MAX,
    .values_size = sizeof(values),
    .run = run_decode,
};
