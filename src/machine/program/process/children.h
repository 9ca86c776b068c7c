/* Finds the children of a process that nobody traces, so that they are named. */
#ifndef BX_MACHINE_PROGRAM_PROCESS_CHILDREN_H
#define BX_MACHINE_PROGRAM_PROCESS_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { BX_CHILD_NAME = 64 };

/* Calls `found` with each child that the process has now. */
void bx_children_look(pid_t of, void (*found)(void *context, pid_t child, const char *name),
                      void *context);

/* Whether a process that has ended, and that nobody has waited for, has waited for children. */
bool bx_children_were_there(pid_t of);

/* The name of the program that a process executes; under a tool of Valgrind, of the program that
 * the tool runs: the word after its options. */
void bx_children_name(pid_t pid, char name[BX_CHILD_NAME]);

#endif
