/* The limit of open files: each traced process needs four descriptors of ours. */
#ifndef BX_MACHINE_PROGRAM_PROCESS_FILE_LIMIT_H
#define BX_MACHINE_PROGRAM_PROCESS_FILE_LIMIT_H

#include <stdbool.h>

/* Raises our soft limit to the hard one, until the same number of calls of the second function. */
void bx_file_limit_raise(void);
void bx_file_limit_restore(void);

/* true: from now on new processes inherit the limit that we had before, and we have it, too.
 * false: the raised limit again. */
void bx_file_limit_show(bool before);

#endif
