/* Searches a register log for the first line of a part, block by block. */
#include "host/register_log/part.h"

#include "base/str.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 16 * 1024, HEAD = sizeof BX_PART_LINE - 1, LONGEST = HEAD + 24 };

/* A part that begins at some offset. */
typedef struct part {
    uint64_t at, number;
} part;

/* Reads bytes from an offset, up to `end`; 0 also if they cannot be read. */
static size_t bytes_at(int fd, uint64_t at, uint64_t end, char *to)
{
    size_t most = at >= end ? 0 : end - at < BLOCK ? (size_t)(end - at) : BLOCK, n = 0;
    while (n < most) {
        ssize_t got = pread(fd, to + n, most - n, (off_t)(at + n));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    return n;
}

/* Whether s begins with the first line of a part; *number is its number. */
static bool is_head(bx_str s, uint64_t *number)
{
    size_t n = HEAD;
    while (n < s.n && n < LONGEST && bx_is_digit(s.p[n]))
        n++;
    return s.n > HEAD && memcmp(s.p, BX_PART_LINE, HEAD) == 0 &&
           bx_str_u64(bx_str_sub(s, HEAD, n - HEAD), number);
}

/* The first part that begins after `from` and before `end`. */
static bool next_part(int fd, uint64_t from, uint64_t end, part *found)
{
    char bytes[BLOCK];
    for (size_t n; (n = bytes_at(fd, from, end + LONGEST, bytes)) > HEAD;) {
        const char *at = memmem(bytes, n, "\n" BX_PART_LINE, HEAD + 1);
        if (!at) {
            from += n - HEAD;
            continue;
        }
        size_t begin = (size_t)(at - bytes) + 1;
        if (begin + LONGEST > n && n == BLOCK) { /* the line is cut off at the end of the block */
            from += begin - 1;
            continue;
        }
        found->at = from + begin;
        if (found->at >= end)
            return false;
        if (is_head((bx_str){bytes + begin, n - begin}, &found->number))
            return true;
        from = found->at;
    }
    return false;
}

uint64_t bx_part_find(int fd, uint64_t number)
{
    struct stat about;
    char bytes[BLOCK];
    part p = {0};
    if (number < 2 || fstat(fd, &about) || !S_ISREG(about.st_mode))
        return 0;
    uint64_t from = 0, end = (uint64_t)about.st_size;
    if (!is_head((bx_str){bytes, bytes_at(fd, 0, end, bytes)}, &p.number))
        return 0;
    while (end - from > BLOCK) {
        uint64_t middle = from + (end - from) / 2;
        if (!next_part(fd, middle, end, &p) || p.number > number)
            end = middle + 1;
        else if (p.number == number)
            return p.at;
        else
            from = p.at;
    }
    while (next_part(fd, from, end, &p) && p.number < number)
        from = p.at;
    return p.number == number ? p.at : 0;
}

unsigned long bx_part_lines(int fd, uint64_t offset)
{
    char bytes[BLOCK];
    unsigned long lines = 0;
    for (uint64_t at = 0; at < offset;) {
        size_t n = bytes_at(fd, at, offset, bytes);
        if (!n)
            break;
        for (const char *p = bytes; (p = memchr(p, '\n', n - (size_t)(p - bytes))); p++)
            lines++;
        at += n;
    }
    return lines;
}
