/* boxscore encode: event strings to register values. */
#include "cli/cli.h"
#include "cli/selection.h"
#include "event/event.h"

typedef struct values {
    const char *cpu, *machine;
    bool json;
} values;

static const bx_option options[] = {
    BX_OPTION_CPU(values),
    BX_OPTION_MACHINE(values),
    BX_OPTION_JSON(values),
};

enum { ROOM = 256 }; /* events in one argument */

static void show(bx_cli *cli, bx_json *json, const bx_evsel *event)
{
    bx_selected s = bx_selected_encoded(cli->catalog, event);
    if (json)
        bx_selected_json(json, cli->catalog, &s);
    else
        bx_selected_text(&cli->out, cli->catalog, &s);
}

/* One argument: an event, or several with commas between them. */
static int encode(bx_cli *cli, const bx_subject *subject, const char *text, bx_json *json)
{
    bx_error e = {0};
    size_t n;
    bx_evsel *events = bx_arena_get(&cli->arena, ROOM * sizeof *events);
    if (!events)
        return bx_cli_fail("out of memory");
    if (bx_events_parse(cli->catalog, subject->cpu, text, events, ROOM, &n, &e))
        return bx_cli_reject(cli, &e, text);
    for (size_t i = 0; i < n; i++) {
        if (bx_cli_unit_exists(subject, &events[i], &e))
            return bx_cli_reject(cli, &e, text);
        show(cli, json, &events[i]);
    }
    return BX_EXIT_OK;
}

static int run(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    bx_subject subject;
    int status = bx_cli_subject(cli, v->cpu, v->machine, &subject);
    bx_json json = {.to = &cli->out};
    if (v->json)
        bx_json_open(&json, NULL, '[');
    for (size_t i = 0; !status && i < operands->n; i++)
        status = encode(cli, &subject, operands->text[i], v->json ? &json : NULL);
    if (v->json && !status) {
        bx_json_close(&json, ']');
        bx_buf_z(&cli->out, "\n");
    }
    bx_machine_close(subject.machine);
    return status;
}

const bx_command bx_command_encode = {
    .name = "encode",
    .help = "turn event strings into register values",
    .operands = "EVENT...",
    .text = "Shows what has to be in the counter's control register, and in the registers that it\n"
            "needs besides, for the lowest unit and counter that the event can be on. Enables of\n"
            "the whole box and interrupts are left out.",
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_least = 1,
    .operands_most = SIZE_MAX,
    .values_size = sizeof(values),
    .run = run,
};
