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
    ran by;                   /* boxscore: its status, and all that came out of it but the counts */
    uint64_t n[COUNTED_MOST]; /* of the events, in their order */
} counted;

/* Counts events, in a list with commas. The program is a part of a shell's command line, in which
 * $P is the beginning of the names of our programs. options: of stat, with --machine virtual:skl
 * before them. by is freed by the caller. */
counted count_events(const char *events, const char *options, const char *program);

/* One event of a program that ends with 0 and without a message. */
uint64_t count_event(const char *event, const char *options, const char *program);

/* Events of a program that ends with 0 and without a message: n of them. */
void count_them(const char *events, const char *options, const char *program, uint64_t *n);

/* How many more there are of each of the two programs: of `more` than of `than`. */
int64_t count_more(const char *event, const char *options, const char *more, const char *than);

#endif
