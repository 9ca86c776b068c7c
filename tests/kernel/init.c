/* The guest's first program. It executes each line from the second serial port and answers with one
 * line: the result, or "failed: " and the reason. It knows nothing about the tests. Called as
 * `pause NAME`, it is a program that waits. */
#include "jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

static FILE *line_out;

static void failed(void)
{
    fprintf(line_out, "failed: %s\n", strerror(errno));
}

static void done(long result)
{
    if (result < 0)
        failed();
    else
        fprintf(line_out, "%ld\n", result);
}

/* The first line of a file. */
static void show(const char *path)
{
    char text[4096] = "";
    FILE *f = fopen(path, "r");
    if (!f || !fgets(text, sizeof text, f))
        failed();
    else
        fprintf(line_out, "%.*s\n", (int)strcspn(text, "\n"), text);
    if (f)
        fclose(f);
}

static void put(char *words)
{
    const char *path = strsep(&words, " ");
    int fd = open(path, O_WRONLY);
    ssize_t n = fd < 0 || !words ? -1 : write(fd, words, strlen(words));
    done(n);
    if (fd >= 0)
        close(fd);
}

/* PATH OFFSET BYTES VALUE, numbers in hexadecimal: writes bytes of a file, of PCI configuration
 * space or an MSR. */
static void poke(const char *words)
{
    char path[256];
    unsigned long offset, bytes, value;
    if (sscanf(words, "%255s %lx %lx %lx", path, &offset, &bytes, &value) != 4) {
        errno = EINVAL;
        failed();
        return;
    }
    int fd = open(path, O_WRONLY);
    done(fd < 0 ? -1 : pwrite(fd, &value, bytes, (off_t)offset));
    if (fd >= 0)
        close(fd);
}

/* PATH OFFSET: reads eight bytes of a file in hexadecimal, such as an MSR. */
static void peek(const char *words)
{
    char path[256];
    unsigned long offset, value;
    int fd = -1;
    if (sscanf(words, "%255s %lx", path, &offset) != 2 || (fd = open(path, O_RDONLY)) < 0 ||
        pread(fd, &value, sizeof value, (off_t)offset) != (ssize_t)sizeof value)
        failed();
    else
        fprintf(line_out, "%lx\n", value);
    if (fd >= 0)
        close(fd);
}

/* Addresses of all kernel symbols with these names; 0 for names that the kernel does not have. */
static void symbols(char *words)
{
    char *names[16];
    unsigned long found[16] = {0};
    size_t n = 0;
    for (char *name; n < 16 && (name = strsep(&words, " "));)
        names[n++] = name;
    FILE *f = fopen("/proc/kallsyms", "r");
    char text[512], name[256];
    unsigned long address;
    while (f && fgets(text, sizeof text, f))
        if (sscanf(text, "%lx %*c %255s", &address, name) == 2)
            for (size_t i = 0; i < n; i++)
                if (strcmp(name, names[i]) == 0)
                    found[i] = address;
    if (f)
        fclose(f);
    for (size_t i = 0; i < n; i++)
        fprintf(line_out, "%lx%c", found[i], i + 1 < n ? ' ' : '\n');
}

static void insmod(const char *path)
{
    int fd = open(path, O_RDONLY);
    done(fd < 0 ? -1 : syscall(SYS_finit_module, fd, "", 0));
    if (fd >= 0)
        close(fd);
}

/* CPU TYPE CONFIG CONFIG1 CONFIG2 LEADER ENABLED, configurations in hexadecimal, LEADER a file
 * descriptor or -1. */
static void open_event(const char *words)
{
    struct perf_event_attr a = {.size = sizeof a};
    unsigned long config, config1, config2;
    int cpu, leader, enabled;
    unsigned type;
    a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    if (sscanf(words, "%d %u %lx %lx %lx %d %d", &cpu, &type, &config, &config1, &config2, &leader,
               &enabled) != 7) {
        errno = EINVAL;
        failed();
        return;
    }
    a.type = type;
    a.config = config;
    a.config1 = config1;
    a.config2 = config2;
    a.disabled = !enabled;
    done(syscall(SYS_perf_event_open, &a, -1, cpu, leader, 0));
}

