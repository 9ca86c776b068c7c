/* Answers requests. */
#include "serve/http.h"

#include "base/error.h"
#include "serve/api.h"
#include "serve/exposition.h"
#include "serve/lobby.h"
#include "serve/page.h"
#include "serve/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    DESCRIPTORS = 48, /* that a server needs beside its connections */
    PLACES = 200,     /* connections at most, waiting or answered */
    SECONDS = 5,      /* that a connection may be idle */
    SYSTEMD_FIRST = 3 /* SD_LISTEN_FDS_START of sd_listen_fds(3) */
};

struct bx_http {
    bx_http_options o;
    bx_measuring *m;
    struct MHD_Daemon *daemon;
    bx_lobby *lobby;
    int listening;
    char address[128];
};

/* ---- answers ---- */

static enum MHD_Result answer(struct MHD_Connection *c, unsigned status, const char *type,
                              bx_buf *text)
{
    struct MHD_Response *r =
        MHD_create_response_from_buffer(text->n, text->p, MHD_RESPMEM_MUST_COPY);
    bx_buf_free(text);
    if (!r)
        return MHD_NO;
    static const char *const headers[][2] = {
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'"}};
    MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(r, headers[i][0], headers[i][1]);
    if (status == MHD_HTTP_UNAUTHORIZED)
        MHD_add_response_header(r, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    enum MHD_Result done = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return done;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status, const char *why)
{
    bx_buf text = {0};
    bx_buf_f(&text, "%s\n", why);
    return answer(c, status, "text/plain; charset=utf-8", &text);
}

static const char *header(struct MHD_Connection *c, const char *name)
{
    const char *value = MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
    return value ? value : "";
}

/* ---- who may ask ---- */

/* Without the port. */
static bx_str host_of(const char *header_value)
{
    bx_str all = bx_str_of(header_value);
    ptrdiff_t end =
        all.n && *all.p == '[' ? bx_str_find(all, ']', 0) + 1 : bx_str_find(all, ':', 0);
    return end > 0 ? bx_str_sub(all, 0, (size_t)end) : all;
}

/* A page of another site can let a browser ask us under that site's name (DNS rebinding). */
static bool is_our_name(const bx_http *h, const char *name)
{
    static const char *const loopback[] = {"localhost", "127.0.0.1", "[::1]"};
    bx_str host = host_of(name), own = host_of(h->address);
    bool is = host.n && bx_str_eq_fold(host, own);
    for (size_t i = 0; i < 3; i++)
        is |= bx_str_eq_fold(host, bx_str_of(loopback[i]));
    for (size_t i = 0; i < h->o.hosts_n; i++)
        is |= bx_str_eq_fold(host, bx_str_of(h->o.hosts[i]));
    return is;
}

/* Takes as long whatever the token is. */
static bool has_token(const bx_http *h, const char *given)
{
    static const char bearer[] = "Bearer ";
    if (!h->o.token)
        return true;
    if (strncasecmp(given, bearer, sizeof bearer - 1) != 0)
        return false;
    given += sizeof bearer - 1;
    size_t n = strlen(h->o.token), given_n = strlen(given);
    unsigned char differs = n != given_n;
    for (size_t i = 0; i < given_n; i++)
        differs |= (unsigned char)(given[i] ^ h->o.token[n ? i % n : 0]);
    return !differs;
}

/* ---- what is asked for ---- */

static enum MHD_Result answer_metrics(bx_http *h, struct MHD_Connection *c)
{
    bx_buf text = {0};
    bool open = strstr(header(c, MHD_HTTP_HEADER_ACCEPT), "application/openmetrics-text");
    bx_measuring_write(h->m, open ? bx_exposition_openmetrics : bx_exposition_prometheus, &text);
    if (text.failed) {
        bx_buf_free(&text);
        return refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
    }
    return answer(c, MHD_HTTP_OK, open ? BX_OPENMETRICS_TYPE : BX_PROMETHEUS_TYPE, &text);
}

static enum MHD_Result answer_json(bx_http *h, struct MHD_Connection *c,
                                   void (*format)(const bx_series *, bx_buf *))
{
    bx_buf text = {0};
    bx_measuring_write(h->m, format, &text);
    if (text.failed) {
        bx_buf_free(&text);
        return refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
    }
    return answer(c, MHD_HTTP_OK, "application/json", &text);
}

static enum MHD_Result answer_file(struct MHD_Connection *c, const unsigned char *content,
                                   const char *type)
{
    bx_buf text = {0};
    bx_buf_z(&text, (const char *)content);
    return answer(c, MHD_HTTP_OK, type, &text);
}

static enum MHD_Result take_request(void *context, struct MHD_Connection *c, const char *path,
                                    const char *method, const char *version, const char *upload,
                                    size_t *upload_n, void **own)
{
    bx_http *h = context;
    (void)version, (void)upload;
    if (*upload_n || !*own) { /* the head alone; a body is read and dropped */
        *upload_n = 0;
        *own = h;
        return MHD_YES;
    }
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD: nothing is changed here");
    if (!is_our_name(h, header(c, MHD_HTTP_HEADER_HOST)))
        return refuse(c, MHD_HTTP_FORBIDDEN,
                      "the request's Host is not a name of this server: --allow-host NAME");
    if (strcmp(path, "/") == 0)
        return answer_file(c, bx_serve_page, "text/html; charset=utf-8");
    if (strcmp(path, "/page.js") == 0)
        return answer_file(c, bx_serve_script, "text/javascript; charset=utf-8");
    if (strcmp(path, "/page.css") == 0)
        return answer_file(c, bx_serve_style, "text/css; charset=utf-8");
    if (!has_token(h, header(c, MHD_HTTP_HEADER_AUTHORIZATION)))
        return refuse(c, MHD_HTTP_UNAUTHORIZED, "a token is needed: Authorization: Bearer TOKEN");
    if (strcmp(path, "/metrics") == 0)
        return answer_metrics(h, c);
    if (strcmp(path, "/api/v1/values") == 0)
        return answer_json(h, c, bx_api_values);
    if (strcmp(path, "/api/v1/intervals") == 0)
        return answer_json(h, c, bx_api_intervals);
    if (strcmp(path, "/api/v1/machine") == 0)
        return answer_json(h, c, bx_api_machine);
    return refuse(c, MHD_HTTP_NOT_FOUND,
                  "there are /, /metrics and /api/v1/values, intervals and machine");
}

/* ---- the socket ---- */

/* "ADDRESS:PORT", "[ADDRESS]:PORT". */
static int split_address(const char *listen, char *host, size_t room, const char **port,
                         bx_error *e)
{
    const char *colon = strrchr(listen, ':');
    size_t n = colon ? (size_t)(colon - listen) : 0;
    bool brackets = n >= 2 && listen[0] == '[' && listen[n - 1] == ']';
    if (!colon || n == 0 || n >= room || !colon[1]) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "'%.60s' is not an address with a port", listen);
        bx_hint(e, "127.0.0.1:9738, or [::]:9738 for all addresses");
        return BX_BAD_INPUT;
    }
    snprintf(host, room, "%.*s", (int)(brackets ? n - 2 : n), listen + brackets);
    *port = colon + 1;
    return BX_OK;
}

