/* Opens a session of N events, which repeat the ones given. This finds their passes and plans them.
 * usage: bench_schedule MACHINE N EVENT... */
#include <boxscore/boxscore.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const bx_error *e)
{
    fprintf(stderr, "bench_schedule: %s\n", e->message);
    return 1;
}

int main(int argc, char **argv)
{
    bx_error e = {0};
    bx_machine *machine;
    bx_session *session;
    if (argc < 4) {
        fprintf(stderr, "usage: bench_schedule MACHINE N EVENT...\n");
        return 2;
    }
    const bx_catalog *c = bx_catalog_builtin();
    size_t n = strtoul(argv[2], NULL, 10), given = (size_t)argc - 3;
    bx_evsel *events = calloc(n + given, sizeof *events);
    if (!events || bx_machine_open(c, argv[1], &machine, &e))
        return fail(&e);
    for (size_t i = 0; i < given; i++)
        if (bx_event_parse(c, bx_machine_cpu(machine), argv[3 + i], strlen(argv[3 + i]), &events[i],
                           &e))
            return fail(&e);
    for (size_t i = given; i < n; i++)
        events[i] = events[i - given];
    if (bx_session_open(machine, events, n, NULL, &session, &e))
        return fail(&e);
    printf("%u\n", bx_session_passes(session));
    bx_session_close(session);
    bx_machine_close(machine);
    free(events);
    return 0;
}
