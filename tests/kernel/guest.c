/* Implements guest.h: starts qemu and speaks with init over serial ports. */
#include "guest.h"

#include "../cmocked.h"
#include "cpio.h"
#include "userland.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER = 8192, PATIENCE_MS = 180000 };

struct guest {
    guest_options o;
    char folder[64]; /* has initrd and console of this guest only */
    pid_t qemu;
    gdbstub *stub;
    int line; /* socket of the second serial port */
    int port; /* socket of the third serial port */
    char in[ANSWER], answer[ANSWER];
    size_t have;
};

/* ---- requirements ---- */

static const char *kernel_folder(void)
{
    static char folder[512];
    const char *chosen = getenv("BX_KERNEL"), *root = getenv("SOURCE_ROOT");
    snprintf(folder, sizeof folder, "%s%s",
             chosen ? chosen
             : root ? root
                    : ".",
             chosen ? "" : "/build-kernel");
    return folder;
}

static char *kernel_file(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", kernel_folder(), name);
    return path;
}

void guest_needed(void)
{
    const char *missing = NULL;
    if (!getenv("BX_LONG"))
        missing = "BX_LONG is not set";
    else if (system("command -v qemu-system-x86_64 >/dev/null") != 0)
        missing = "qemu-system-x86_64 is not installed (./setup kernel)";
    else if (access(kernel_file("vmlinuz"), R_OK) || access(kernel_file("intel-uncore.ko"), R_OK) ||
             access(kernel_file("msr.ko"), R_OK))
        missing = "there is no kernel in build-kernel/ (./setup kernel)";
    if (!missing)
        return;
    print_message("skipped: %s\n", missing);
    skip();
}

/* ---- boot ---- */

static const char *in_folder(const guest *g, const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", g->folder, name);
    return path;
}

static void write_initrd(const guest *g)
{
    char path[128];
    FILE *f = fopen(in_folder(g, "initrd", path), "w");
    assert_non_null(f);
    cpio_folder(f, "dev");
    cpio_folder(f, "proc");
    cpio_folder(f, "sys");
    cpio_file(f, "init", userland_init());
    cpio_file(f, "intel-uncore.ko", kernel_file("intel-uncore.ko"));
    cpio_file(f, "msr.ko", kernel_file("msr.ko"));
    if (g->o.programs)
        userland_put(f);
    cpio_end(f);
    assert_int_equal(fclose(f), 0);
}

/* One thread emulates all CPUs: several threads that wait for one another are slower on a host with
 * fewer CPUs. `nokaslr` only makes runs alike. rodata=off, because the carrier's lock is beside its
 * code. */
static void become_qemu(const guest *g, int stub, int line, int port)
{
    char initrd[128], console[160], log[128], smp[64], command[4096];
    snprintf(console, sizeof console, "file:%s/console", g->folder);
    snprintf(smp, sizeof smp, "sockets=%u,cores=%u,threads=%u", g->o.packages, g->o.cores,
             g->o.threads);
    snprintf(command, sizeof command,
             "exec qemu-system-x86_64 -machine q35 -accel tcg,thread=single -cpu '%s' -smp %s "
             "-m 512 -display none -nodefaults -no-reboot -kernel '%s' -initrd '%s' "
             "-append 'console=ttyS0 nokaslr rodata=off mitigations=off panic=-1 %s' "
             "-serial '%s' -chardev socket,id=line,fd=%d -serial chardev:line "
             "-chardev socket,id=port,fd=%d -serial chardev:port "
             "-chardev socket,id=stub,fd=%d -gdb chardev:stub -S %s >'%s' 2>&1",
             g->o.cpu, smp, kernel_file("vmlinuz"), in_folder(g, "initrd", initrd),
             g->o.kernel ? g->o.kernel : "", console, line, port, stub, g->o.more ? g->o.more : "",
             in_folder(g, "log", log));
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

guest *guest_boot(const guest_options *o)
{
    guest *g = calloc(1, sizeof *g);
    assert_non_null(g);
    g->o = *o;
    snprintf(g->folder, sizeof g->folder, "/tmp/boxscore-guest-XXXXXX");
    assert_non_null(mkdtemp(g->folder));
    write_initrd(g);
    int stub[2], line[2], port[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, stub), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, line), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, port), 0);
    fflush(NULL);
    g->qemu = fork();
    if (g->qemu == 0) {
        close(stub[0]);
        close(line[0]);
        close(port[0]);
        become_qemu(g, stub[1], line[1], port[1]);
    }
    close(stub[1]);
    close(line[1]);
    close(port[1]);
    g->line = line[0];
    g->port = port[0];
    g->stub = gdbstub_new(stub[0]);
    gdbstub_continue(g->stub);
    const char *first = guest_try(g, "%s", "");
    if (strcmp(first, "ready") != 0)
        fail_msg("init says '%s'", first);
    return g;
}

