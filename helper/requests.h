/* Handles requests of clients: checks each access, and lets one client at a time change the
 * registers of a package. */
#ifndef BX_HELPER_REQUESTS_H
#define BX_HELPER_REQUESTS_H

#include "host/helper/protocol.h"
#include "helper/serve.h"

enum { BX_NOBODY = -1 };
#define BX_OUTDATED SIZE_MAX

/* A package, and the client that changes its registers. */
typedef struct bx_claim {
    int client; /* index of the client; BX_NOBODY */
    bx_peer peer;
    bx_undo_log log;   /* if there is no client: registers that could not be restored */
    size_t journalled; /* how many of its entries are in the journal; BX_OUTDATED: the journal has
                          other contents */
    bx_lock lock; /* keeps out programs that access the registers directly; both processes of the
                     helper share its open file, and so hold it together */
} bx_claim;

typedef struct bx_request_handler {
    const bx_serving *serving;
    bx_claim *claims; /* by package; child processes share their memory */
    size_t size;      /* of that memory */
    bx_undo_op *ops;  /* room to put a package back: memory may have run out by then */
    int *errnos;      /* of `ops` */
} bx_request_handler;

bool bx_handler_open(bx_request_handler *h, const bx_serving *s); /* false: out of memory */
void bx_handler_close(bx_request_handler *h); /* all connections must be closed */

/* Executes a client's request and turns *w into the answer. false: no valid request. */
bool bx_handler_answer(bx_request_handler *h, int client, const bx_peer *peer,
                       bx_protocol_message *w);

/* Whether a client has a package. */
bool bx_handler_has_claim(const bx_request_handler *h, int client);

/* Restores what a client changed, after its connection was closed. */
void bx_handler_drop_client(bx_request_handler *h, int client);

/* Restores what all clients changed, after the serving process has ended. false: not everything
 * could be restored. */
bool bx_handler_drop_all(bx_request_handler *h);

/* Prints a line on standard error. */
void bx_helper_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
