/* Scripted signals in place of a machine model: each source has one level for each cycle. */
#ifndef BX_TESTS_VPMU_SCRIPT_H
#define BX_TESTS_VPMU_SCRIPT_H

#include "seam/signal.h"

enum { SCRIPT_CYCLES = 4096, SCRIPT_SOURCES = 24, SCRIPT_WATCHES = 4096 };
enum { SCRIPT_ANY = 0xffff }; /* as a source's code: it is seen with all codes and unit masks */

/* Positions of the PMUs in the line "boxes" of catalog/skl/skl.cpu. */
enum { BOX_CBO = 1, BOX_ARB = 2, BOX_CLOCK = 3, BOX_IMC = 4 };

/* How levels are reported to a watch: seam/signal.h allows all three. */
enum script_style {
    SCRIPT_PULSES, /* each cycle alone, after it has ended */
    SCRIPT_OPEN,   /* changes only, each as an open level, after its first cycle has ended */
    SCRIPT_RUNS,   /* runs of equal levels, at their beginning */
};

struct script_source {
    uint16_t box, unit, code;
    uint32_t umask;
    enum script_style style;
    uint64_t sum;                  /* the tally; its value at power-on can be set */
    uint32_t level[SCRIPT_CYCLES]; /* later cycles have the level of the last one */
};

struct script_watch {
    struct script_source *source; /* NULL: free */
    uint32_t reported;
    bx_selection sel; /* what it watches */
    bool relaxed;     /* its reports may make no alarm earlier: script.c checks it */
};

struct script {
    bx_signals signals;
    bx_watcher *watcher;
    uint64_t now, alarm;
    struct script_source source[SCRIPT_SOURCES];
    unsigned sources;
    struct script_watch watch[SCRIPT_WATCHES];
    const struct script_watch *reporting; /* NULL: none is being reported */
};

void script_init(struct script *s);

/* Adds a source whose levels are 0. */
struct script_source *script_add(struct script *s, uint16_t box, uint16_t unit, uint16_t code,
                                 uint32_t umask);
void script_set(struct script_source *source, uint64_t from, uint64_t cycles, uint32_t level);

/* Adds a source with the same level in all cycles. */
struct script_source *script_hold(struct script *s, uint16_t box, uint16_t unit, uint16_t code,
                                  uint32_t umask, uint32_t level);

/* Levels up to `most` in random runs of up to `longest` cycles, reported in a random way; more
 * often low than high. */
void script_scribble(struct script_source *source, uint64_t *seed, unsigned longest, uint32_t most);

/* The source of that signal; NULL: it is not produced. */
struct script_source *script_find(struct script *s, uint16_t box, uint16_t unit, uint16_t code,
                                  uint32_t umask);
uint32_t script_level(const struct script_source *source, uint64_t cycle);

void script_pass(struct script *s, uint64_t cycles);

#endif
