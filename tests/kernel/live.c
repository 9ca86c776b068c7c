/* Implements live.h. */
#include "live.h"

#include "../cmocked.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(const char *variable, const char *what)
{
    if (getenv(variable))
        return;
    print_message("skipped: %s is not built\n", what);
    skip();
}

/* The sum of a metric's series; each is a line "NAME{LABELS} VALUE". Fails if there is none. */
static uint64_t sum_of(const char *text, const char *name)
{
    uint64_t sum = 0, value;
    size_t n = strlen(name), found = 0;
    for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
        if (strncmp(line, name, n) == 0 && line[n] == '{' &&
            sscanf(line + n, "%*[^}]} %" SCNu64, &value) == 1) {
            sum += value;
            found++;
        }
    if (!found)
        fail_msg("no %s in:\n%s", name, text);
    return sum;
}

static int begin(rig *r, const char *name, const live_metric *metrics)
{
    char events[512] = "";
    for (const live_metric *m = metrics; m->event; m++)
        snprintf(events + strlen(events), sizeof events - strlen(events), "%s%s",
                 m > metrics ? "," : "", m->event);
    int pid = program_begin(r->d.guest, ROOT,
                            "/bin/boxscore-serve --machine host -I 20ms --textfile "
                            "/tmp/%s.reached -e %s",
                            name, events);
    if (!program_reached(r->d.guest, name, pid)) {
        printed p = program_end(r->d.guest, pid);
        fail_msg("status %d:\n%s", p.status, p.text);
    }
    return pid;
}

void live_serves(rig *r, const live_metric *metrics, const char *work)
{
    need("SERVE", "boxscore-serve");
    measured m = {0};
    char name[16], path[32];
    snprintf(name, sizeof name, "p%u", ++r->pauses);
    snprintf(path, sizeof path, "/tmp/%s.reached", name);
    int pid = begin(r, name, metrics); /* the file is there after the first interval */
    for (; metrics[m.n].event; m.n++) {
        measured one;
        measured_events(&one, r, metrics[m.n].event);
        m.events[m.n] = one.events[0];
    }
    m.truth = rig_watch(r, m.events, m.n);
    rig_work(r, work);
    rig_truth_end(&m.truth);
    guest_ask(r->d.guest, "stop %d", pid);
    printed said = program_end(r->d.guest, pid), file = program_file(r->d.guest, path);
    if (said.status != 128 + 15 || !strstr(file.text, "\nboxscore_up 0\n"))
        fail_msg("status %d:\n%s%s", said.status, said.text, file.text);
    for (size_t i = 0; i < m.n; i++)
        if (sum_of(file.text, metrics[i].name) != measured_truth(&m, i) || !measured_truth(&m, i))
            fail_msg("%s: the model counts %" PRIu64 ":\n%s", metrics[i].name,
                     measured_truth(&m, i), file.text);
    bx_session_close(m.truth.session);
    free(said.text);
    free(file.text);
}

void live_shows(rig *r, const char *events, const char *const *words)
{
    need("TOP", "boxscore-top");
    char command[256];
    snprintf(command, sizeof command, "/bin/boxscore-top --batch -n 2 -I 20ms -a -e %s", events);
    says(r, ROOT, command, 0, words);
}
