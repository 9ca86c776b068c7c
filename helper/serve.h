/* Serves clients: one process, one thread, one request of each client in turn. */
#ifndef BX_HELPER_SERVE_H
#define BX_HELPER_SERVE_H

#include "host/system/cpus.h"
#include "guard/lock.h"
#include "guard/journal_undo.h"
#include "helper/listener.h"
#include "helper/journal.h"

/* Root always finds a place: other users do not get the last BX_CLIENTS_OF_A_USER places. */
enum { BX_CLIENTS = 40, BX_CLIENTS_OF_A_USER = 8, BX_IDLE_MS = 60000 };

typedef struct bx_serving {
    const int *packages;  /* the kernel's numbers of the packages */
    const bx_lock *locks; /* of the packages, open */
    const bx_register_policy *policy;
    const bx_helper_journal *helper_journal;
    const bx_cpus *cpus;
    uint64_t signature; /* of the CPU: family << 16 | model */
    bx_admitted admitted;
    int idle_ms;   /* clients without a package and without requests are dropped after this time */
    int listening; /* socket */
    int end;       /* descriptor that is readable when the server has to end */
} bx_serving;

struct bx_request_handler;

/* Serves until s->end is readable. A client's changes are restored when its connection closes, and
 * at the end. */
int bx_serve(const bx_serving *s, struct bx_request_handler *handler, bx_error *e);

#endif
