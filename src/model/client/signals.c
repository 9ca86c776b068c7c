/* The counts behind each selection of the client machine's uncore. */
#include "model/client/signals.h"

#include "model/client/boxes.h"

enum {
    CBO_XSNP_RESPONSE = 0x22,
    CBO_CACHE_LOOKUP = 0x34,
    ARB_TRK_OCCUPANCY = 0x80,
    ARB_TRK_REQUESTS = 0x81,
    ARB_COH_TRK_REQUESTS = 0x84,
};

static void add(struct bx_signal *signal, const uint64_t *cell)
{
    signal->cell[signal->cells++] = cell;
}

/* Unit mask bits of 334060-001 table 3-1: states M 1, E 2, S 4, I 8; READ 10H … ANY 80H. */
static bool lookups(struct bx_signal *signal,
                    const uint64_t lookup[BX_CLIENT_LOOKUPS][BX_MESI_STATES], uint32_t umask)
{
    static const uint8_t state_bit[BX_MESI_STATES] = {
        [BX_LINE_M] = 0x01, [BX_LINE_E] = 0x02, [BX_LINE_S] = 0x04, [BX_LINE_I] = 0x08};
    static const uint8_t request_bit[BX_CLIENT_LOOKUPS] = {
        [BX_CLIENT_READ] = 0x10, [BX_CLIENT_WRITE] = 0x20, [BX_CLIENT_EXTSNP] = 0x40};
    const uint8_t any = 0x80;

    for (unsigned r = 0; r < BX_CLIENT_LOOKUPS; r++)
        for (unsigned s = 0; s < BX_MESI_STATES; s++)
            if (umask & (request_bit[r] | any) && umask & state_bit[s])
                add(signal, &lookup[r][s]);
    return umask <= 0xff;
}

/* Unit mask bits: MISS 1, HIT 4, HITM 8; EXTERNAL 20H, XCORE 40H, EVICTION 80H. */
static bool snoops(struct bx_signal *signal,
                   const uint64_t xsnp[BX_SNOOP_SOURCES][BX_SNOOP_RESPONSES], uint32_t umask)
{
    static const uint8_t response_bit[BX_SNOOP_RESPONSES] = {
        [BX_SNOOP_MISS] = 0x01, [BX_SNOOP_HIT] = 0x04, [BX_SNOOP_HITM] = 0x08};
    static const uint8_t from_bit[BX_SNOOP_SOURCES] = {
        [BX_SNOOP_EXTERNAL] = 0x20, [BX_SNOOP_XCORE] = 0x40, [BX_SNOOP_EVICTION] = 0x80};
    const uint32_t not_modelled = ~UINT32_C(0xff) | 0x02 | 0x10;

    for (unsigned f = 0; f < BX_SNOOP_SOURCES; f++)
        for (unsigned r = 0; r < BX_SNOOP_RESPONSES; r++)
            if (umask & from_bit[f] && umask & response_bit[r])
                add(signal, &xsnp[f][r]);
    return !(umask & not_modelled);
}

static bool cbo(const bx_selection *sel, unsigned slices, const struct bx_client_counts *counts,
                struct bx_signal *signal)
{
    if (sel->unit >= slices)
        return false;
    switch (sel->code) {
    case CBO_CACHE_LOOKUP:
        return lookups(signal, counts->lookup[sel->unit], sel->umask);
    case CBO_XSNP_RESPONSE:
        return snoops(signal, counts->xsnp[sel->unit], sel->umask);
    default:
        return false;
    }
}

/* The kinds of ARB entries that a unit mask selects. 0: it selects none, or has other bits. */
static unsigned arb_kinds(uint32_t umask)
{
    const uint32_t all = 0x01, data_read = 0x02, writes = 0x20;
    unsigned kinds = 0;

    if (umask & ~(all | data_read | writes))
        return 0;
    if (umask & data_read)
        kinds |= 1u << BX_ARB_DATA_READ;
    if (umask & writes)
        kinds |= 1u << BX_ARB_WRITE;
    return umask & all ? (1u << BX_ARB_KINDS) - 1 : kinds;
}

