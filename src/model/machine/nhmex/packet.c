/* Packets: their lengths, and their comparison with the match registers of S-, B- and R-Boxes. A
 * comparison counts from its first use. That is enough, because counters use only differences. */
#include "model/machine/nhmex/signals.h"

#include <string.h>

enum { LINE_FLITS = 9, PARTIAL_FLITS = 11 };

unsigned bx_nhmex_flits(const struct bx_nhmex_packet *packet)
{
    switch (packet->class) {
    case BX_NHMEX_DRS:
    case BX_NHMEX_NCB:
        return packet->partial ? PARTIAL_FLITS : LINE_FLITS;
    default:
        return 1;
    }
}

/* Message class codes: 323535-001 page 142. */
static unsigned class_code(enum bx_nhmex_class class)
{
    static const uint8_t codes[BX_NHMEX_CLASSES] = {
        [BX_NHMEX_NCB] = 12, [BX_NHMEX_NCS] = 4, [BX_NHMEX_DRS] = 14, [BX_NHMEX_NDR] = 2,
        [BX_NHMEX_SNP] = 3,  [BX_NHMEX_HOM] = 0, [BX_NHMEX_HOM1] = 1,
    };
    return codes[class];
}

/* The fields of XBR_SET_MATCH. */
static uint64_t header_of(const struct bx_nhmex_packet *packet, enum bx_nhmex_network network)
{
    return (uint64_t)packet->state << 48 | (uint64_t)packet->from << 31 |
           (uint64_t)packet->to << 13 | class_code(packet->class) << 9 |
           (unsigned)packet->opcode << 5 | (unsigned)network << 3;
}

bool bx_nhmex_sends(const uint64_t filter[3])
{
    /* Opcodes of each class, a bit each: docs/explanation/model-nhmex.md, "Packets". */
    static const uint16_t opcodes[BX_NHMEX_CLASSES] = {
        [BX_NHMEX_NCB] = 0x1502,  [BX_NHMEX_NCS] = 0x1011, [BX_NHMEX_DRS] = 0x013d,
        [BX_NHMEX_NDR] = 0x1d11,  [BX_NHMEX_SNP] = 0x0117, [BX_NHMEX_HOM] = 0x9317,
        [BX_NHMEX_HOM1] = 0x3713,
    };
    const uint64_t compared = filter[2] & 0x1fe0;

    for (unsigned class = 0; class < BX_NHMEX_CLASSES; class ++)
        for (unsigned opcode = 0; opcode < 16; opcode++)
            if (opcodes[class] >> opcode & 1 &&
                !((((uint64_t)class_code(class) << 9 | opcode << 5) ^ filter[1]) & compared))
                return true;
    return false;
}

/* MM_CFG: match_flt_cnt 19:16, ig_flt_cnt 20, mm_trig_en 21, dis 63. Returns the number of flits
 * that match. */
static unsigned r_matches(const uint64_t filter[3], const struct bx_nhmex_packet *packet,
                          enum bx_nhmex_network network)
{
    uint64_t config = filter[0];
    unsigned flits = bx_nhmex_flits(packet), wanted_flits = (unsigned)(config >> 16 & 0xf);

    if (config >> 63 || !(config >> 21 & 1) || (header_of(packet, network) ^ filter[1]) & filter[2])
        return 0;
    if (config >> 20 & 1)
        return flits;
    return wanted_flits >= 1 && wanted_flits <= flits;
}

/* B_MSR_MATCH and its mask; a mask bit of 1 means that the bit is compared. msg_out 51:48, opc_out
 * 59:56; msg_in 47:44, opc_in 55:52. */
