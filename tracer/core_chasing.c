/* A superblock goes on into functions that it calls. At the entry of a function that the user has
 * named, it ends: so an allocator's arguments are in their registers, and a region begins there.
 * The core asks where a function is replaced before it goes on there; the function is wrapped with
 * the linker's --wrap. */
#include "allocations.h"
#include "functions.h"

extern Addr __real_vgPlain_redir_do_lookup(Addr from, Bool *is_wrapper);
extern Addr __wrap_vgPlain_redir_do_lookup(Addr from, Bool *is_wrapper);

Addr __wrap_vgPlain_redir_do_lookup(Addr from, Bool *is_wrapper)
{
    /* without is_wrapper, it only asks whether it is another address */
    return !is_wrapper && (bx_allocations_begin_at(from) || bx_functions_begin_at(from))
               ? from + 1
               : __real_vgPlain_redir_do_lookup(from, is_wrapper);
}
