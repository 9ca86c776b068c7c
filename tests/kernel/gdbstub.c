/* Implements gdbstub.h. */
#include "gdbstub.h"

#include "../cmocked.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 16384, PATIENCE_MS = 60000 };

struct gdbstub {
    int fd;
    char out[ROOM]; /* packets that have not been sent yet */
    size_t sent_to;
    unsigned owed; /* answers "OK" that have not arrived yet */
    char in[ROOM];
    size_t have;
    char answer[ROOM]; /* the last packet */
};

/* ---- packets ---- */

static void put(gdbstub *g, const char *text, size_t n)
{
    assert_true(g->sent_to + n <= ROOM);
    memcpy(g->out + g->sent_to, text, n);
    g->sent_to += n;
}

/* Adds a packet to those that wait; many are sent at once. */
static void packet(gdbstub *g, const char *body)
{
    unsigned sum = 0;
    for (const char *p = body; *p; p++)
        sum += (unsigned char)*p;
    char end[4];
    snprintf(end, sizeof end, "#%02x", sum & 0xff);
    put(g, "$", 1);
    put(g, body, strlen(body));
    put(g, end, 3);
}

static void flush(gdbstub *g)
{
    for (size_t at = 0; at < g->sent_to;) {
        ssize_t n = write(g->fd, g->out + at, g->sent_to - at);
        if (n < 0 && errno != EINTR)
            fail_msg("the gdb stub is gone: %s", strerror(errno));
        at += n > 0 ? (size_t)n : 0;
    }
    g->sent_to = 0;
}

/* Takes the first complete packet that has arrived. Acknowledgements ('+') are skipped. We need not
 * send any, because our next packet acknowledges, too. */
static bool take(gdbstub *g)
{
    char *start = memchr(g->in, '$', g->have);
    char *end = start ? memchr(start, '#', g->have - (size_t)(start - g->in)) : NULL;
    if (!end || (size_t)(end - g->in) + 3 > g->have)
        return false;
    size_t n = (size_t)(end - start) - 1, used = (size_t)(end - g->in) + 3;
    memcpy(g->answer, start + 1, n);
    g->answer[n] = '\0';
    memmove(g->in, g->in + used, g->have - used);
    g->have -= used;
    return true;
}

static void receive(gdbstub *g)
{
    struct pollfd p = {g->fd, POLLIN, 0};
    if (poll(&p, 1, PATIENCE_MS) == 0)
        fail_msg("the gdb stub does not answer");
    assert_true(g->have < ROOM);
    ssize_t n = read(g->fd, g->in + g->have, ROOM - g->have);
    if (n <= 0 && errno != EINTR)
        fail_msg("the gdb stub is gone");
    g->have += n > 0 ? (size_t)n : 0;
}

static void expect_ok(gdbstub *g)
{
    while (!take(g))
        receive(g);
    if (strcmp(g->answer, "OK") != 0)
        fail_msg("the gdb stub answers '%s', not OK", g->answer);
}

static void gdb_sync(gdbstub *g)
{
    flush(g);
    for (; g->owed; g->owed--)
        expect_ok(g);
}

static const char *ask(gdbstub *g, const char *body)
{
    packet(g, body);
    gdb_sync(g);
    while (!take(g))
        receive(g);
    return g->answer;
}

static void tell(gdbstub *g, const char *body)
{
    packet(g, body);
    g->owed++;
}

/* ---- hexadecimal bytes, lowest first ---- */

static void to_hex(char *to, const void *from, size_t n)
{
    const uint8_t *bytes = from;
    for (size_t i = 0; i < n; i++)
        snprintf(to + 2 * i, 3, "%02x", bytes[i]);
}

static void from_hex(gdbstub *g, void *to, const char *text, size_t n)
{
    uint8_t *bytes = to;
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1)
            fail_msg("the gdb stub answers '%s', not %zu bytes", g->answer, n);
        bytes[i] = (uint8_t)byte;
    }
}

/* ---- functions of the header ---- */

gdbstub *gdbstub_new(int fd)
{
    gdbstub *g = calloc(1, sizeof *g);
    assert_non_null(g);
    g->fd = fd;
    ask(g, "?");
    return g;
}

void gdbstub_free(gdbstub *g)
{
    if (!g)
        return;
    close(g->fd);
    free(g);
}

void gdbstub_interrupt(gdbstub *g)
{
    put(g, "\x03", 1);
    flush(g);
    while (!take(g))
        receive(g);
    if (g->answer[0] != 'T')
        fail_msg("the gdb stub answers '%s', not a stop", g->answer);
}

void gdbstub_read(gdbstub *g, uint64_t address, void *to, size_t n)
{
    enum { MOST = 1024 };
    for (size_t done = 0; done < n; done += MOST) {
        size_t part = n - done < MOST ? n - done : MOST;
        char body[64];
        snprintf(body, sizeof body, "m%" PRIx64 ",%zx", address + done, part);
        from_hex(g, (uint8_t *)to + done, ask(g, body), part);
    }
}

void gdbstub_write(gdbstub *g, uint64_t address, const void *from, size_t n)
{
    enum { MOST = 512 };
    const uint8_t *bytes = from;
    for (size_t done = 0; done < n; done += MOST) {
        size_t part = n - done < MOST ? n - done : MOST;
        char body[2 * MOST + 64];
        int head = snprintf(body, sizeof body, "M%" PRIx64 ",%zx:", address + done, part);
        to_hex(body + head, bytes + done, part);
        tell(g, body);
    }
}

void gdbstub_continue(gdbstub *g)
{
    packet(g, "c");
    gdb_sync(g);
}
