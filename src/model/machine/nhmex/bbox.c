/* The B-Box, a home agent: requests for lines of its memory, the snoops of these requests, and
 * write-backs. */
#include "model/machine/nhmex/machine.h"

#include "model/part/later.h"

/* Opcodes. Sources: 323535-001 pages 142 to 146 and 327043-001 page 131. */
/* The opcode of a snoop has the number of its request's: SnpCode that of RdCode. */
enum { RD_CUR = 0, RD_CODE = 1, RD_DATA = 2, RD_INV_OWN = 4, INV_I_TO_E = 8, WB_M_TO_I = 12 };
enum { ACK_CNFLT_WB_I = 9, ACK_CNFLT = 15 };
enum {
    RSP_I = 0,
    RSP_S = 1,
    RSP_CNFLT = 4,
    RSP_FWD = 8,
    RSP_FWD_I = 9,
    RSP_FWD_S = 10,
    RSP_FWD_S_WB = 12,
    RSP_I_WB = 13
};
enum { DATA_C = 0, DATA_C_CMP = 2, WB_I_DATA = 4, WB_S_DATA = 5, WB_I_DATA_PTL = 8 };
/* Those of Cmp_Fwd* are not on the pages at hand; QPI's. */
enum { GNT_CMP = 0, CMP = 8, CMP_FWD_CODE = 10, CMP_FWD_INV_OWN = 11, CMP_FWD_INV_I_TO_E = 12 };
enum { RDS_I = 0, RDS_F = 1, RDS_E = 4, RDS_M = BX_NHMEX_RDS_M };

static struct bx_nhmex_bbox *home_of(struct bx_nhmex *m, uint64_t line)
{
    return &m->package[bx_nhmex_home(m, line)].b[bx_nhmex_home_side(line)];
}

static uint8_t request_opcode(const struct bx_nhmex_request *request)
{
    switch (request->kind) {
    case BX_NHMEX_READ:
        return request->code ? RD_CODE : RD_DATA;
    case BX_NHMEX_RFO:
        return RD_INV_OWN;
    case BX_NHMEX_INVALIDATE:
        return INV_I_TO_E;
    default:
        return RD_CUR;
    }
}

/* The state of a request: when the home has all responses, and when the data is at the
 * requester. */
struct progress {
    uint64_t begin; /* it is in the in-flight memory table */
    uint64_t answered, data;
    uint64_t responded; /* when the last response to a snoop arrived */
    bool snooped;
    struct bx_nhmex_reply reply;
};

static uint8_t response_opcode(enum bx_nhmex_request_kind kind,
                               const struct bx_nhmex_snoop_response *answer)
{
    bool alone = answer->was == BX_LINE_E || answer->was == BX_LINE_F;

    if (kind == BX_NHMEX_INVALIDATE)
        return answer->dirty ? RSP_I_WB : RSP_I;
    if (kind == BX_NHMEX_RFO)
        return answer->dirty || alone ? RSP_FWD_I : RSP_I;
    if (kind == BX_NHMEX_CURRENT)
        return answer->dirty || alone ? RSP_FWD : answer->was != BX_LINE_I ? RSP_S : RSP_I;
    return answer->dirty              ? RSP_FWD_S_WB
           : alone                    ? RSP_FWD_S
           : answer->was != BX_LINE_I ? RSP_S
                                      : RSP_I;
}

/* ---- conflicts: docs/explanation/model-nhmex.md, "Conflicts" ---- */

static uint8_t forward_opcode(enum bx_nhmex_request_kind kind)
{
    return kind == BX_NHMEX_INVALIDATE ? CMP_FWD_INV_I_TO_E
           : kind == BX_NHMEX_RFO      ? CMP_FWD_INV_OWN
                                       : CMP_FWD_CODE;
}

static void respond(struct bx_nhmex *m, struct bx_nhmex_peer peer, uint8_t opcode, uint64_t line,
                    uint64_t t, struct progress *p)
{
    struct bx_nhmex_packet packet = {.class = BX_NHMEX_HOM1, .opcode = opcode, .line = line};

    p->responded = bx_later(p->responded, bx_nhmex_to_home(m, peer, &packet, t));
    p->answered = bx_later(p->answered, p->responded);
}

/* Data of a snooped slice for its home's memory. Returns its arrival. */
static uint64_t write_for_snoop(struct bx_nhmex *m, struct bx_nhmex_peer peer, uint8_t opcode,
                                uint64_t line, uint64_t t)
{
    struct bx_nhmex_packet packet = {.class = BX_NHMEX_DRS, .opcode = opcode, .line = line};
    uint64_t home = bx_nhmex_to_home(m, peer, &packet, t);

    home_of(m, line)->implicit_wbs++;
    bx_nhmex_memory(m, line, true, home);
    return home;
}