/* ---- commands ---- */

/* Prints the output of qemu and the kernel. */
static char *console_of(const guest *g)
{
    char path[128], *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    static const char *const files[] = {"log", "console"};
    for (size_t i = 0; i < 2; i++) {
        FILE *f = fopen(in_folder(g, files[i], path), "r");
        for (int c; f && (c = fgetc(f)) != EOF;)
            if (c != '\r')
                fputc(c, to);
        if (f)
            fclose(f);
    }
    fclose(to);
    return text;
}

static void give_up(const guest *g, const char *why)
{
    char *console = console_of(g);
    size_t n = strlen(console);
    print_error("%s\n", n > 4000 ? console + n - 4000 : console);
    free(console);
    fail_msg("%s", why);
}

/* When its first byte has arrived, the rest of a message follows. */
static void serve_message(guest *g)
{
    uint8_t message[GUEST_MESSAGE], reply[GUEST_REPLY] = {0};
    for (size_t have = 0; have < sizeof message;) {
        ssize_t n = read(g->port, message + have, sizeof message - have);
        if (n <= 0)
            give_up(g, "the guest is gone");
        have += (size_t)n;
    }
    g->o.on_message(g->o.context, message, reply);
    if (write(g->port, reply, sizeof reply) != (ssize_t)sizeof reply)
        give_up(g, "the guest is gone");
}

/* Takes the next line received over the serial port. */
static bool take_line(guest *g)
{
    char *end = memchr(g->in, '\n', g->have);
    if (!end)
        return false;
    size_t n = (size_t)(end - g->in);
    memcpy(g->answer, g->in, n);
    g->answer[n] = '\0';
    g->have -= n + 1;
    memmove(g->in, end + 1, g->have);
    return true;
}

/* Receives more of the line, and serves the messages that arrive before it. */
static void receive(guest *g)
{
    struct pollfd p[] = {{g->line, POLLIN, 0}, {g->port, POLLIN, 0}};
    if (poll(p, 2, PATIENCE_MS) == 0)
        give_up(g, "the guest does not answer");
    if (p[1].revents)
        serve_message(g);
    if (!p[0].revents)
        return;
    ssize_t got = read(g->line, g->in + g->have, sizeof g->in - g->have);
    if (got <= 0)
        give_up(g, "the guest is gone");
    g->have += (size_t)got;
}

static const char *try_words(guest *g, const char *format, va_list words)
{
    char line[1024];
    int n = vsnprintf(line, sizeof line - 1, format, words);
    assert_in_range(n, 0, sizeof line - 2);
    line[n] = '\n';
    if (n > 0 && write(g->line, line, (size_t)n + 1) != n + 1)
        give_up(g, "the guest is gone");
    while (!take_line(g))
        receive(g);
    return g->answer;
}

const char *guest_try(guest *g, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    const char *answer = try_words(g, format, words);
    va_end(words);
    return answer;
}

static const char *good(const char *answer, const char *format)
{
    if (strncmp(answer, "failed: ", 8) == 0)
        fail_msg("guest: %s: %s", format, answer);
    return answer;
}

const char *guest_ask(guest *g, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    const char *answer = try_words(g, format, words);
    va_end(words);
    return good(answer, format);
}

void guest_bytes(guest *g, char *to, size_t n)
{
    while (n > 0) {
        while (g->have == 0)
            receive(g);
        size_t part = g->have < n ? g->have : n;
        memcpy(to, g->in, part);
        memmove(g->in, g->in + part, g->have - part);
        g->have -= part;
        to += part;
        n -= part;
    }
}

void guest_pause(guest *g, void (*during)(void *context, gdbstub *stub), void *context)
{
    gdbstub_interrupt(g->stub);
    during(context, g->stub);
    gdbstub_continue(g->stub);
}

/* ---- the end ---- */

void guest_free(guest *g)
{
    if (!g)
        return;
    kill(g->qemu, SIGKILL);
    waitpid(g->qemu, NULL, 0);
    gdbstub_free(g->stub);
    close(g->line);
    close(g->port);
    static const char *const files[] = {"log", "console", "initrd"};
    char path[128];
    for (size_t i = 0; i < 3; i++)
        unlink(in_folder(g, files[i], path));
    rmdir(g->folder);
    free(g);
}
