/* Reads a file, or standard input, to its end. */
#include "cli/common/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* More is no file that a command takes, but may have no end, such as /dev/zero. */
static const size_t MOST = (size_t)1 << 30;

int bx_input_read(const char *path, bx_buf *text)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), err = 0;
    char bytes[64 * 1024];
    ssize_t n = fd < 0 ? -1 : 1;
    while (fd >= 0 && n != 0 && !text->failed && text->n <= MOST) {
        n = read(fd, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        bx_buf_add(text, bytes, (size_t)n);
    }
    if (n < 0)
        err = errno;
    if (fd >= 0 && !standard)
        close(fd);
    return err ? err : text->failed ? ENOMEM : text->n > MOST ? EFBIG : 0;
}
