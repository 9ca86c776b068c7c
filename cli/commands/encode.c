/* boxscore encode: turns event strings into register values. */
#include "cli/commands/commands.h"
#include "machine/machine.h"
#include "cli/show/selection.h"
#include "event/foreign/libpfm.h"
#include "event/parse/list.h"
#include "measure/machines.h"
#include "measure/remarks.h"
#include "pfm/calls.h"
#include "pfm/tabled.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct values {
    const char *cpu, *machine, *root;
    bool json, libpfm;
} values;

static const bx_option options[] = {
    BX_OPTION_CPU(values),
    BX_OPTION_MACHINE(values, machine),
    BX_OPTION_ROOT(values, root),
    BX_OPTION_JSON(values),
    {
        .name = "libpfm",
        .kind = BX_OPTION_FLAG,
        .help = "print the code words that libpfm4 gives; '-' reads events from stdin",
        .offset = offsetof(values, libpfm),
    },
};

/* What the kernel does not take is an error; other events are still shown. */
static int show_event(bx_cli *cli, bx_json *json, bx_perf *perf, const bx_evsel *event,
                      const char *text)
{
    bx_selected s = bx_selected_encoded(cli->catalog, event);
    bx_kernel_words kernel;
    int status = BX_EXIT_OK;
    if (perf && !bx_kernel_words_of(perf, cli->catalog, event, &kernel))
        return bx_cli_fail("out of memory");
    s.kernel = perf ? &kernel : NULL;
    if (perf && kernel.refused) {
        kernel.error.at = event->at;
        kernel.error.len = event->len;
        status = bx_cli_error(&kernel.error, text);
    }
    if (json)
        bx_selected_json(json, cli->catalog, &s);
    else
        bx_selected_text(&cli->out, cli->catalog, &s);
    return status;
}

/* One argument: an event, or several separated by commas. */
static int encode(bx_cli *cli, const bx_subject *subject, bx_perf *perf, const char *text,
                  bx_json *json, int *refused)
{
    bx_error e = {0};
    size_t n, room = bx_events_most(text);
    bx_evsel *events = bx_arena_get(&cli->arena, room * sizeof *events);
    if (!events)
        return bx_cli_fail("out of memory");
    if (bx_events_parse(cli->catalog, subject->cpu, text, events, room, &n, &e))
        return bx_cli_reject(cli, &e, text);
    if (subject->machine)
        bx_note_nodes(&bx_cli_listener, &subject->machine->topology, events, n);
    for (size_t i = 0; i < n; i++) {
        if (subject->machine && bx_machine_unit_exists(subject->machine, &events[i], &e))
            return bx_cli_reject(cli, &e, text);
        if (show_event(cli, json, perf, &events[i], text))
            *refused = BX_EXIT_ERROR;
    }
    return BX_EXIT_OK;
}

/* ---- libpfm4's answers ---- */

/* Encodes an event of a PMU that is a table: of the kernel, or of a core. */
static int libpfm_tabled(bx_cli *cli, int cpu, const char *text, bx_pfm_code *to)
{
    unsigned active = 0;
    for (unsigned i = 0; i < BX_TABLED_PMUS; i++)
        active |= (unsigned)bx_tabled_is_of(bx_tabled_pmus[i], cli->catalog, cpu) << i;
    bx_tabled_event event;
    bx_tabled_words words;
    bx_buf spelled = {0};
    int code = bx_tabled_read(text, BX_PFMLIB_OS_NONE, active, ~0u, &event);
    if (!code)
        code = bx_tabled_encode(&event, BX_PFMLIB_OS_NONE, BX_PFM_PLM0 | BX_PFM_PLM3, &words,
                                &spelled);
    bx_buf_free(&spelled);
    if (code)
        return code;
    to->words = words.n;
    memcpy(to->word, words.word, sizeof words.word);
    return BX_PFM_SUCCESS;
}

