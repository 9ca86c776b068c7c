/* Where connections wait until they have sent the head of a request. So a client that connects and
 * says nothing takes no place of one that asks: when the lobby is full, the oldest leaves. */
#ifndef BX_SERVE_LOBBY_H
#define BX_SERVE_LOBBY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

typedef struct bx_lobby bx_lobby;

/* Takes a connection whose request has arrived, or leaves it to the caller to close: false. */
typedef bool bx_lobby_take(void *context, int fd, const struct sockaddr *address, socklen_t size);

/* places: connections that wait at most. The listening socket is the caller's. NULL: no memory, or
 * no descriptors. */
bx_lobby *bx_lobby_new(int listening, size_t places, bx_lobby_take *take, void *context);

/* Waits for at most `ms`, and serves what has arrived. */
void bx_lobby_turn(bx_lobby *l, int ms);

void bx_lobby_free(bx_lobby *l); /* NULL is fine */

#endif
