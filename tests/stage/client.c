/* Implements client.h. */
#include "stage/client.h"

#include "../cmocked.h"
#include "stage/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 6000, PACKAGES = 4 };

/* The events, separated by commas. truth: those that are really counted. */
static void list(char *to, size_t room, const likwid_case *c, int truth)
{
    size_t at = 0;
    for (size_t i = 0; i < c->n; i++) {
        const likwid_event *e = &c->events[i];
        at += (size_t)snprintf(to + at, room - at, "%s%s", i ? "," : "",
                               truth && e->truth ? e->truth : e->name);
        assert_true(at < room);
    }
}

/* The first CPU of each package. */
static void pins(char *to, size_t room, const likwid_case *c)
{
    size_t at = 0;
    for (unsigned i = 0; i < c->packages; i++)
        at += (size_t)snprintf(to + at, room - at, "%s%u", i ? "," : "", i * c->cores);
}

static ran likwid(const likwid_case *c)
{
    char script[ROOM + 1024], events[ROOM], cpus[64];
    list(events, sizeof events, c, 0);
    pins(cpus, sizeof cpus, c);
    snprintf(script, sizeof script,
             LIKWID_WHOLE "whole %s,packages=%u,cores=%u %s -O -f -c %s -g '%s'\n"
                          "grep -A 100 '^TABLE,Group 1 Raw' $D.csv | grep 'BOX' || cat $D.csv >&2\n"
                          "grep warning: $D.text >&2; rm -f $D.text $D.csv",
             c->machine, c->packages, c->cores, c->work, cpus, events);
    return play(script);
}

static ran truth(const likwid_case *c)
{
    char script[ROOM + 1024], events[ROOM];
    list(events, sizeof events, c, 1);
    snprintf(script, sizeof script,
             "$B stat --machine %s,packages=%u,cores=%u -w '%s' --per-unit --passes repeat -x, \\\n"
             "  -e '%s'",
             c->machine, c->packages, c->cores, c->work, events);
    return play(script);
}

/* LIKWID's line of an event: "NAME,COUNTER:OPTIONS,COUNT,COUNT". */
static void read_likwid(const char *out, const likwid_event *e, unsigned packages, double *counts)
{
    char start[160];
    snprintf(start, sizeof start, "\n%s,", e->name);
    *strchr(start, ':') = ',';
    const char *line = strstr(out, start);
    if (!line)
        fail_msg("LIKWID has no line for %s:%s", e->name, out);
    line += strlen(start);
    for (unsigned i = 0; i < packages; i++) {
        char *end;
        counts[i] = strtod(line, &end);
        if (end == line)
            fail_msg("%s: no count in %.40s", e->name, line);
        line = end + 1;
    }
}

/* Lines of `stat`, in the order of events, for each event one a package: "S0,C-Box 0,COUNT,…". */
static const char *read_truth(const char *line, unsigned packages, double *counts)
{
    for (unsigned i = 0; i < packages; i++) {
        assert_true(line[0] == 'S' && line[1] == '0' + (int)i && line[2] == ',');
        counts[i] = strtod(strchr(line + 3, ',') + 1, NULL);
        line = strchr(line, '\n') + 1;
    }
    return line;
}

/* What stat says besides its counts: cautions of the events, each after the event's name. */
static void assert_cautions(const ran *ours)
{
    static const char start[] = "boxscore: ";
    char name[64];
    if (*ours->err == '\0')
        return;
    assert_int_equal(strncmp(ours->err, start, strlen(start)), 0);
    assert_int_equal(sscanf(ours->err + strlen(start), "%63[A-Z0-9_]: ", name), 1);
    assert_non_null(strstr(ours->out, name));
    assert_ptr_equal(strchr(ours->err, '\n') + 1, ours->err + strlen(ours->err)); /* one line */
}

void likwid_agrees(const likwid_case *c)
{
    ran theirs = likwid(c), ours = truth(c);
    char out[2 * ROOM];
    snprintf(out, sizeof out, "\n%s", theirs.out);
    assert_string_equal(theirs.err, c->warnings);
    assert_cautions(&ours);
    const char *line = ours.out;
    unsigned seen = 0;
    for (size_t i = 0; i < c->n; i++) {
        double got[PACKAGES], expected[PACKAGES];
        read_likwid(out, &c->events[i], c->packages, got);
        line = read_truth(line, c->packages, expected);
        for (unsigned p = 0; p < c->packages; p++) {
            got[p] *= c->events[i].scale ? c->events[i].scale : 1;
            if (got[p] != expected[p])
                fail_msg("%s, package %u: LIKWID has %.0f, counted were %.0f\n%s%s",
                         c->events[i].name, p, got[p], expected[p], theirs.out, ours.out);
            seen += expected[p] != 0;
        }
    }
    if (seen < c->seen)
        fail_msg("only %u counts are not 0\n%s", seen, theirs.out);
    ran_free(&theirs);
    ran_free(&ours);
}
