/* Whether a program can be started. */
#ifndef BX_MACHINE_PROGRAM_PROCESS_EXECUTABLE_H
#define BX_MACHINE_PROGRAM_PROCESS_EXECUTABLE_H

#include <boxscore/boxscore.h>
#include <stdbool.h>
#include <stddef.h>

/* Searches for a program as execvp() does. 0 if it can be executed, else ENOENT, EACCES … */
int bx_program_find(const char *name);

/* The same; its path is written to `full`. */
int bx_program_path(const char *name, char *full, size_t room);

/* Whether it gets the rights of another user or group, or capabilities, at execve(). The kernel
 * then stops counting it. */
bool bx_program_changes_rights(const char *name);

/* Whether the interpreter of the program is missing: that of a script's first line, or the dynamic
 * loader. Its path is written to `to`. */
bool bx_program_missing_interpreter(const char *name, char *to, size_t room);

/* Whether the program is a 32-bit program; for a script, its interpreter. */
bool bx_program_is_32_bit(const char *name);

/* Like bx_program_find(), with an error message: BX_NOT_FOUND or BX_NO_ACCESS. */
int bx_program_check(const char *name, bx_error *e);

/* The same, and checks that Valgrind can trace the program: it and its interpreters are for this
 * kind of processor, and none of them gets other rights. */
int bx_program_check_traceable(const char *name, bx_error *e);

#endif
