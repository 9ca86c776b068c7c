/* One process of a traced program: its ring, what it waits for, and its end. */
#ifndef BX_MACHINE_PROGRAM_TRACE_PROCESS_H
#define BX_MACHINE_PROGRAM_TRACE_PROCESS_H

#include "machine/program/trace/member.h"

#include <sys/types.h>

typedef struct bx_trace_process bx_trace_process;

/* Makes the process of a HELLO. Takes ownership of the descriptors. pid: in our namespace. cut: the
 * HELLO has lost some of them. NULL: no memory, or no descriptors for it, which is noted. */
bx_trace_process *bx_trace_process_new(bx_trace_family *family, const bx_trace_message *hello,
                                       pid_t pid, const int fd[BX_TRACE_FDS], bool cut);
void bx_trace_process_free(bx_trace_process *p); /* kills it; it must not be in the family's list */
/* Stops the process (SIGSTOP) if bx_trace_process_free() will kill it. */
void bx_trace_process_stop(const bx_trace_process *p);
bx_trace_process *bx_trace_process_of(bx_trace_member *m); /* NULL if that is NULL */

ino_t bx_trace_process_leash(const bx_trace_process *p); /* its number as a file; 0: none */

/* Decodes the words that are there, up to some thousand, or copies them into the family's file.
 * false: there are none now, or the process waits for another one. */
bool bx_trace_process_read(bx_trace_process *p);

/* Call this when nothing was read. Ends the process if its trace is complete. false: the trace is
 * not complete, or another process waits for that end. */
bool bx_trace_process_is_done(bx_trace_process *p);

int bx_trace_process_end(const bx_trace_process *p); /* a descriptor, readable once it has ended */
bool bx_trace_process_ask_for_bell(bx_trace_process *p, bool ask); /* as bx_ring_ask_for_bell() */

/* Call this when there were no words for some time: notices that a signal has stopped the process.
 */
void bx_trace_process_look(bx_trace_process *p);

/* Passes an answer on to the tracer. false: another process has asked. */
bool bx_trace_process_answer(bx_trace_process *p, const bx_question *answered);

bool bx_trace_process_has_ended(const bx_trace_process *p); /* its ring may still have words */

const bx_trace_life *bx_trace_process_life(const bx_trace_process *p);
uint32_t bx_trace_process_number(const bx_trace_process *p);

/* Whether it is counted, and has not said that it ends. */
bool bx_trace_process_is_counted(const bx_trace_process *p);

/* Whether it executes another program, whose hello has not come yet. */
bool bx_trace_process_executes(const bx_trace_process *p);

/* The process continues to run, but its trace is not read. */
void bx_trace_process_let_go(bx_trace_process *p);

#endif
