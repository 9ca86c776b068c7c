/* The limit of open files: each traced process needs four descriptors of ours. It belongs to the
 * whole process: of two tracers at once, the one that ends first sets it back. */
#ifndef BX_MACHINE_PROGRAM_PROCESS_FILE_LIMIT_H
#define BX_MACHINE_PROGRAM_PROCESS_FILE_LIMIT_H

/* Raises our soft limit to the hard one. Returns the soft limit that we had; 0: not known. */
unsigned long bx_file_limit_raise(void);

/* Sets our soft limit, if soft is not 0. Returns the soft limit that we had; 0: not known. */
unsigned long bx_file_limit_set(unsigned long soft);

#endif
