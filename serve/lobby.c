/* Waiting connections. */
#include "serve/lobby.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { HEAD = 8192, SECONDS = 5, AT_ONCE = 64 };

typedef struct guest {
    int fd; /* -1: the place is free */
    time_t since;
    unsigned long number; /* of arrival */
    struct sockaddr_storage address;
    socklen_t size;
} guest;

struct bx_lobby {
    int listening, epoll;
    bx_lobby_take *take;
    void *context;
    size_t places;
    unsigned long arrived;
    guest guest[];
};

static time_t clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

bx_lobby *bx_lobby_new(int listening, size_t places, bx_lobby_take *take, void *context)
{
    bx_lobby *l = calloc(1, sizeof *l + places * sizeof *l->guest);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = SIZE_MAX};
    if (!l)
        return NULL;
    l->listening = listening;
    l->places = places;
    l->take = take;
    l->context = context;
    for (size_t i = 0; i < places; i++)
        l->guest[i].fd = -1;
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (l->epoll >= 0 && epoll_ctl(l->epoll, EPOLL_CTL_ADD, listening, &event) == 0)
        return l;
    bx_lobby_free(l);
    return NULL;
}

static void leave(guest *g)
{
    if (g->fd >= 0)
        close(g->fd);
    g->fd = -1;
}

void bx_lobby_free(bx_lobby *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->places; i++)
        leave(&l->guest[i]);
    if (l->epoll >= 0)
        close(l->epoll);
    free(l);
}

/* Whether the whole head of a request is there. *ends: it will never be. */
static bool has_asked(int fd, bool *ends)
{
    char head[HEAD];
    ssize_t n = recv(fd, head, sizeof head, MSG_PEEK | MSG_DONTWAIT);
    *ends = n == 0 || n == (ssize_t)sizeof head;
    return n > 0 && (memmem(head, (size_t)n, "\r\n\r\n", 4) || memmem(head, (size_t)n, "\n\n", 2));
}

static void look_at(bx_lobby *l, guest *g)
{
    bool ends;
    if (g->fd < 0)
        return;
    if (has_asked(g->fd, &ends)) {
        epoll_ctl(l->epoll, EPOLL_CTL_DEL, g->fd, NULL);
        if (l->take(l->context, g->fd, (struct sockaddr *)&g->address, g->size))
            g->fd = -1;
        leave(g);
    } else if (ends) {
        leave(g);
    }
}

/* A free place, or that of who has waited longest. */
static guest *make_room(bx_lobby *l)
{
    guest *oldest = &l->guest[0];
    for (size_t i = 0; i < l->places; i++) {
        if (l->guest[i].fd < 0)
            return &l->guest[i];
        if (l->guest[i].number < oldest->number)
            oldest = &l->guest[i];
    }
    leave(oldest);
    return oldest;
}

static void accept_all(bx_lobby *l)
{
    for (unsigned i = 0; i < AT_ONCE; i++) {
        guest new = {.size = sizeof new.address, .since = clock_seconds()};
        new.fd = accept4(l->listening, (struct sockaddr *)&new.address, &new.size,
                         SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (new.fd < 0)
            return;
        new.number = ++l->arrived;
        guest *place = make_room(l);
        *place = new;
        struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET,
                                    .data.u64 = (size_t)(place - l->guest)};
        if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, new.fd, &event) != 0)
            leave(place);
        else
            look_at(l, place);
    }
}

void bx_lobby_turn(bx_lobby *l, int ms)
{
    struct epoll_event event[AT_ONCE];
    int n = epoll_wait(l->epoll, event, AT_ONCE, ms);
    for (int i = 0; i < n; i++)
        if (event[i].data.u64 == SIZE_MAX)
            accept_all(l);
        else
            look_at(l, &l->guest[event[i].data.u64]);
    time_t now = clock_seconds();
    for (size_t i = 0; i < l->places; i++)
        if (l->guest[i].fd >= 0 && now - l->guest[i].since >= SECONDS)
            leave(&l->guest[i]);
}
