/* Levels of all boxes, added up from the log: docs/explanation/model-nhmex.md, "Signals". */
#include "nhmex/sums.h"

#include <string.h>

static bool differences(const struct nhmex_oracle *o, const struct nhmex_signal *sig, struct sum *s)
{
    const struct package *p = &o->package[sig->package];

    switch (sig->box) {
    case NHMEX_U:
        return nhmex_ubox_levels(s, sig);
    case NHMEX_C:
        return nhmex_cbox_levels(s, &p->cbox[sig->unit], sig);
    case NHMEX_S:
        return nhmex_sbox_levels(s, p, sig);
    case NHMEX_B: {
        bool (*const counter[])(struct sum *, const struct bbox *, const struct nhmex_signal *) = {
            nhmex_bbox_0_levels, nhmex_bbox_1_levels, nhmex_bbox_2_levels, nhmex_bbox_3_levels};
        return counter[sig->counter](s, &p->bbox[sig->unit], sig);
    }
    case NHMEX_R:
        return nhmex_rbox_levels(s, p, sig);
    case NHMEX_M:
        return nhmex_mbox_levels(s, &p->mbox[sig->unit], sig);
    default:
        return nhmex_wbox_levels(s, sig);
    }
}

bool nhmex_oracle_levels(const struct nhmex_oracle *o, const struct nhmex_signal *s, int32_t *level,
                         size_t cycles)
{
    struct sum sum = {level, cycles, o};

    memset(level, 0, cycles * sizeof *level);
    if (!differences(o, s, &sum))
        return false;
    sum_add_up(&sum);
    return true;
}
