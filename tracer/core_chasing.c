/* A superblock goes on into functions that it calls. At the entry of an allocator that the user has
 * named, it ends, so that its arguments are in their registers. The core asks where a function is
 * replaced before it goes on there; the function is wrapped with the linker's --wrap. */
#include "allocations.h"

extern Addr __real_vgPlain_redir_do_lookup(Addr from, Bool *is_wrapper);
extern Addr __wrap_vgPlain_redir_do_lookup(Addr from, Bool *is_wrapper);

Addr __wrap_vgPlain_redir_do_lookup(Addr from, Bool *is_wrapper)
{
    /* without is_wrapper, it only asks whether it is another address */
    return !is_wrapper && bx_allocations_begin_at(from)
               ? from + 1
               : __real_vgPlain_redir_do_lookup(from, is_wrapper);
}
