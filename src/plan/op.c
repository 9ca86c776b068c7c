/* Names and addresses of register operations. */
#include "plan/plan.h"

#include <inttypes.h>
#include <stdio.h>

const char *bx_plan_step_name(unsigned step)
{
    static const char *const names[] = {
        [BX_STEP_SAVE] = "save",       [BX_STEP_SETUP] = "setup", [BX_STEP_START] = "start",
        [BX_STEP_READ] = "read",       [BX_STEP_REARM] = "rearm", [BX_STEP_STOP] = "stop",
        [BX_STEP_RESTORE] = "restore",
    };
    return step < sizeof names / sizeof *names ? names[step] : "";
}

size_t bx_address_format(const struct bx_catalog *c, const bx_op *op, char *to, size_t room)
{
    uint64_t at = bx_register_offset_in(c, op->package, op->reg, op->unit);
    int n;
    switch (bx_cat_regs(c)[op->reg].space) {
    case BX_SPACE_PCI:
        n = snprintf(to, room, "%02x:%02x.%x+0x%x", (unsigned)(at >> 20),
                     (unsigned)(at >> 15 & 0x1f), (unsigned)(at >> 12 & 7), (unsigned)(at & 0xfff));
        break;
    case BX_SPACE_MMIO:
        n = snprintf(to, room, "BAR+0x%" PRIx64, at);
        break;
    default:
        n = snprintf(to, room, "0x%" PRIx64, at);
        break;
    }
    return n > 0 ? (size_t)n : 0;
}