/* The request that a snoop has met is done. Its slice acknowledges the conflict, and the home asks
 * it for the line, unless the acknowledgement has brought it. Returns whether an answer to the
 * snoop follows, at answer->done. */
static bool acknowledge(struct bx_nhmex *m, const struct bx_nhmex_request *request,
                        struct bx_nhmex_peer peer, struct bx_nhmex_snoop_response *answer,
                        struct progress *p)
{
    struct bx_nhmex_bbox *b = home_of(m, request->line);
    bool writes = answer->dirty && request->kind == BX_NHMEX_INVALIDATE;
    struct bx_nhmex_packet packet = {.class = BX_NHMEX_HOM,
                                     .opcode = writes ? ACK_CNFLT_WB_I : ACK_CNFLT,
                                     .line = request->line};
    uint64_t t = bx_later(p->begin, bx_nhmex_to_home(m, peer, &packet, answer->done));

    b->inserts[BX_NHMEX_CONFLICT_ACKS][request->requester.ioh]++;
    if (writes)
        t = bx_later(t, write_for_snoop(m, peer, WB_I_DATA, request->line, answer->done));
    p->responded = bx_later(p->responded, t);
    p->answered = bx_later(p->answered, t);
    packet = (struct bx_nhmex_packet){.class = BX_NHMEX_NDR,
                                      .opcode = writes ? CMP : forward_opcode(request->kind),
                                      .line = request->line};
    t = bx_nhmex_from_home(m, peer, &packet, t + m->times.b_decide);
    m->last_end = bx_later(m->last_end, t);
    if (!writes)
        answer->done = bx_nhmex_answer_late(m, peer.package, request->line, answer->data, t);
    return !writes;
}

/* ---- snoops ---- */

static bool forwards(uint8_t response)
{
    return response >= RSP_FWD && response <= RSP_FWD_S_WB;
}

/* Snoops one other package. The response goes to the home, and data to the requester. */
static void snoop(struct bx_nhmex *m, const struct bx_nhmex_request *request, unsigned package,
                  uint64_t t, struct progress *p)
{
    struct bx_nhmex_peer peer = {.package = package, .slice = bx_nhmex_slice(m, request->line)};
    struct bx_nhmex_packet packet = {.class = BX_NHMEX_SNP,
                                     .opcode = request_opcode(request),
                                     .spawned = p->snooped,
                                     .line = request->line};
    uint64_t arrives = bx_nhmex_to_slice(m, request->requester, package, &packet, t);
    struct bx_nhmex_snoop_response answer =
        bx_nhmex_snoop(m, package, request->line, request->kind, arrives);
    uint8_t response = response_opcode(request->kind, &answer);
    bool wrote_home = false; /* written data went through the R-Box */

    p->snooped = true;
    p->reply.dirty |= answer.dirty && request->kind == BX_NHMEX_RFO;
    p->reply.shared |= answer.was != BX_LINE_I && request->kind == BX_NHMEX_READ;
    if (answer.conflict) {
        respond(m, peer, RSP_CNFLT, request->line, answer.conflict, p);
        if (answer.was == BX_LINE_I || !acknowledge(m, request, peer, &answer, p))
            return;
    }
    if (response == RSP_FWD_S_WB || response == RSP_I_WB) {
        p->answered = bx_later(
            p->answered, write_for_snoop(m, peer, response == RSP_I_WB ? WB_I_DATA : WB_S_DATA,
                                         request->line, answer.done));
        wrote_home = peer.package != bx_nhmex_home(m, request->line);
    }
    respond(m, peer, response, request->line, answer.done, p);
    if (forwards(response)) {
        packet = (struct bx_nhmex_packet){.class = BX_NHMEX_DRS,
                                          .opcode = DATA_C,
                                          .spawned = wrote_home,
                                          .state = response == RSP_FWD     ? RDS_I
                                                   : response != RSP_FWD_I ? RDS_F
                                                   : answer.dirty          ? RDS_M
                                                                           : RDS_E,
                                          .line = request->line};
        p->data =
            bx_later(p->data, bx_nhmex_forward(m, peer, request->requester, &packet, answer.done));
        p->reply.forwarded = true;
        p->reply.was_modified |= answer.dirty;
    }
}

/* An entry of the in-flight memory table and of the tracker file. */
struct tracked {
    uint64_t arrives, alone, begin, end; /* alone: no other entry has the line from then on */
};

