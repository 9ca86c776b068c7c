/* Control records of the trace. */
#ifndef BX_TRACER_RECORDS_H
#define BX_TRACER_RECORDS_H

#include "trace_format.h"

#include "pub_tool_basics.h"
#include "pub_tool_threadstate.h"

ULong bx_time(void); /* as trace_format.h has it */

/* What follows belongs to this thread; THREAD, unless it does already. */
void bx_record_thread(ThreadId tid);

/* A record of this thread; VG_INVALID_THREADID: of none. */
void bx_record(ThreadId tid, enum bx_trace_control_kind kind, UInt value, const ULong *words,
               UInt n);
#define BX_RECORD(tid, kind, value, ...)                                                           \
    bx_record(tid, kind, value, (const ULong[]){__VA_ARGS__},                                      \
              sizeof((const ULong[]){__VA_ARGS__}) / sizeof(ULong))

/* One that ends with a text; it is cut if it is too long. */
void bx_record_path(ThreadId tid, enum bx_trace_control_kind kind, UInt value, const HChar *text);

void bx_records_restart(void); /* with a new ring */

#endif
