/* Records the names of the ELF files that a program maps. */
#ifndef BX_TRACER_FILE_NAMES_H
#define BX_TRACER_FILE_NAMES_H

#include "pub_tool_basics.h"

/* A file was mapped at `at`, from its begin on; the MAP has just been recorded. bytes: of the file
 * that can be read there. Reads memory only: a sandbox may forbid all else. */
void bx_name_file(ThreadId tid, Addr at, ULong bytes);

#endif
