/* Devices, behind the IOH on the last link of package 0: their requests, their registers and their
 * interrupts. */
#include "model/machine/nhmex/slice.h"

#include "model/part/later.h"

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

/* ---- registers and interrupts ---- */

/* Opcodes: 323535-001 pages 142 to 146. That of IntPhysical is not on the pages at hand; QPI's. */
enum { NC_RD = 0, NC_RD_PTL = 4 };
enum { WC_WR = 1, INT_PHYSICAL = 10, NC_WR_PTL = 12 };
enum { DATA_NC = 3, CMP = 8 };

/* The device interrupts the core at t, and the core's C-Box answers. */
static void interrupt(struct bx_nhmex *m, struct bx_nhmex_peer core, uint64_t line, uint64_t t)
{
    struct bx_nhmex_target at = bx_nhmex_at_slice(m, core.package, line);
    struct bx_nhmex_packet packet = {
        .class = BX_NHMEX_NCB, .opcode = INT_PHYSICAL, .partial = true, .line = line};

    t = bx_nhmex_from_ioh(m, core, &packet, t);
    bx_nhmex_device_interrupt(m, core.package, t + m->times.ring);
    t = bx_nhmex_slice_sends(&at, BX_NHMEX_AK_SB, t);
    packet = (struct bx_nhmex_packet){.class = BX_NHMEX_NDR, .opcode = CMP, .line = line};
    m->last_end = bx_later(m->last_end, bx_nhmex_to_ioh(m, core, &packet, t));
}

uint64_t bx_nhmex_device_registers(struct bx_nhmex *m, struct bx_nhmex_peer from, bx_access a,
                                   uint64_t t)
{
    bool store = bx_access_instruction(a) == BX_STORE, partial = a & BX_ACCESS_PARTIAL;
    uint64_t line = bx_access_line(a);
    struct bx_nhmex_packet packet = {.class = store ? BX_NHMEX_NCB : BX_NHMEX_NCS,
                                     .opcode = store     ? partial ? NC_WR_PTL : WC_WR
                                               : partial ? NC_RD_PTL
                                                         : NC_RD,
                                     .partial = partial,
                                     .line = line};
    uint64_t arrived = bx_nhmex_to_ioh(m, from, &packet, t);
    uint64_t done = arrived + m->times.ioh_device;

    packet = (struct bx_nhmex_packet){.class = store ? BX_NHMEX_NDR : BX_NHMEX_DRS,
                                      .opcode = store ? CMP : DATA_NC,
                                      .line = line};
    uint64_t answered = bx_nhmex_from_ioh(m, from, &packet, store ? arrived : done);
    if (store && partial)
        interrupt(m, from, line, done);
    return answered;
}
