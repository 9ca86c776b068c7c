/* Requests of a core to the uncore, and its prefetches: functions of struct bx_uncore. */
#include "model/machine/ivbep/machine.h"

static const uint8_t prefetch_opcode[] = {
    [BX_LOAD] = BX_IVBEP_PF_DATA, [BX_STORE] = BX_IVBEP_PF_RFO, [BX_FETCH] = BX_IVBEP_PF_CODE};

/* A prefetch that fills only the LLC. kind: of the access that was seen. */
static uint64_t prefetch(const struct bx_ivbep_of_core *of, unsigned kind, uint64_t line,
                         uint64_t t, enum bx_core_count *from)
{
    struct bx_grant grant;
    uint64_t done =
        bx_ivbep_request(of->m, of->package, of->number, prefetch_opcode[kind], line, t, &grant);

    *from = grant.from;
    return done;
}

uint64_t bx_ivbep_prefetch_llc(bx_model *model, unsigned core, bx_access a, uint64_t t,
                               enum bx_core_count *from)
{
    struct bx_ivbep_of_core of = bx_ivbep_of_core(model, core);

    return prefetch(&of, bx_access_kind_of(bx_access_prefetched(a)), bx_access_line(a), t, from);
}

/* The plain rule, without prefetchers. When a core requests two consecutive lines of a page, the
 * next line is prefetched into the LLC. */
void bx_ivbep_prefetch_next(bx_model *model, unsigned core, bx_access a, uint64_t t)
{
    struct bx_ivbep_of_core of = bx_ivbep_of_core(model, core);
    unsigned kind = bx_access_kind_of(a);
    uint64_t line = bx_access_line(a), *last = &of.m->last_line[core][kind];
    bool second = line == *last + 1;
    uint64_t page_lines = UINT64_C(1) << bx_model_page_shift(model);
    enum bx_core_count from;

    *last = line;
    if (of.m->turns.prefetch || !second || (line + 1) % page_lines == 0)
        return;
    prefetch(&of, kind, line + 1, t, &from);
    bx_privates_count_prefetch(of.m->turns.agent[core].privates, from);
}

uint64_t bx_ivbep_request_line(bx_model *model, unsigned core, bx_access a, uint64_t t,
                               struct bx_grant *grant)
{
    static const uint8_t opcode[] = {
        [BX_LOAD] = BX_IVBEP_DRD, [BX_STORE] = BX_IVBEP_RFO, [BX_FETCH] = BX_IVBEP_CRD};
    struct bx_ivbep_of_core of = bx_ivbep_of_core(model, core);

    return bx_ivbep_request(of.m, of.package, of.number,
                            a & BX_ACCESS_WHOLE ? BX_IVBEP_ITOM : opcode[bx_access_kind_of(a)],
                            bx_access_line(a), t, grant);
}
