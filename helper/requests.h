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
    bx_kept kept; /* of nobody: what could not be put back */
    size_t noted; /* how many of these are in the journal */
    bx_lock lock; /* against programs that reach the registers themselves */
} bx_claim;

typedef struct bx_desk {
    const bx_serving *serving;
    bx_claim *claims; /* by package; in memory that processes made later share, with their lists */
    size_t size;      /* of that memory */
} bx_desk;

bool bx_desk_open(bx_desk *d, const bx_serving *s); /* false: out of memory */
void bx_desk_close(bx_desk *d);                     /* all clients have gone */

/* Carries out a client's request and makes its answer of it. false: no request that there is. */
bool bx_desk_answer(bx_desk *d, int client, const bx_peer *peer, bx_wire *w);

/* A client has gone: what it changed is put back. */
void bx_desk_forget(bx_desk *d, int client);

/* The process that served has gone: the same of all its clients. false: not all is put back. */
bool bx_desk_forget_all(bx_desk *d);

/* A line on standard error. */
void bx_desk_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