static void track(struct bx_nhmex *m, struct bx_nhmex_bbox *b, enum bx_nhmex_home_request what,
                  bool ioh, uint64_t line, struct tracked t)
{
    b->inserts[what][ioh]++;
    b->cohq_bypasses += t.begin == t.arrives;
    b->conflicts += t.alone > t.arrives;
    bx_nhmex_queue_put(m, &b->table, t.alone, t.begin, t.end);
    bx_nhmex_gauge_put(m, &b->tracker[what][ioh], t.arrives, t.end);
    bx_nhmex_hold(m, &b->open, line, 0, t.end);
    m->last_end = bx_later(m->last_end, t.end);
}

struct bx_nhmex_reply bx_nhmex_request_home(struct bx_nhmex *m,
                                            const struct bx_nhmex_request *request, uint64_t t)
{
    struct bx_nhmex_bbox *b = home_of(m, request->line);
    bool needs_data = request->kind != BX_NHMEX_INVALIDATE;
    struct bx_nhmex_packet packet = {
        .class = BX_NHMEX_HOM, .opcode = request_opcode(request), .line = request->line};
    uint64_t arrives = bx_nhmex_to_home(m, request->requester, &packet, t);
    uint64_t alone = bx_nhmex_held_until(&b->open, request->line, arrives);
    uint64_t begin = bx_nhmex_queue_begin(m, &b->table, alone);
    uint64_t read = begin + m->times.b_lookup;
    bool fetched_ahead = begin == arrives;
    struct progress p = {.begin = begin, .answered = begin + m->times.b_lookup};

    for (unsigned package = 0; package < m->packages; package++)
        if (package != request->requester.package || request->requester.ioh)
            snoop(m, request, package, t, &p);
    if (needs_data) {
        read = bx_nhmex_memory(m, request->line, false,
                               fetched_ahead ? begin + m->times.b_lookup : p.answered);
        b->demand_fetches += !fetched_ahead;
        b->acks_before_snoops += fetched_ahead && read < p.responded;
    }
    bool sends = needs_data && !p.reply.forwarded;
    uint64_t leaves = bx_later(p.answered, sends ? read : 0) + m->times.b_decide;
    packet = (struct bx_nhmex_packet){
        .class = sends ? BX_NHMEX_DRS : BX_NHMEX_NDR,
        .opcode = sends        ? DATA_C_CMP
                  : needs_data ? CMP
                               : GNT_CMP,
        .state = !sends || request->kind == BX_NHMEX_CURRENT ? RDS_I
                 : p.reply.shared                            ? RDS_F
                                                             : RDS_E,
        .line = request->line,
    };
    p.reply.done = bx_later(bx_nhmex_from_home(m, request->requester, &packet, leaves), p.data);
    if (!request->requester.ioh) {
        bx_nhmex_table_put(m, request->requester, request->line, request->accepted, p.reply.done,
                           leaves);
        bx_nhmex_hold(m, &m->package[request->requester.package].c[request->requester.slice].asked,
                      request->line, 0, p.reply.done);
    }
    track(m, b, needs_data ? BX_NHMEX_RD : BX_NHMEX_INVITOE, request->requester.ioh, request->line,
          (struct tracked){arrives, alone, begin, leaves});
    return p.reply;
}

uint64_t bx_nhmex_write_home(struct bx_nhmex *m, struct bx_nhmex_peer from, uint64_t line,
                             bool partial, uint64_t t)
{
    struct bx_nhmex_bbox *b = home_of(m, line);
    struct bx_nhmex_packet packet = {.class = BX_NHMEX_HOM, .opcode = WB_M_TO_I, .line = line};
    uint64_t arrives = bx_nhmex_to_home(m, from, &packet, t);
    uint64_t begin = bx_nhmex_queue_begin(m, &b->table, arrives);

    packet = (struct bx_nhmex_packet){.class = BX_NHMEX_DRS,
                                      .opcode = partial ? WB_I_DATA_PTL : WB_I_DATA,
                                      .partial = partial,
                                      .line = line};
    uint64_t data = bx_later(bx_nhmex_to_home(m, from, &packet, t), begin + m->times.b_lookup);
    uint64_t written = bx_nhmex_memory(m, line, true, data);
    b->early_acks++;
    packet = (struct bx_nhmex_packet){.class = BX_NHMEX_NDR, .opcode = CMP, .line = line};
    track(m, b, BX_NHMEX_WR, from.ioh, line, (struct tracked){arrives, arrives, begin, written});
    return bx_nhmex_from_home(m, from, &packet, data + m->times.b_decide);
}
