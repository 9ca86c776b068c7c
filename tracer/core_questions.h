/* Questions that boxscore answers while a thread waits. */
#ifndef BX_TRACER_CORE_QUESTIONS_H
#define BX_TRACER_CORE_QUESTIONS_H

#include "trace_format.h"

#include "pub_tool_basics.h"

/* The number of a question that this thread records next, with its own number as the place. 0: it
 * has no place for an answer. */
UInt bx_core_next_question(ThreadId tid);

/* Publishes the question, and waits for its answer. Other threads run meanwhile: the answer may
 * need what they do. If one of them ends the process, there may be no answer. */
enum bx_trace_outcome bx_core_await_answer(ThreadId tid, UInt question, ULong *value);

#endif
