/* The register banks of a session on a virtual machine. Passes that count at the same time have a
 * bank each. */
#include "session/programme.h"

#include "base/error.h"

#include <stdlib.h>

/* A freeze in one bank stops all banks that count at the same time. */
static int open_bank(bx_programme *p, unsigned pass, bx_error *e)
{
    p->banks[pass] = pass && !p->at_once ? p->banks[0] : bx_machine_bank(p->machine, pass, e);
    if (!p->banks[pass])
        return BX_NO_MEMORY;
    if (pass && p->at_once)
        bx_vpmu_freeze_together(p->banks[pass], p->banks[0]);
    return BX_OK;
}

int bx_banks_open(bx_programme *p, bx_error *e)
{
    int code = BX_OK;
    if (!bx_machine_has_banks(p->machine))
        return BX_OK;
    p->banks = calloc(p->schedule.passes + 1, sizeof(bx_vpmu *));
    if (!p->banks)
        return bx_out_of_memory(e);
    for (unsigned pass = 0; pass < p->schedule.passes && code == BX_OK; pass++)
        code = open_bank(p, pass, e);
    if (code != BX_OK)
        bx_banks_close(p);
    return code;
}

void bx_banks_close(bx_programme *p)
{
    for (unsigned pass = 0; p->banks && pass < p->schedule.passes; pass++)
        if (p->banks[pass] && (pass == 0 || p->at_once))
            bx_machine_free_bank(p->machine, p->banks[pass]);
    free(p->banks);
    p->banks = NULL;
}

struct bx_bus *bx_banks_bus(const bx_programme *p, const bx_op *op)
{
    return p->banks ? bx_vpmu_bus(p->banks[op->pass]) : p->bus;
}

bool bx_banks_own(const bx_programme *p, const bx_op *op)
{
    return p->banks && p->banks[op->pass] != bx_machine_vpmu(p->machine);
}