/* Writes one line: the code words, or the reason why there are none. */
static int libpfm_line(bx_cli *cli, int cpu, const char *text)
{
    bx_error e = {0};
    bx_pfm_code encoded;
    int code =
        bx_pfm_encode(cli->catalog, cpu, bx_str_of(text), BX_PFM_PLM0 | BX_PFM_PLM3, &encoded, &e);
    if (code == BX_PFM_NOTFOUND) {
        code = libpfm_tabled(cli, cpu, text, &encoded);
        if (code != BX_PFM_NOTFOUND && code != BX_PFM_SUCCESS) {
            e = (bx_error){0};
            bx_fail(&e, code, 0, strlen(text), "%s", pfm_strerror(code));
        }
    }
    if (code == BX_NO_MEMORY)
        return bx_cli_error(&e, NULL);
    if (code != BX_OK) {
        bx_buf_f(&cli->out, "error: %s\n", e.message);
        return BX_EXIT_OK;
    }
    for (unsigned i = 0; i < encoded.words; i++)
        bx_buf_f(&cli->out, "%s0x%" PRIx64, i ? " " : "", encoded.word[i]);
    bx_buf_z(&cli->out, "\n");
    return BX_EXIT_OK;
}

static int libpfm_stdin(bx_cli *cli, int cpu)
{
    char *line = NULL;
    size_t room = 0;
    int status = BX_EXIT_OK;
    while (!status && getline(&line, &room, stdin) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        status = libpfm_line(cli, cpu, line);
    }
    if (!status && !feof(stdin))
        status = bx_cli_fail("cannot read standard input: %s", strerror(errno));
    free(line);
    return status;
}

/* PMUs are active only if --cpu is given; a string may then leave out its PMU. */
static int run_libpfm(bx_cli *cli, const values *v, const bx_texts *operands)
{
    bx_subject subject = {.cpu = -1};
    int status = v->cpu || v->machine ? bx_cli_subject(cli, v->cpu, v->machine, &subject) : 0;
    for (size_t i = 0; !status && i < operands->n; i++) {
        if (strcmp(operands->text[i], "-") == 0)
            status = libpfm_stdin(cli, subject.cpu);
        else
            status = libpfm_line(cli, subject.cpu, operands->text[i]);
    }
    bx_machine_close(subject.machine);
    return status;
}

static int run_encode(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    bx_subject subject;
    if (v->libpfm && v->json) {
        bx_cli_fail("--libpfm and --json ask for two formats");
        return BX_EXIT_USAGE;
    }
    if (v->libpfm)
        return run_libpfm(cli, v, operands);
    int status = bx_cli_subject_in(cli, v->cpu, v->machine, v->root, &subject), refused = 0;
    bx_json json = {.to = &cli->out};
    bx_perf perf;
    if (!status && v->root && !bx_perf_find_pmus(v->root, &cli->arena, &perf))
        status = bx_cli_fail("out of memory");
    if (v->json)
        bx_json_open(&json, NULL, '[');
    for (size_t i = 0; !status && i < operands->n; i++)
        status = encode(cli, &subject, v->root ? &perf : NULL, operands->text[i],
                        v->json ? &json : NULL, &refused);
    if (v->json && !status) {
        bx_json_close(&json, ']');
        bx_buf_z(&cli->out, "\n");
    } else if (v->json) {
        cli->out.n = 0; /* drop the incomplete array */
    }
    bx_machine_close(subject.machine);
    return status ? status : refused;
}

static const bx_example examples[] = {
    {"boxscore encode UNC_CBO_CACHE_LOOKUP:ANY_I",
     "the register that counts an event, and its value"},
    {"boxscore encode --cpu skl uncore_cbox_0/event=0x34,umask=0x8f/",
     "an event in the spelling of perf"},
    {.line = NULL},
};

const bx_command bx_command_encode = {
    .name = "encode",
    .help = "turn event strings into register values",
    .operands = "EVENT...",
    .text = "Shows the values of the counter's control register and of the other registers that\n"
            "the event needs, for the lowest unit and counter that can count the event. Enables\n"
            "of the whole box and interrupts are not included. --libpfm prints one line for each\n"
            "event instead: the result of libpfm4 4.13 for PFM_OS_NONE, or \"error: …\".",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_least = 1,
    .operands_most = SIZE_MAX,
    .values_size = sizeof(values),
    .run = run_encode,
};
