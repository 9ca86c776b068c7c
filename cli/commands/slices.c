/* boxscore slices: which slice of the last-level cache serves an address, found by counting. */
#include "cli/commands/commands.h"
#include "cli/measure/slice_probe.h"

#include "base/json.h"
#include "event/hint.h"
#include "report/label.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct values {
    const char *machine, *event;
    uint64_t lines;
    bool json;
} values;

/* More lines than unknown bits: the additional lines check the result. */
enum { SAMPLES = 256, A_ROW = 16 };

static const bx_option options[] = {
    BX_OPTION_MACHINE(values, machine),
    {.name = "event",
     .letter = 'e',
     .kind = BX_OPTION_TEXT,
     .metavar = "EVENT",
     .help = "the event that each slice counts when a line is requested; without it: its misses",
     .offset = offsetof(values, event)},
    {.name = "lines",
     .kind = BX_OPTION_NUMBER,
     .metavar = "N",
     .help = "lines of the table if the slice is not an XOR of address bits; 64",
     .lo = 1,
     .hi = 1 << 16,
     .offset = offsetof(values, lines)},
    BX_OPTION_JSON(values),
};

static const values defaults = {.lines = 64};

typedef struct job {
    bx_cli *cli;
    const values *v;
    bx_slice_probe probe;
    bx_json json;
} job;

static void begin_job(job *j)
{
    bx_buf *out = &j->cli->out;
    const bx_slice_probe *p = &j->probe;
    if (!j->v->json) {
        bx_buf_f(out, "%s: %u slice%s, told apart by %s\n", bx_machine_name(p->machine), p->slices,
                 p->slices == 1 ? "" : "s", p->event);
        return;
    }
    bx_json_open(&j->json, NULL, '{');
    bx_json_text(&j->json, "machine", bx_machine_name(p->machine));
    bx_json_text(&j->json, "event", p->event);
    bx_json_number(&j->json, "slices", p->slices);
}

static void end_job(job *j)
{
    if (!j->v->json)
        return;
    bx_json_close(&j->json, '}');
    bx_buf_z(&j->cli->out, "\n");
}

/* ---- addresses ---- */

/* Addresses stand in a column of so many digits. */
static int digits_for(uint64_t highest)
{
    return snprintf(NULL, 0, "%" PRIx64, highest);
}

static void show_address(job *j, uint64_t address, int column, unsigned slice)
{
    const bx_slice_probe *p = &j->probe;
    if (!j->v->json) {
        bx_buf_f(&j->cli->out, "0x%-*" PRIx64 "  %s\n", column, address,
                 bx_label_unit(j->cli->catalog, p->selection.pmu, slice, &j->cli->arena));
        return;
    }
    bx_json_open(&j->json, NULL, '{');
    bx_json_hex(&j->json, "address", address);
    bx_json_number(&j->json, "slice", slice);
    bx_json_close(&j->json, '}');
}

static int addresses(job *j, const bx_texts *given, bx_error *e)
{
    int code = BX_OK;
    uint64_t highest = 0, address;
    for (size_t i = 0; i < given->n; i++)
        if (bx_str_u64(bx_str_of(given->text[i]), &address) && address > highest)
            highest = address;
    if (j->v->json)
        bx_json_open(&j->json, "addresses", '[');
    for (size_t i = 0; i < given->n && !code; i++) {
        unsigned slice;
        bx_str text = bx_str_of(given->text[i]);
        if (!bx_str_u64(text, &address)) {
            bx_fail(e, BX_BAD_INPUT, 0, 0, "'%s' is no address", bx_quote(text).text);
            bx_hint(e, "a number, decimal or 0x…: boxscore slices 0x12340");
            return BX_BAD_INPUT;
        }
        code = bx_slice_probe_address(&j->probe, address, &slice, e);
        if (!code)
            show_address(j, address, digits_for(highest), slice);
    }
    if (j->v->json)
        bx_json_close(&j->json, ']');
    return code;
}

/* ---- the hash ---- */

static void show_bits(bx_buf *out, uint64_t mask)
{
    for (unsigned bit = 0; bit < 64; bit++)
        if (mask >> bit & 1)
            bx_buf_f(out, " %u", bit);
}

static void show_hash(job *j, const bx_slice_hash *h)
{
    bx_buf *out = &j->cli->out;
    for (unsigned bit = 0; bit < h->bits; bit++) {
        bx_buf_f(out, "slice bit %u = %sXOR of address bits", bit,
                 h->constant >> bit & 1 ? "1 XOR " : "");
        show_bits(out, h->mask[bit]);
        bx_buf_f(out, "\n              mask 0x%" PRIx64 "\n", h->mask[bit]);
    }
    bx_buf_f(out, "Found with %u lines; %zu of them only confirm the others.\n", SAMPLES,
             h->checks);
    if (h->unseen) {
        bx_buf_z(out, "Not told apart, and taken as in no mask: bits");
        show_bits(out, h->unseen);
        bx_buf_z(out, "\n");
    }
}

