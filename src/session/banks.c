/* The register banks of a session on a virtual machine. Passes that count at the same time have a
 * bank each. */
#include "session/session.h"

#include "base/error.h"

#include <stdlib.h>

/* A freeze in one bank stops all banks that count at the same time. */
static int open_bank(struct bx_session *s, unsigned pass, bx_error *e)
{
    s->banks[pass] = pass && !s->at_once ? s->banks[0] : bx_machine_bank(s->machine, pass, e);
    if (!s->banks[pass])
        return BX_NO_MEMORY;
    if (pass && s->at_once)
        bx_vpmu_freeze_together(s->banks[pass], s->banks[0]);
    return BX_OK;
}

int bx_banks_open(struct bx_session *s, bx_error *e)
{
    int rc = BX_OK;
    if (!bx_machine_has_banks(s->machine))
        return BX_OK;
    s->banks = calloc(s->schedule.passes + 1, sizeof(bx_vpmu *));
    if (!s->banks)
        return bx_out_of_memory(e);
    for (unsigned pass = 0; pass < s->schedule.passes && rc == BX_OK; pass++)
        rc = open_bank(s, pass, e);
    if (rc != BX_OK)
        bx_banks_close(s);
    return rc;
}

void bx_banks_close(struct bx_session *s)
{
    for (unsigned pass = 0; s->banks && pass < s->schedule.passes; pass++)
        if (s->banks[pass] && (pass == 0 || s->at_once))
            bx_machine_free_bank(s->machine, s->banks[pass]);
    free(s->banks);
    s->banks = NULL;
}

struct bx_bus *bx_banks_bus(const struct bx_session *s, const bx_op *op)
{
    return s->banks ? bx_vpmu_bus(s->banks[op->pass]) : s->bus;
}

bool bx_banks_own(const struct bx_session *s, const bx_op *op)
{
    return s->banks && s->banks[op->pass] != bx_machine_vpmu(s->machine);
}
