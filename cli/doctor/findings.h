/* The findings of `doctor`: topics, what was found, and the commands that remove obstacles. */
#ifndef BX_CLI_DOCTOR_FINDINGS_H
#define BX_CLI_DOCTOR_FINDINGS_H

#include "host/discover/probe.h"
#include "host/host.h"
#include "base/buf.h"
#include "cli/common/cli.h"

typedef struct bx_finding {
    const char *topic; /* NULL: same as the one before */
    const char *text;
    bool todo;
    bool of_machine; /* the topic is the machine; false: the user of boxscore, or software that runs
                        now */
} bx_finding;

typedef struct bx_findings {
    bx_arena *arena; /* texts are stored there */
    bx_finding *list;
    size_t n, room;
} bx_findings;

/* Add a topic with its first line, a topic of the machine itself, a further line, and something to
 * do. */
void bx_find(bx_findings *f, const char *topic, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void bx_find_of_machine(bx_findings *f, const char *topic, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void bx_find_more(bx_findings *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bx_find_todo(bx_findings *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* To be called with an error that a finding reports or ignores. A lack of memory makes the findings
 * fail. */
void bx_find_error(bx_findings *f, const bx_error *e);

/* of_machine: only topics of the machine itself. */
void bx_findings_text(const bx_findings *f, bool of_machine, bx_buf *to);

/* The first one with something to do, as one line: "CPU: not in the catalogue -> count on …". */
void bx_findings_first(const bx_findings *f, bx_buf *to);

/* [{"topic": …, "says": […], "todo": […]}, …] */
void bx_findings_json(const bx_findings *f, bx_buf *to);

/* ---- checks; root: the machine's folder, "" for this one; helper: socket, or NULL ---- */

/* Makes all checks. f->arena->failed: out of memory. */
void bx_doctor_find(bx_findings *f, const bx_catalog *c, const char *root, const char *helper);

/* Whether the kernel of a host offers no hardware counters, neither of cores nor outside them. */
bool bx_doctor_finds_no_counters(const char *root, bx_arena *arena);

/* Access to registers: devices, drivers, the helper, and our own rights. */
void bx_doctor_ways(bx_findings *f, const bx_catalog *c, const char *root, const char *helper,
                    const bx_probe *p);

/* User and capabilities. */
void bx_doctor_rights(bx_findings *f);

/* Whether perf_event_paranoid does not restrict us. */
bool bx_doctor_may_perf(void);

/* Each PMU that the catalogue describes, and how it can be counted. */
void bx_doctor_pmus(bx_findings *f, const bx_host *h);

/* Energies, sleep states, clocks, cgroups and resctrl: what the kernel counts beside its PMUs of
 * cores and uncore. */
void bx_doctor_beside(bx_findings *f, const char *root, const bx_probe *p);

/* Other software that counts, and journals of killed measurements. h: NULL if it cannot be opened.
 */
void bx_doctor_others(bx_findings *f, const bx_host *h, const char *root);

#endif