static void json_hash(job *j, const bx_slice_hash *h)
{
    bx_json_open(&j->json, "masks", '[');
    for (unsigned bit = 0; bit < h->bits; bit++)
        bx_json_hex(&j->json, NULL, h->mask[bit]);
    bx_json_close(&j->json, ']');
    bx_json_number(&j->json, "constant", h->constant);
    bx_json_number(&j->json, "lines", SAMPLES);
    bx_json_number(&j->json, "confirming", (int64_t)h->checks);
    bx_json_hex(&j->json, "not-told-apart", h->unseen);
}

/* Shows lines and their slices: on a virtual machine the lines from address 0 on, on a host the
 * lines of our memory. */
static int table(job *j, const bx_slice_sample *samples, bx_error *e)
{
    bool dense = !j->probe.memory;
    size_t n = dense || j->v->lines < SAMPLES ? j->v->lines : SAMPLES;
    bx_buf *out = &j->cli->out;
    uint64_t highest = 0;
    for (size_t i = 0; !dense && i < n; i++)
        highest = samples[i].address > highest ? samples[i].address : highest;
    if (j->v->json)
        bx_json_open(&j->json, "addresses", '[');
    else
        bx_buf_f(out, "No XOR of address bits gives them. The slice%s:\n",
                 dense ? "s of lines, 16 a row" : " of each line");
    for (size_t i = 0; i < n; i++) {
        bx_slice_sample line =
            dense ? (bx_slice_sample){.address = i << BX_LINE_SHIFT} : samples[i];
        int code = dense ? bx_slice_probe_address(&j->probe, line.address, &line.slice, e) : BX_OK;
        if (code)
            return code;
        if (j->v->json || !dense) {
            show_address(j, line.address, digits_for(highest), line.slice);
            continue;
        }
        if (i % A_ROW == 0)
            bx_buf_f(out, "%s0x%08" PRIx64 " ", i ? "\n" : "", line.address);
        bx_buf_f(out, " %2u", line.slice);
    }
    if (j->v->json)
        bx_json_close(&j->json, ']');
    else if (dense)
        bx_buf_z(out, "\n");
    return BX_OK;
}

static int hash(job *j, bx_error *e)
{
    bx_slice_sample samples[SAMPLES];
    bx_slice_hash h;
    for (size_t i = 0; i < SAMPLES; i++) {
        int code = bx_slice_probe_next(&j->probe, i, &samples[i], e);
        if (code)
            return code;
    }
    if (!bx_slice_hash_solve(samples, SAMPLES, j->probe.slices, j->probe.top, &h))
        return table(j, samples, e);
    (j->v->json ? json_hash : show_hash)(j, &h);
    return BX_OK;
}

static int run_slices(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    const char *spec = v->machine ? v->machine : bx_cli_first_machine(cli);
    job j = {.cli = cli, .v = v, .probe.pagemap = -1, .json.to = &cli->out};
    bx_error e = {0};
    bx_machine *m = NULL;
    const char *about = spec;
    int code = bx_machine_open(cli->catalog, spec, &m, &e);
    if (!code && bx_cli_need_cpu(m)) {
        bx_machine_close(m);
        return BX_EXIT_ERROR;
    }
    if (!code) {
        about = v->event;
        code = bx_slice_probe_open(&j.probe, m, v->event, &cli->arena, &e);
    }
    if (!code) {
        about = NULL;
        begin_job(&j);
        code = operands->n ? addresses(&j, operands, &e) : hash(&j, &e);
        end_job(&j);
    }
    bx_slice_probe_close(&j.probe);
    bx_machine_close(m);
    return code ? bx_cli_reject(cli, &e, about) : BX_EXIT_OK;
}

static const bx_example examples[] = {
    {"boxscore slices --machine virtual:skl", "the hash that distributes lines over the slices"},
    {"boxscore slices --machine virtual:skl 0x12340 0x12380", "the slices of two addresses"},
    {.line = NULL},
};

const bx_command bx_command_slices = {
    .name = "slices",
    .help = "find which slice of the last-level cache serves an address, by counting",
    .operands = "[ADDRESS...]",
    .text = "boxscore accesses each line; the C-Box whose count of misses rises serves the line.\n"
            "Without ADDRESS, boxscore uses random lines to find the address bits that select the\n"
            "slice. It prints them as XOR masks, or as a table if XOR masks do not fit. A host\n"
            "needs root.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof *options,
    .operands_most = SIZE_MAX,
    .defaults = &defaults,
    .values_size = sizeof(values),
    .run = run_slices,
};
