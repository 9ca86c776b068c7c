/* Reads start time, parent and state of a process from /proc. */
#include "host/system/owner.h"

#include "host/system/file.h"
#include "base/printable.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* proc(5): the words after the last parenthesis of the name. */
enum { STATE = 1, PARENT = 2, BORN = 20 };

/* false: no such process, or it has ended. */
static bool read_stat(pid_t pid, unsigned wanted, uint64_t *value)
{
    char path[40], bytes[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    bx_str rest = bx_file_read("", path, bytes, sizeof bytes);
    size_t name = rest.n;
    while (name && bytes[name - 1] != ')')
        name--;
    if (!name)
        return false;
    rest = bx_str_sub(rest, name, rest.n);
    for (unsigned word = 0; rest.p; word++) {
        bx_str s = bx_str_cut(&rest, ' ');
        if (word == STATE && s.n && (*s.p == 'Z' || *s.p == 'X'))
            return false;
        if (word == wanted)
            return bx_str_u64(s, value);
    }
    return false;
}

bx_owner bx_owner_self(void)
{
    bx_owner o = {.pid = getpid()};
    read_stat(o.pid, BORN, &o.start_time);
    return o;
}

bool bx_owner_lives(bx_owner o)
{
    uint64_t start_time;
    return o.pid > 0 && read_stat(o.pid, BORN, &start_time) && start_time == o.start_time;
}

bool bx_owner_is_parent(bx_owner o, pid_t child)
{
    uint64_t parent;
    return bx_owner_lives(o) && read_stat(child, PARENT, &parent) && parent == (uint64_t)o.pid;
}

void bx_owner_command(pid_t pid, char *to, size_t room)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    bx_str text = bx_file_read("", path, to, room - 1);
    while (text.n && !to[text.n - 1])
        text.n--;
    for (size_t i = 0; i < text.n; i++)
        if (!to[i])
            to[i] = ' ';
    bx_printable(to, text.n);
    to[text.n] = '\0';
}
