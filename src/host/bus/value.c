/* Values in files of registers. */
#include "host/bus/registers.h"

#include <errno.h>
#include <unistd.h>

int bx_value_read(int fd, uint64_t offset, unsigned bytes, uint64_t *value)
{
    uint64_t got = 0;
    ssize_t n;
    do
        n = pread(fd, &got, bytes, (off_t)offset);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno;
    if ((size_t)n != bytes)
        return EACCES;
    *value = got;
    return 0;
}

int bx_value_write(int fd, uint64_t offset, unsigned bytes, uint64_t value)
{
    ssize_t n;
    do
        n = pwrite(fd, &value, bytes, (off_t)offset);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EBADF) /* the file is open for reading only: nothing has changed */
        return EROFS;
    return n < 0 ? errno : (size_t)n != bytes ? EACCES : 0;
}