static void read_event(const char *words)
{
    uint64_t value[3]; /* count, time enabled, time running */
    if (read(atoi(words), value, sizeof value) != (ssize_t)sizeof value)
        failed();
    else
        fprintf(line_out, "%lu %lu %lu\n", value[0], value[1], value[2]);
}

/* Two actions in one command save a round trip. */
static void take_event(const char *words)
{
    uint64_t value[3];
    int fd = atoi(words);
    if (read(fd, value, sizeof value) != (ssize_t)sizeof value || close(fd))
        failed();
    else
        fprintf(line_out, "%lu %lu %lu\n", value[0], value[1], value[2]);
}

static void carry_out(char *line)
{
    char *words = line;
    const char *verb = strsep(&words, " ");
    char none[] = "";
    if (!words)
        words = none;
    if (strcmp(verb, "show") == 0)
        show(words);
    else if (strcmp(verb, "put") == 0)
        put(words);
    else if (strcmp(verb, "poke") == 0)
        poke(words);
    else if (strcmp(verb, "peek") == 0)
        peek(words);
    else if (strcmp(verb, "symbols") == 0)
        symbols(words);
    else if (strcmp(verb, "insmod") == 0)
        insmod(words);
    else if (strcmp(verb, "open") == 0)
        open_event(words);
    else if (strcmp(verb, "read") == 0)
        read_event(words);
    else if (strcmp(verb, "take") == 0)
        take_event(words);
    else if (strcmp(verb, "enable") == 0)
        done(ioctl(atoi(words), PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
    else if (strcmp(verb, "disable") == 0)
        done(ioctl(atoi(words), PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
    else if (strcmp(verb, "close") == 0)
        done(close(atoi(words)));
    else if (strcmp(verb, "begin") == 0)
        job_begin(line_out, words);
    else if (strcmp(verb, "end") == 0)
        job_end(line_out, words);
    else if (strcmp(verb, "reached") == 0)
        job_reached(line_out, words);
    else if (strcmp(verb, "let") == 0)
        job_let(line_out, words);
    else if (strcmp(verb, "file") == 0)
        job_file(line_out, words);
    else if (strcmp(verb, "kill") == 0)
        done(kill(atoi(words), SIGKILL));
    else if (strcmp(verb, "stop") == 0)
        done(kill(atoi(words), SIGTERM));
    else if (strcmp(verb, "wait") == 0)
        done(usleep((useconds_t)(1000 * atoi(words))));
    else if (strcmp(verb, "off") == 0)
        reboot(RB_POWER_OFF);
    else
        fprintf(line_out, "failed: no such command: %s\n", verb);
}

int main(int argc, char *argv[])
{
    if (getpid() != 1)
        return job_pause(argc > 1 ? argv[1] : "work");
    mount("none", "/dev", "devtmpfs", 0, "");
    mount("none", "/proc", "proc", 0, "");
    mount("none", "/sys", "sysfs", 0, "");
    mount("none", "/sys/kernel/security", "securityfs", 0, "");
    mkdir("/run", 0755);
    mkdir("/tmp", 0777);
    chmod("/tmp", 01777);
    int fd = open("/dev/ttyS1", O_RDWR | O_NOCTTY);
    struct termios raw;
    tcgetattr(fd, &raw);
    cfmakeraw(&raw);
    cfsetspeed(&raw, B115200);
    tcsetattr(fd, TCSANOW, &raw);
    FILE *in = fdopen(fd, "r");
    line_out = fdopen(dup(fd), "w");
    setvbuf(line_out, NULL, _IOLBF, 0);
    fputs("ready\n", line_out);
    char line[4096];
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = 0;
        carry_out(line);
    }
    return 1;
}
