/* Registers through boxscore-helper: a bus whose accesses another process executes. That process
 * has the rights, checks each access against the catalogue, and restores the changed registers when
 * the client is gone. */
#ifndef BX_HOST_HELPER_CLIENT_H
#define BX_HOST_HELPER_CLIENT_H

#include "host/system/cpus.h"
#include "host/system/owner.h"
#include "seam/bus.h"

#define BX_HELPER_SOCKET "/run/boxscore/helper.sock"
#define BX_HELPER_USER   "boxscore-helper" /* the user that it runs as, if that user exists */

/* Connects to the helper at a socket; bus->close() ends the connection. The helper closes
 * connections of clients that have no package and send no requests; such a client connects again.
 * The helper must serve a machine whose CPU has this family and model. cpus must outlive the bus.
 * On failure NULL and *e: no helper answers there, or it does not admit us. */
struct bx_bus *bx_helper_open(const char *socket, const bx_cpus *cpus, unsigned family,
                              unsigned model, bx_error *e);

/* Claims a package's registers for this client alone. The first write does so, too. Returns 0 or an
 * errno. EADDRINUSE: process *holder has them; its start time is 0 if it is unknown. */
int bx_helper_claim(struct bx_bus *helper, unsigned package, bx_owner *holder);

/* The helper closed the connection or did not answer in time: all further accesses fail. */
bool bx_helper_is_gone(struct bx_bus *helper);

/* Sets *e to why a claim failed with an errno other than EADDRINUSE; returns the code. */
int bx_helper_refusal(struct bx_bus *helper, int err, bx_error *e);

/* Makes the helper restore the registers that we changed, and releases the package. Returns 0, or
 * the errno of the first register that could not be restored. */
int bx_helper_release(struct bx_bus *helper, unsigned package);

#endif
