/* Facts that belong beside the counts. */
#ifndef BX_TRACER_NOTES_H
#define BX_TRACER_NOTES_H

#include "trace_format.h"

#include "pub_tool_basics.h"
#include "pub_tool_threadstate.h"

/* Records a fact about the program, after its name: "'NAME' TEXT". A process tells few facts of a
 * kind. VG_INVALID_THREADID: of no thread. */
void bx_note(ThreadId tid, enum bx_trace_note kind, const HChar *format, ...)
    __attribute__((format(printf, 3, 4)));

void bx_notes_fork(void); /* in a child, which has told no facts */

/* "ADDRESS, FUNCTION+OFFSET in FILE" of code, as far as it is known. to: [BX_PLACE_ROOM] */
enum { BX_PLACE_ROOM = 256 };
void bx_note_place(Addr at, HChar *to);

#endif
