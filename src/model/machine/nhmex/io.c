/* Requests of devices, through the IOH on the last link of package 0. */
#include "model/machine/nhmex/machine.h"

uint64_t bx_nhmex_io_access(bx_model *model, unsigned agent, bx_access a, uint64_t t)
{
    struct bx_nhmex *m = bx_nhmex_of(model);
    const struct bx_nhmex_peer ioh = {.ioh = true};
    uint64_t line = bx_access_line(a);
    bool store = bx_access_kind_of(a) == BX_STORE;
    struct bx_nhmex_request request = {
        .requester = ioh, .kind = store ? BX_NHMEX_INVALIDATE : BX_NHMEX_CURRENT, .line = line};

    (void)agent;
    if (!bx_nhmex_has_ioh(m))
        return bx_nhmex_served(m, t);
    t = bx_later(t, m->locked_until);
    uint64_t done = bx_nhmex_request_home(m, &request, t).done;
    if (store)
        done = bx_nhmex_write_home(m, ioh, line, a & BX_ACCESS_PARTIAL, done);
    return bx_nhmex_served(m, done);
}