static bool arb(const bx_selection *sel, const struct bx_client_source *source,
                struct bx_signal *signal)
{
    const struct bx_client_counts *counts = source->counts;
    unsigned kinds = arb_kinds(sel->umask);

    switch (sel->code) {
    case ARB_TRK_OCCUPANCY:
        signal->kind = BX_SIGNAL_OCCUPANCY;
        signal->entries = kinds;
        signal->changes = &source->arb->entered;
        return kinds && sel->umask <= 0x03;
    case ARB_TRK_REQUESTS:
        for (unsigned k = 0; k < BX_ARB_KINDS; k++)
            if (kinds >> k & 1)
                add(signal, &counts->arb[k]);
        return kinds != 0;
    case ARB_COH_TRK_REQUESTS:
        add(signal, &counts->coh);
        return sel->umask == 1;
    default:
        return false;
    }
}

/* The code is the counter's offset from the BAR: 334060-001 table 3-3. */
static bool imc(const bx_selection *sel, const struct bx_client_counts *counts,
                struct bx_signal *signal)
{
    switch (sel->code) {
    case 0x5040:
        add(signal, &counts->imc[BX_IMC_GT]);
        return true;
    case 0x5044:
        add(signal, &counts->imc[BX_IMC_IA]);
        return true;
    case 0x5048:
        add(signal, &counts->imc[BX_IMC_IO]);
        return true;
    case 0x5050:
        add(signal, &counts->data_reads);
        return true;
    case 0x5054:
        add(signal, &counts->data_writes);
        return true;
    default:
        return false;
    }
}

bool bx_client_signal_of(const struct bx_client_source *source, unsigned slices,
                         const bx_selection *sel, struct bx_signal *signal)
{
    *signal = (struct bx_signal){.kind = BX_SIGNAL_PULSES};
    if (sel->package != 0)
        return false;
    switch (sel->box) {
    case BX_CLIENT_CBO:
        return cbo(sel, slices, source->counts, signal);
    case BX_CLIENT_ARB:
        return arb(sel, source, signal);
    case BX_CLIENT_CLOCK:
        signal->kind = BX_SIGNAL_CLOCK;
        return true;
    case BX_CLIENT_IMC:
        return imc(sel, source->counts, signal);
    default:
        return false;
    }
}

/* ---- levels ---- */

static const struct bx_client_source *client_of(const struct bx_signal_source *source)
{
    return (const struct bx_client_source *)(const void *)source;
}

static uint64_t source_tally(struct bx_signal_source *source, const struct bx_signal *signal,
                             uint64_t now)
{
    const struct bx_client_source *client = client_of(source);
    uint64_t sum = 0;

    for (unsigned i = 0; i < signal->cells; i++)
        sum += *signal->cell[i];
    if (signal->kind != BX_SIGNAL_OCCUPANCY)
        return sum;
    for (unsigned k = 0; k < BX_ARB_KINDS; k++)
        if (signal->entries >> k & 1)
            sum += client->counts->occupancy[k];
    return sum - bx_arb_remaining(client->arb, signal->entries, now);
}

static uint64_t source_level(struct bx_signal_source *source, const struct bx_signal *signal,
                             uint64_t now)
{
    return bx_arb_level(client_of(source)->arb, signal->entries, now);
}

static uint64_t source_next_change(struct bx_signal_source *source, const struct bx_signal *signal,
                                   uint64_t now)
{
    (void)signal;
    return bx_arb_next_end(client_of(source)->arb, now);
}

void bx_client_source_power_on(struct bx_client_source *source, struct bx_arb *arb,
                               const struct bx_client_counts *counts)
{
    *source = (struct bx_client_source){
        .base = {source_tally, source_level, source_next_change},
        .arb = arb,
        .counts = counts,
    };
}
