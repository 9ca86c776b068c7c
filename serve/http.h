/* The HTTP server: read-only, by libmicrohttpd. */
#ifndef BX_SERVE_HTTP_H
#define BX_SERVE_HTTP_H

#include "live/measuring.h"

#include <stdbool.h>

typedef struct bx_http_options {
    const char *listen; /* "127.0.0.1:9738", "[::1]:9738", "unix" is not there */
    const char *token;  /* readers must have it; NULL: all may read */
    char *const *hosts; /* [hosts_n] more names that readers may call us by */
    size_t hosts_n;
} bx_http_options;

typedef struct bx_http bx_http;

/* Opens the socket, or takes that of systemd (sd_listen_fds(3)). */
int bx_http_open(const bx_http_options *o, bx_measuring *m, bx_http **h, bx_error *e);

/* "127.0.0.1:9738", with the port that was chosen for 0. */
const char *bx_http_address(const bx_http *h);

/* Serves what has arrived, and waits for at most `ms` for it. */
void bx_http_turn(bx_http *h, int ms);

void bx_http_close(bx_http *h); /* NULL is fine */

#endif