static unsigned b_matches(const struct bx_nhmex_pattern *p, enum bx_nhmex_direction direction,
                          const struct bx_nhmex_packet *packet)
{
    const uint64_t addr = (UINT64_C(1) << 44) - 1;
    bool out = p->compared & BX_NHMEX_COMPARES_OUT;
    unsigned class_at = out ? 48 : 44, opcode_at = out ? 56 : 52;
    uint64_t header = (uint64_t)class_code(packet->class) << class_at |
                      (uint64_t)packet->opcode << opcode_at | (packet->line & addr);
    uint64_t compared = (p->compared & BX_NHMEX_COMPARES_CLASS ? UINT64_C(0xf) << class_at : 0) |
                        (p->compared & BX_NHMEX_COMPARES_OPCODE ? UINT64_C(0xf) << opcode_at : 0) |
                        (p->compared & BX_NHMEX_COMPARES_LINE ? addr : 0);

    return out == (direction == BX_NHMEX_OUT) &&
           !((header ^ p->filter[0]) & p->filter[1] & compared);
}

/* S_MSR_MATCH: mc 47:43 has a bit for each class, 0 for any; addr 42:5 is the line; hnid 4:0 is the
 * home. In the mask (38:1, 0), a 1 means that the bit is not compared. */
static unsigned s_matches(const uint64_t filter[3], const struct bx_nhmex_packet *packet)
{
    static const uint8_t bits[BX_NHMEX_CLASSES] = {
        [BX_NHMEX_HOM] = 0x01, [BX_NHMEX_HOM1] = 0x02, [BX_NHMEX_NDR] = 0x04,
        [BX_NHMEX_NCS] = 0x08, [BX_NHMEX_NCB] = 0x10,
    };
    const uint64_t addr = (UINT64_C(1) << 38) - 1;
    uint64_t classes = filter[1] >> 43 & 0x1f;

    if (!(filter[0] >> 63) || (classes && !(classes & bits[packet->class])))
        return 0;
    if (((filter[1] >> 5 ^ packet->line) & ~(filter[2] >> 1)) & addr)
        return 0;
    return filter[2] & 1 || (filter[1] & 0x1f) == packet->home;
}

/* Matches of a comparison since it was first read. compared: of a B-Box, what it compares. The
 * patterns are in `memory`. */
static uint64_t matches(struct bx_nhmex_patterns *patterns, bx_arena *memory, unsigned compared,
                        const uint64_t filter[3])
{
    struct bx_nhmex_pattern *p;

    for (size_t i = 0; i < patterns->n; i++) {
        p = &patterns->of[i];
        if (p->compared == compared && memcmp(p->filter, filter, sizeof p->filter) == 0)
            return p->sum;
    }
    p = bx_arena_grow(memory, patterns->of, patterns->n, &patterns->room, sizeof *p, 8);
    if (!p)
        return 0;
    patterns->of = p;
    p += patterns->n++;
    *p = (struct bx_nhmex_pattern){.compared = compared};
    memcpy(p->filter, filter, sizeof p->filter);
    return 0;
}

void bx_nhmex_compare_packet(struct bx_nhmex_patterns *patterns, enum bx_nhmex_box box,
                             enum bx_nhmex_direction direction,
                             const struct bx_nhmex_packet *packet)
{
    for (size_t i = 0; i < patterns->n; i++) {
        struct bx_nhmex_pattern *p = &patterns->of[i];
        p->sum +=
            box == BX_NHMEX_B ? b_matches(p, direction, packet) : s_matches(p->filter, packet);
    }
}

void bx_nhmex_compare_new(struct bx_nhmex_patterns *patterns, const struct bx_nhmex_packet *packet,
                          enum bx_nhmex_network network)
{
    for (size_t i = 0; i < patterns->n; i++)
        patterns->of[i].sum += r_matches(patterns->of[i].filter, packet, network);
}

static uint64_t sum_of_matches(bx_model *model, const struct bx_signal *signal, uint64_t now)
{
    const struct bx_term *t = &signal->term[0];

    (void)now;
    return matches((struct bx_nhmex_patterns *)(void *)t->at, &model->memory, t->what,
                   signal->selection.filter);
}

const struct bx_reader bx_nhmex_read_matches = {.sum = sum_of_matches};