static int try_address(const struct addrinfo *at)
{
    int on = 1, fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, 512) == 0)
        return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

static int open_address(bx_http *h, bx_error *e)
{
    char host[96];
    const char *port;
    struct addrinfo *list = NULL,
                    wanted = {.ai_socktype = SOCK_STREAM,
                              .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV};
    int code = split_address(h->o.listen, host, sizeof host, &port, e);
    if (code)
        return code;
    int reason = getaddrinfo(host, port, &wanted, &list);
    if (reason)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "'%.60s' is not an address with a port: %s",
                       h->o.listen, gai_strerror(reason));
    h->listening = try_address(list);
    int failed = errno;
    freeaddrinfo(list);
    if (h->listening >= 0)
        return BX_OK;
    bx_fail(e, BX_SYSTEM, 0, 0, "cannot listen on %.60s: %s", h->o.listen, strerror(failed));
    bx_hint(e, "another port, or 0 for any");
    return BX_SYSTEM;
}

/* The socket that systemd has opened: sd_listen_fds(3). */
static bool take_systemd(bx_http *h)
{
    const char *pid = getenv("LISTEN_PID"), *n = getenv("LISTEN_FDS");
    if (!pid || !n || strtol(pid, NULL, 10) != getpid() || strtol(n, NULL, 10) < 1)
        return false;
    h->listening = SYSTEMD_FIRST;
    fcntl(SYSTEMD_FIRST, F_SETFD, FD_CLOEXEC);
    /* The lobby accepts until there is nobody left. */
    return fcntl(SYSTEMD_FIRST, F_SETFL, fcntl(SYSTEMD_FIRST, F_GETFL) | O_NONBLOCK) == 0;
}

static void name_socket(bx_http *h)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    char host[64], port[16];
    if (getsockname(h->listening, (struct sockaddr *)&address, &size) == 0 &&
        getnameinfo((struct sockaddr *)&address, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) == 0)
        snprintf(h->address, sizeof h->address, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host,
                 port);
}

/* libmicrohttpd closes the connection in any case. */
static bool pass_on(void *context, int fd, const struct sockaddr *address, socklen_t size)
{
    bx_http *h = context;
    MHD_add_connection(h->daemon, fd, address, size);
    return true;
}

/* Half of the descriptors for connections that wait, half for those that are answered. */
static unsigned places(void)
{
    struct rlimit limit;
    rlim_t most = 2 * PLACES + DESCRIPTORS;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < most)
        most = limit.rlim_cur;
    return most > DESCRIPTORS + 16 ? (unsigned)(most - DESCRIPTORS) / 2 : 8;
}

static int start_server(bx_http *h, bx_error *e)
{
    unsigned most = places();
    h->daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC, 0,
        NULL, NULL, take_request, h, MHD_OPTION_CONNECTION_LIMIT, most,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, most / 2, MHD_OPTION_CONNECTION_TIMEOUT, SECONDS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768, MHD_OPTION_END);
    h->lobby = h->daemon ? bx_lobby_new(h->listening, most, pass_on, h) : NULL;
    return h->lobby ? BX_OK : bx_fail(e, BX_SYSTEM, 0, 0, "cannot start the HTTP server");
}

int bx_http_open(const bx_http_options *o, bx_measuring *m, bx_http **to, bx_error *e)
{
    bx_http *h = calloc(1, sizeof *h);
    if (!h)
        return bx_out_of_memory(e);
    h->o = *o;
    h->m = m;
    h->listening = -1;
    int code = take_systemd(h) ? BX_OK : open_address(h, e);
    if (!code) {
        name_socket(h);
        bx_rights_drop(); /* threads that answer begin without them */
        code = start_server(h, e);
    }
    if (code)
        bx_http_close(h);
    else
        *to = h;
    return code;
}

const char *bx_http_address(const bx_http *h)
{
    return h->address;
}

void bx_http_turn(bx_http *h, int ms)
{
    bx_lobby_turn(h->lobby, ms);
}

void bx_http_close(bx_http *h)
{
    if (!h)
        return;
    bx_lobby_free(h->lobby);
    if (h->daemon)
        MHD_stop_daemon(h->daemon);
    if (h->listening >= 0)
        close(h->listening);
    free(h);
}
