/* Finds the children of a process. */
#include "machine/program/process/children.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Reads a file of /proc/PID. Returns the number of bytes. */
static size_t read_file(pid_t pid, const char *name, char *text, size_t room)
{
    char path[160];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, room - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

/* The name of a process that has no arguments: of one that has ended, or that is within execve(2).
 * proc(5): /proc/PID/comm is there as long as the process is. */
static void read_comm(pid_t pid, char name[BX_CHILD_NAME])
{
    size_t n = read_file(pid, "comm", name, BX_CHILD_NAME);
    if (n && name[n - 1] == '\n')
        name[n - 1] = '\0';
    if (!*name)
        snprintf(name, BX_CHILD_NAME, "a program");
}

/* Reads the arguments. A child of a traced process that is within execve has none for a moment, and
 * its comm is still that of Valgrind's tool: this waits for one of them. Returns the bytes read. */
static size_t read_arguments(pid_t pid, char *words, size_t room, char comm[BX_CHILD_NAME])
{
    static const char tool[] = "lackey-";
    size_t n = read_file(pid, "cmdline", words, room);
    comm[0] = '\0';
    for (int tries = 0; !*words && tries < 100; tries++) {
        read_comm(pid, comm);
        if (strncmp(comm, tool, sizeof tool - 1) != 0)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        n = read_file(pid, "cmdline", words, room);
    }
    return n;
}

void bx_children_name(pid_t pid, char name[BX_CHILD_NAME])
{
    char words[4096], comm[BX_CHILD_NAME];
    size_t n = read_arguments(pid, words, sizeof words, comm);
    const char *end = words + n, *word = words, *first = *words ? words : comm;
    bool tool = false;
    for (; word < end && strcmp(word, "--") != 0; word += strlen(word) + 1)
        tool |= strncmp(word, "--tool=", 7) == 0;
    if (tool && word + 3 < end)
        first = word + 3;
    const char *slash = strrchr(first, '/');
    snprintf(name, BX_CHILD_NAME, "%.*s", BX_CHILD_NAME - 1, slash && slash[1] ? slash + 1 : first);
}

void bx_children_look(pid_t of, void (*found)(void *context, pid_t child, const char *name),
                      void *context)
{
    char path[64], name[96], text[4096], program[BX_CHILD_NAME];
    snprintf(path, sizeof path, "/proc/%d/task", (int)of);
    DIR *threads = opendir(path);
    for (const struct dirent *e; threads && (e = readdir(threads));) {
        if (!isdigit((unsigned char)e->d_name[0]))
            continue;
        snprintf(name, sizeof name, "task/%.20s/children", e->d_name);
        read_file(of, name, text, sizeof text);
        for (char *at = text, *end; *at; at = end + (*end == ' ')) {
            long child = strtol(at, &end, 10);
            if (end == at)
                break;
            bx_children_name((pid_t)child, program);
            found(context, (pid_t)child, program);
        }
    }
    if (threads)
        closedir(threads);
}

/* proc(5): the 11th value, cminflt, counts page faults of children that were waited for; no process
 * is without. */
bool bx_children_were_there(pid_t of)
{
    char text[1024];
    read_file(of, "stat", text, sizeof text);
    const char *at = strrchr(text, ')');
    for (int spaces = 0; at && *at; at++)
        if (*at == ' ' && ++spaces == 9)
            return strtoull(at + 1, NULL, 10) > 0;
    return false;
}
