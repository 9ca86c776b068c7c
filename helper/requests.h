/* Requests carried out: each is checked, and a package's registers change for one client at a time.
 */
#ifndef BX_HELPER_REQUESTS_H
#define BX_HELPER_REQUESTS_H

#include "host/safety/lock.h"
#include "host/helper/protocol.h"
#include "helper/serve.h"

enum { BX_NOBODY = -1 };

/* A package, and the client that changes its registers. */
typedef struct bx_claim {
    int client; /* number; BX_NOBODY */
    bx_peer peer;
    bx_saved_registers saved; /* of nobody: what could not be put back */
    size_t journalled;        /* how many of these are in the journal */
    bx_lock lock;             /* against programs that reach the registers themselves */
} bx_claim;

typedef struct bx_request_handler {
    const bx_serving *serving;
    bx_claim *claims; /* by package; in memory that processes made later share, with their lists */
    size_t size;      /* of that memory */
} bx_request_handler;

bool bx_handler_open(bx_request_handler *d, const bx_serving *s); /* false: out of memory */
void bx_handler_close(bx_request_handler *d);                     /* all clients have gone */

/* Carries out a client's request and makes its answer of it. false: no request that there is. */
bool bx_handler_answer(bx_request_handler *d, int client, const bx_peer *peer,
                       bx_protocol_message *w);

/* A client has gone: what it changed is put back. */
void bx_handler_drop_client(bx_request_handler *d, int client);

/* The process that served has gone: the same of all its clients. false: not all is put back. */
bool bx_handler_drop_all(bx_request_handler *d);

/* A line on standard error. */
void bx_helper_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
