/* The words of a register log for the errnos of failed accesses. */
#include "reglog/reglog.h"

#include <errno.h>

static const struct {
    const char *name;
    int err;
} words[] = {
    {"fault", EIO},           {"EPERM", EPERM},
    {"ENOENT", ENOENT},       {"EINTR", EINTR},
    {"ENXIO", ENXIO},         {"EBADF", EBADF},
    {"EAGAIN", EAGAIN},       {"ENOMEM", ENOMEM},
    {"EACCES", EACCES},       {"EFAULT", EFAULT},
    {"EBUSY", EBUSY},         {"ENODEV", ENODEV},
    {"EINVAL", EINVAL},       {"ENFILE", ENFILE},
    {"EMFILE", EMFILE},       {"EROFS", EROFS},
    {"EPIPE", EPIPE},         {"EOVERFLOW", EOVERFLOW},
    {"ETIMEDOUT", ETIMEDOUT}, {"ENOTCONN", ENOTCONN},
    {"ERANGE", ERANGE},       {"EOPNOTSUPP", EOPNOTSUPP},
};
enum { WORDS = sizeof words / sizeof *words, MOST = 4095 }; /* Linux: MAX_ERRNO */

static const char number[] = "errno=";

void bx_reglog_errno(bx_buf *to, int err)
{
    for (size_t i = 0; i < WORDS; i++) {
        if (words[i].err == err) {
            bx_buf_z(to, words[i].name);
            return;
        }
    }
    bx_buf_f(to, "%s%d", number, err);
}

int bx_reglog_find_errno(bx_str word)
{
    uint64_t value;
    for (size_t i = 0; i < WORDS; i++)
        if (bx_str_eq(word, bx_str_of(words[i].name)))
            return words[i].err;
    bool numbered = bx_str_starts_fold(word, BX_STR(number)) &&
                    bx_str_u64(bx_str_sub(word, sizeof number - 1, word.n), &value);
    return numbered && value > 0 && value <= MOST ? (int)value : 0;
}
