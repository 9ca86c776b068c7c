/* Control records of the trace. */
#ifndef BX_TRACER_RECORDS_H
#define BX_TRACER_RECORDS_H

#include "trace_format.h"

#include "pub_tool_basics.h"
#include "pub_tool_threadstate.h"

ULong bx_time(void); /* the time, as in trace_format.h */

/* What follows belongs to this thread: writes THREAD if that has changed. */
void bx_record_thread(ThreadId tid);

/* Writes a record of this thread; VG_INVALID_THREADID: of no thread. */
void bx_record(ThreadId tid, enum bx_trace_control_kind kind, UInt value, const ULong *words,
               UInt n);
#define BX_RECORD(tid, kind, value, ...)                                                           \
    bx_record(tid, kind, value, (const ULong[]){__VA_ARGS__},                                      \
              sizeof((const ULong[]){__VA_ARGS__}) / sizeof(ULong))

/* Writes a record that ends with a text. A text that is too long is cut. */
void bx_record_path(ThreadId tid, enum bx_trace_control_kind kind, UInt value, const HChar *text);

/* Ends the trace of this process, once. After EXEC it may go on. */
void bx_record_end(enum bx_trace_end how);
Bool bx_record_has_ended(void);

void bx_records_restart(void); /* call it when a new ring begins */

#endif
