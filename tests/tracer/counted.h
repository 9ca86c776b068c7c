/* Programs under `boxscore stat`, as users count them. */
#ifndef COUNTED_H
#define COUNTED_H

#include "cli/run.h"

#include <stdint.h>

enum { COUNTED_MOST = 40 };

#define HITM       "UNC_CBO_XSNP_RESPONSE.HITM_XCORE"
#define HIT        "UNC_CBO_XSNP_RESPONSE.HIT_XCORE"
#define LOOKUPS    "UNC_CBO_CACHE_LOOKUP.ANY_MESI"
#define READS      "UNC_CBO_CACHE_LOOKUP.READ_MESI"
#define DRAM_READS "DRAM_DATA_READS"

typedef struct counted {
    ran by;                   /* boxscore's status, and its output without the counts */
    uint64_t n[COUNTED_MOST]; /* of the events, in order */
} counted;

/* Counts events, a list with commas. The program is a part of a shell's command line, in which $P
 * is the beginning of our programs' names. options: for stat, after --machine
 * virtual:skl,part=plain. The caller frees `by`. */
counted count_events(const char *events, const char *options, const char *program);

/* Counts one event of a program, which must end with 0 and without a message. */
uint64_t count_event(const char *event, const char *options, const char *program);

/* Counts n events of a program, which must end with 0 and without a message. */
void count_them(const char *events, const char *options, const char *program, uint64_t *n);

/* The difference of the event's counts in two programs: `more` minus `than`. */
int64_t count_more(const char *event, const char *options, const char *more, const char *than);

#endif
