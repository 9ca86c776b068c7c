/* The marks of programs that are instrumented for LIKWID, as regions of boxscore. With this file's
 * folder in front of LIKWID's, such a program is built unchanged, and without LIKWID's library. As
 * there, marks are empty without -DLIKWID_PERFMON. docs/reference/regions.md has what differs. */
#ifndef BOXSCORE_LIKWID_MARKER_H
#define BOXSCORE_LIKWID_MARKER_H

#ifdef LIKWID_PERFMON

#include "../region.h"

#define LIKWID_MARKER_START(regionTag) BX_REGION_BEGIN(regionTag)
#define LIKWID_MARKER_STOP(regionTag)  BX_REGION_END(regionTag)
#define LIKWID_MARKER_RESET(regionTag) BX_REGION_RESET(regionTag)

/* The counts are in boxscore's report, not in the program. */
#define LIKWID_MARKER_GET(regionTag, nevents, events, time, count)                                 \
    do {                                                                                           \
        (void)(regionTag);                                                                         \
        (void)(events);                                                                            \
        *(nevents) = 0;                                                                            \
        *(time) = 0;                                                                               \
        *(count) = 0;                                                                              \
    } while (0)

#else

#define LIKWID_MARKER_START(regionTag)
#define LIKWID_MARKER_STOP(regionTag)
#define LIKWID_MARKER_RESET(regionTag)
#define LIKWID_MARKER_GET(regionTag, nevents, events, time, count)

#endif

/* All events are counted at once, by boxscore, in all threads: there is nothing to prepare. */
#define LIKWID_MARKER_INIT
#define LIKWID_MARKER_THREADINIT
#define LIKWID_MARKER_REGISTER(regionTag)
#define LIKWID_MARKER_SWITCH
#define LIKWID_MARKER_WRITE_FILE(markerfile)
#define LIKWID_MARKER_CLOSE

#endif
