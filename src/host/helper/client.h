/* Registers through boxscore-helper: a bus whose accesses another process carries out, which has
 * the rights, checks each against the catalogue, and puts back what was changed when we are gone.
 */
#ifndef BX_HOST_HELPER_CLIENT_H
#define BX_HOST_HELPER_CLIENT_H

#include "host/system/cpus.h"
#include "seam/bus.h"

#include <sys/types.h>

#define BX_HELPER_SOCKET "/run/boxscore/helper.sock"

/* Connects to the helper at a socket; bus->close() ends it. It must serve a machine whose CPU is of
 * this family and model. cpus, whose table it continues to use, must outlive it. NULL and *e:
 * nobody answers there, or not to us. */
struct bx_bus *bx_helper_open(const char *socket, const bx_cpus *cpus, unsigned family,
                              unsigned model, bx_error *e);

/* Claims a package's registers for us alone; a first write claims them too. 0 or an errno;
 * EADDRINUSE: process *holder has them. */
int bx_helper_claim(struct bx_bus *helper, unsigned package, pid_t *holder);

/* It has closed the connection, or has not answered for long: all that follows fails. */
bool bx_helper_is_gone(struct bx_bus *helper);

/* Why another claim than one that is taken failed: says so, and returns the code. */
int bx_helper_refusal(struct bx_bus *helper, int err, bx_error *e);

/* Has the helper put back what we changed, and gives the package up. 0 or an errno: of the first
 * register that could not be put back. */
int bx_helper_release(struct bx_bus *helper, unsigned package);

#endif
