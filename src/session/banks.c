/* The register banks of a session on a virtual machine. Passes that count at the same time have a
 * bank each. */
#include "session/session.h"

#include "base/error.h"

#include <stdlib.h>

/* A freeze in one bank stops all banks that count at the same time. */
static int open_bank(struct bx_session *s, unsigned pass, bx_error *e)
{
    s->programme.banks[pass] = pass && !s->programme.at_once ? s->programme.banks[0]
                                                             : bx_machine_bank(s->machine, pass, e);
    if (!s->programme.banks[pass])
        return BX_NO_MEMORY;
    if (pass && s->programme.at_once)
        bx_vpmu_freeze_together(s->programme.banks[pass], s->programme.banks[0]);
    return BX_OK;
}

int bx_banks_open(struct bx_session *s, bx_error *e)
{
    int code = BX_OK;
    if (!bx_machine_has_banks(s->machine))
        return BX_OK;
    s->programme.banks = calloc(s->programme.schedule.passes + 1, sizeof(bx_vpmu *));
    if (!s->programme.banks)
        return bx_out_of_memory(e);
    for (unsigned pass = 0; pass < s->programme.schedule.passes && code == BX_OK; pass++)
        code = open_bank(s, pass, e);
    if (code != BX_OK)
        bx_banks_close(s);
    return code;
}

void bx_banks_close(struct bx_session *s)
{
    for (unsigned pass = 0; s->programme.banks && pass < s->programme.schedule.passes; pass++)
        if (s->programme.banks[pass] && (pass == 0 || s->programme.at_once))
            bx_machine_free_bank(s->machine, s->programme.banks[pass]);
    free(s->programme.banks);
    s->programme.banks = NULL;
}

struct bx_bus *bx_banks_bus(const struct bx_session *s, const bx_op *op)
{
    return s->programme.banks ? bx_vpmu_bus(s->programme.banks[op->pass]) : s->bus;
}

bool bx_banks_own(const struct bx_session *s, const bx_op *op)
{
    return s->programme.banks && s->programme.banks[op->pass] != bx_machine_vpmu(s->machine);
}
