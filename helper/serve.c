/* The loop of the server: connections, one request at a time, answers, idle clients. */
#include "helper/serve.h"

#include "base/error.h"
#include "helper/requests.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct client {
    int fd; /* -1: nobody */
    bx_peer peer;
    int64_t asked;  /* when its last request came, in ms */
    size_t waiting; /* bytes of an unsent answer; no request is read before it is sent */
    uint8_t bytes[BX_PROTOCOL_MAX_BYTES];
} client;

typedef struct server {
    const bx_serving *s;
    bx_request_handler *handler;
    client clients[BX_CLIENTS];
    bx_protocol_message message;
} server;

enum { END, LISTENING, OTHERS };

static void drop(server *v, int number)
{
    client *c = &v->clients[number];
    close(c->fd);
    c->fd = -1;
    bx_handler_drop_client(v->handler, number);
}

static unsigned clients_of(const server *v, uid_t uid)
{
    unsigned n = 0;
    for (int i = 0; i < BX_CLIENTS; i++)
        n += v->clients[i].fd >= 0 && v->clients[i].peer.uid == uid;
    return n;
}

/* Whether there is a place for one more client of a user. Root's clients have places of their
 * own. */
static bool has_place(const server *v, uid_t uid)
{
    unsigned all = 0;
    for (int i = 0; i < BX_CLIENTS; i++)
        all += v->clients[i].fd >= 0 && v->clients[i].peer.uid != 0;
    return clients_of(v, uid) < BX_CLIENTS_OF_A_USER &&
           (uid == 0 || all < BX_CLIENTS - BX_CLIENTS_OF_A_USER);
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Closes the connection if the client may not use the helper, or if there is no place. */
static void accept_client(server *v)
{
    bx_peer peer;
    int free_entry = 0;
    int fd = accept4(v->s->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    if (!bx_listen_admits(fd, &v->s->admitted, &peer) || !has_place(v, peer.uid)) {
        close(fd);
        return;
    }
    while (v->clients[free_entry].fd >= 0)
        free_entry++;
    v->clients[free_entry] = (client){.fd = fd, .peer = peer, .asked = now_ms()};
}

/* Sends the answer now, or later when the socket has room for it. */
static void answer(server *v, int number)
{
    client *c = &v->clients[number];
    ssize_t sent = send(c->fd, c->bytes, c->waiting, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0)
        c->waiting = 0;
    else if (errno != EAGAIN && errno != EINTR)
        drop(v, number);
}

/* Receives one request. A malformed message, or one with file descriptors, ends the connection. */
static void receive_request(server *v, int number)
{
    client *c = &v->clients[number];
    struct iovec part = {c->bytes, sizeof c->bytes};
    struct msghdr into = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t n = recvmsg(c->fd, &into, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0 || into.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ||
        !bx_protocol_decode(&v->message, c->bytes, (size_t)n)) {
        drop(v, number);
        return;
    }
    c->asked = now_ms();
    if (v->message.kind == BX_PROTOCOL_HELLO && v->message.n)
        c->peer.start_time = v->message.record[0].value;
    if (!bx_handler_answer(v->handler, number, &c->peer, &v->message)) {
        drop(v, number);
        return;
    }
    c->waiting = bx_protocol_encode(&v->message, c->bytes);
    answer(v, number);
}

/* Drops idle clients, which can connect again. A client that has a package is kept: it may be
 * waiting for the end of its measurement. Returns the ms until the next client is idle; -1: none
 * will be. */
static int drop_idle(server *v)
{
    int64_t now = now_ms(), next = -1;
    for (int i = 0; i < BX_CLIENTS; i++) {
        int64_t left = v->clients[i].asked + v->s->idle_ms - now;
        if (v->clients[i].fd < 0 || bx_handler_has_claim(v->handler, i))
            continue;
        if (left <= 0)
            drop(v, i);
        else if (next < 0 || left < next)
            next = left;
    }
    return (int)next;
}

/* Handles one set of poll() events. false: the server has to end. */
static bool serve_once(server *v)
{
    int until_idle = drop_idle(v);
    struct pollfd polled[OTHERS + BX_CLIENTS] = {
        [END] = {.fd = v->s->end, .events = POLLIN},
        [LISTENING] = {.fd = v->s->listening, .events = POLLIN},
    };
    for (int i = 0; i < BX_CLIENTS; i++)
        polled[OTHERS + i] = (struct pollfd){.fd = v->clients[i].fd,
                                             .events = v->clients[i].waiting ? POLLOUT : POLLIN};
    if (poll(polled, OTHERS + BX_CLIENTS, until_idle) < 0)
        return errno == EINTR;
    if (polled[END].revents)
        return false;
    for (int i = 0; i < BX_CLIENTS; i++) {
        short came = polled[OTHERS + i].revents;
        if (!came)
            continue;
        if (v->clients[i].waiting && !(came & POLLOUT))
            drop(v, i);
        else if (v->clients[i].waiting)
            answer(v, i);
        else
            receive_request(v, i);
    }
    if (polled[LISTENING].revents)
        accept_client(v);
    return true;
}

int bx_serve(const bx_serving *s, bx_request_handler *handler, bx_error *e)
{
    server *v = calloc(1, sizeof *v);
    if (!v)
        return bx_out_of_memory(e);
    v->s = s;
    v->handler = handler;
    for (int i = 0; i < BX_CLIENTS; i++)
        v->clients[i].fd = -1;
    while (serve_once(v))
        continue;
    for (int i = 0; i < BX_CLIENTS; i++)
        if (v->clients[i].fd >= 0)
            drop(v, i);
    free(v);
    return BX_OK;
}
