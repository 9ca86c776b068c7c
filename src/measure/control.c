/* Reads words from a FIFO or descriptor, and answers them. */
#include "measure/control.h"

#include "event/hint.h"
#include "host/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int malformed(const char *text, bx_error *e)
{
    bx_fail(e, BX_BAD_INPUT, 0, 0, "control cannot be '%s'", bx_quote(bx_str_of(text)).text);
    bx_hint(e, "fd:CONTROL[,ACK] with open descriptors, or fifo:CONTROL[,ACK] with paths");
    return BX_BAD_INPUT;
}

static bool take_descriptor(bx_str number, int flags, int *fd)
{
    uint64_t value;
    if (!bx_str_u64(number, &value) || value > 1 << 20)
        return false;
    int mode = fcntl((int)value, F_GETFL);
    if (mode < 0 || ((mode & O_ACCMODE) != flags && (mode & O_ACCMODE) != O_RDWR))
        return false;
    *fd = (int)value;
    return true;
}

/* The FIFO is opened for both directions. So open() does not wait for the other side, and no end of
 * file arrives when the other side closes the FIFO. */
static bool open_fifo(bx_str path, int *fd)
{
    char name[4096];
    if (path.n == 0 || path.n >= sizeof name)
        return false;
    memcpy(name, path.p, path.n);
    name[path.n] = '\0';
    struct stat about;
    bool other = stat(name, &about) == 0 && !S_ISFIFO(about.st_mode);
    *fd = other ? -1 : open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (other)
        errno = ENOTSUP; /* such as a file, which would never end */
    return *fd >= 0;
}

static bool open_end(bx_control *c, bx_str which, int flags, int *fd)
{
    return c->opened ? open_fifo(which, fd) : take_descriptor(which, flags, fd);
}

static int cannot_open(const bx_control *c, bx_str which, bx_error *e)
{
    if (c->opened)
        bx_fail(e, BX_SYSTEM, 0, 0, "control: '%s' cannot be opened: %s", bx_quote(which).text,
                errno == ENOTSUP ? "it is not a FIFO" : strerror(errno));
    else
        bx_fail(e, BX_BAD_INPUT, 0, 0, "control: '%s' is no descriptor that is open for this",
                bx_quote(which).text);
    bx_hint(e, c->opened ? "mkfifo makes one" : "in a shell: exec 3<>FIFO, and fd:3");
    return e ? e->code : BX_BAD_INPUT;
}

int bx_control_open(bx_control *c, const char *text, const bx_listener *listener, bx_error *e)
{
    bx_str rest = bx_str_of(text), kind = bx_str_cut(&rest, ':');
    *c = (bx_control){
        .in = -1, .ack = -1, .opened = bx_str_eq(kind, BX_STR("fifo")), .listener = listener};
    if (!rest.p || (!c->opened && !bx_str_eq(kind, BX_STR("fd"))))
        return malformed(text, e);
    bx_str in = bx_str_cut(&rest, ',');
    if (!open_end(c, in, O_RDONLY, &c->in))
        return cannot_open(c, in, e);
    if (!rest.p || open_end(c, rest, O_WRONLY, &c->ack))
        return BX_OK;
    int code = cannot_open(c, rest, e);
    bx_control_close(c);
    return code;
}

void bx_control_close(bx_control *c)
{
    if (c->opened && c->in >= 0)
        close(c->in);
    if (c->opened && c->ack >= 0)
        close(c->ack);
    c->in = c->ack = -1;
}

static enum bx_control_word word_of(const bx_control *c, bx_str line)
{
    static const char *const words[] = {[BX_CONTROL_ENABLE] = "enable",
                                        [BX_CONTROL_DISABLE] = "disable",
                                        [BX_CONTROL_PING] = "ping",
                                        [BX_CONTROL_STOP] = "stop"};
    for (unsigned i = BX_CONTROL_ENABLE; i <= BX_CONTROL_STOP; i++)
        if (bx_str_eq(line, bx_str_of(words[i])))
            return i;
    if (line.n)
        bx_tell(c->listener, "control does not know '%s': enable, disable, ping, stop",
                bx_quote(line).text);
    return BX_CONTROL_NONE;
}

/* Reads one byte. That is fast enough, because lines are short and rare. */
static bool next_byte(bx_control *c, char *byte)
{
    struct pollfd wait = {.fd = c->in, .events = POLLIN};
    if (c->in < 0 || poll(&wait, 1, 0) <= 0)
        return false;
    ssize_t n = read(c->in, byte, 1);
    if (n == 0 && !c->opened)
        c->in = -1; /* the other side has closed the pipe */
    return n == 1;
}

enum bx_control_word bx_control_next(bx_control *c)
{
    enum { MOST = 4096 }; /* bytes at once: a writer without an end holds nobody up */
    char byte;
    for (unsigned i = 0; i < MOST && next_byte(c, &byte); i++) {
        if (byte != '\n' && byte != '\0') {
            if (c->n < sizeof c->line)
                c->line[c->n++] = byte;
            continue;
        }
        enum bx_control_word word = word_of(c, bx_str_trim((bx_str){c->line, c->n}));
        c->n = 0;
        if (word)
            return word;
    }
    return BX_CONTROL_NONE;
}

void bx_control_answer(const bx_control *c)
{
    static const char ack[] = "ack\n";
    if (c->ack >= 0)
        (void)!bx_file_write(c->ack, ack, sizeof ack - 1);
}
