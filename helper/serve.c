#include "helper/serve.h"

#include "base/error.h"
#include "helper/requests.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct client {
    int fd; /* -1: nobody */
    bx_peer peer;
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

/* Closes the connection if the client may not use the helper, or if there is no free entry. */
static void accept_client(server *v)
{
    bx_peer peer;
    int free_entry = 0;
    int fd = accept4(v->s->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    while (free_entry < BX_CLIENTS && v->clients[free_entry].fd >= 0)
        free_entry++;
    if (bx_listen_admits(fd, &v->s->admitted, &peer) && free_entry < BX_CLIENTS &&
        clients_of(v, peer.uid) < BX_CLIENTS_OF_A_USER)
        v->clients[free_entry] = (client){.fd = fd, .peer = peer};
    else
        close(fd);
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
        !bx_protocol_decode(&v->message, c->bytes, (size_t)n) ||
        !bx_handler_answer(v->handler, number, &c->peer, &v->message)) {
        drop(v, number);
        return;
    }
    c->waiting = bx_protocol_encode(&v->message, c->bytes);
    answer(v, number);
}

/* Handles one set of poll() events; false: the end has come. */
static bool serve_once(server *v)
{
    struct pollfd polled[OTHERS + BX_CLIENTS] = {
        [END] = {.fd = v->s->end, .events = POLLIN},
        [LISTENING] = {.fd = v->s->listening, .events = POLLIN},
    };
    for (int i = 0; i < BX_CLIENTS; i++)
        polled[OTHERS + i] = (struct pollfd){.fd = v->clients[i].fd,
                                             .events = v->clients[i].waiting ? POLLOUT : POLLIN};
    if (poll(polled, OTHERS + BX_CLIENTS, -1) < 0)
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
