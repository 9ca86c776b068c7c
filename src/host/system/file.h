/* Files of the machine whose file system lies under a folder; "" for this one. */
#ifndef BX_HOST_SYSTEM_FILE_H
#define BX_HOST_SYSTEM_FILE_H

#include "base/str.h"

/* A descriptor that programs which are started do not get; -1 with errno. Where the file is a pipe,
 * nobody is waited for. */
int bx_file_open(const char *root, const char *file, int flags);

/* For reading and writing; where that is refused for reading only, if it is allowed. */
int bx_file_open_device(const char *root, const char *file);

/* Whether it is there, be it a file or a folder that may not be opened. */
bool bx_file_exists(const char *root, const char *file);

/* The beginning of a file, at most `room` bytes; empty if it cannot be read. */
bx_str bx_file_read(const char *root, const char *file, char *to, size_t room);

/* Writes all of it; 0 or an errno. A pipe that nobody reads, or a file at its size limit, is an
 * error and not the end of the process, which may have registers to put back. */
int bx_file_write(int fd, const char *bytes, size_t n);

/* A file that holds one number from -1000000 to 1000000. */
bool bx_file_number(const char *root, const char *file, int *value);

#endif
