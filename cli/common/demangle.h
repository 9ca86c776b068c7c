/* Names of linkers as their sources have them: of C++ and Rust. */
#ifndef BX_CLI_COMMON_DEMANGLE_H
#define BX_CLI_COMMON_DEMANGLE_H

/* Free the result. NULL: it is no such name, out of memory, or boxscore was built without
 * libiberty. */
char *bx_demangle(const char *name);

#endif
