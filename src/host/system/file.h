/* Files of a machine whose file system lies under a folder; "" for this machine. */
#ifndef BX_HOST_SYSTEM_FILE_H
#define BX_HOST_SYSTEM_FILE_H

#include "base/buf.h"

#include <dirent.h>

/* Opens a file with O_CLOEXEC and without waiting for the other end of a pipe; -1 with errno. */
int bx_file_open(const char *root, const char *file, int flags);

/* Opens a folder for readdir(); NULL with errno. *no_memory is set if memory ran out. */
DIR *bx_file_open_folder(const char *root, const char *folder, bool *no_memory);

/* Opens for reading and writing; if that is refused, for reading only. */
int bx_file_open_device(const char *root, const char *file);

/* Whether the file or folder exists, even if it may not be opened. */
bool bx_file_exists(const char *root, const char *file);

/* The beginning of a file, at most `room` bytes; empty if it cannot be read. */
bx_str bx_file_read(const char *root, const char *file, char *to, size_t room);

/* The same for an open file, from its current offset on. */
bx_str bx_file_read_open(int fd, char *to, size_t room);

/* A whole file; if it has more than `most` bytes, more than `most` of them. Empty if it cannot be
 * read, failed if memory ran out. The caller frees it. */
bx_buf bx_file_read_all(const char *root, const char *file, size_t most);

/* Writes all n bytes; 0 or an errno. A closed pipe or a file at its size limit is an error (EPIPE,
 * EFBIG) and does not kill the process, which may have registers to restore. */
int bx_file_write(int fd, const char *bytes, size_t n);
int bx_file_write_at(int fd, const char *bytes, size_t n, uint64_t at);

/* Reads a file that holds one number from -1000000 to 1000000; false: it does not. */
bool bx_file_number(const char *root, const char *file, int *value);

#endif
