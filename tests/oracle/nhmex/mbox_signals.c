/* Levels of the M-Box. */
#include "nhmex/sums.h"

#include <stdlib.h>

/* 1 in the cycles of a state of the queues: its bit of DSP_FILL. */
static void state_cycles(struct sum *s, const struct mbox *m, unsigned bit)
{
    const struct resource *queue = bit & 5 ? &m->reads : &m->writes;

    if (bit & 3) {
        sum_queue_of(s, CYCLES_FULL, queue);
        return;
    }
    sum_idle(s, queue);
}

static void add_sum(struct sum *s, const struct mbox *m, unsigned umask, bool entered)
{
    for (unsigned bit = 1; bit < 16; bit *= 2) {
        struct sum one = {calloc(s->cycles + 1, sizeof *one.level), s->cycles, s->oracle};
        if (one.level == NULL)
            abort();
        if (umask & bit) {
            state_cycles(&one, m, bit);
            for (size_t t = 0; t < s->cycles; t++)
                if (!entered)
                    s->level[t] += one.level[t];
                else if (t > 0 && one.level[t] > 0)
                    sum_at(s, t, 1);
        }
        free(one.level);
    }
}

static void writes_first(struct sum *s, const struct mbox *m)
{
    sum_occupancy(s, &m->writes);
    sum_reach(s, (int32_t)s->oracle->times.m_write_mark);
    sum_finished(s);
}

static bool has_fixed_mode(const struct sum *s)
{
    return s->oracle->times.m_read_first || s->oracle->times.m_adaptive;
}

static void changes(struct sum *s, const struct mbox *m)
{
    if (has_fixed_mode(s))
        return;
    writes_first(s, m);
    for (size_t t = 0; t < s->cycles; t++)
        s->level[t] = abs(s->level[t]);
    sum_finished(s);
}

static void refreshes(struct sum *s)
{
    uint64_t every = nhmex_refresh_every(s->oracle);
    for (uint64_t t = every; every > 0 && t < s->cycles; t += every)
        sum_at(s, t, 1);
}

/* An entry in `first`, and in each period after it. */
static void periodic(struct sum *s, uint64_t first, uint64_t period)
{
    for (uint64_t t = first; period > 0 && t < s->cycles; t += period)
        sum_at(s, t, 1);
}

/* A module rises for half of the period and falls for the other half. module 8: any of four. */
static void crossings(struct sum *s, unsigned code, unsigned mark, unsigned module)
{
    uint64_t period = s->oracle->times.m_heat,
             at = period * (code == 0x04 ? mark + 1 : 9 - mark) / 10;

    for (unsigned i = 0; i < 4; i++)
        if (module == 8 || module == i)
            periodic(s, at + i * (period / 40), period);
}

/* Instants of a command have its code as their bit, which is not a mask. */
static void dram_command(struct sum *s, const struct instants *of, unsigned which)
{
    for (size_t i = 0; i < of->n; i++)
        if (of->instant[i].code == 0x0a && of->instant[i].bit == which)
            sum_at(s, of->instant[i].time, 1);
}

static bool dram_cmd(struct sum *s, const struct mbox *m, const struct nhmex_signal *sig)
{
    if (sig->umask == 0x01 || sig->umask == 0x09)
        return refreshes(s), true;
    const struct instants *of = sig->by_mode ? &m->by_mode[sig->mode] : &m->counts;
    return dram_command(s, of, sig->umask), true;
}

static void scheduled(struct sum *s, const struct mbox *m, unsigned umask)
{
    for (size_t i = 0; i < m->inflight.n; i++)
        if (umask == 8 || umask == m->inflight.entry[i].kind)
            sum_add(s, m->inflight.entry[i].begin, m->inflight.entry[i].end, 1);
    sum_reach(s, 1);
    sum_finished(s);
}

static void mode_cycles(struct sum *s, const struct mbox *m, unsigned mode)
{
    unsigned fixed = s->oracle->times.m_read_first ? M_READS : M_ADAPTIVE;

    if (has_fixed_mode(s)) {
        if (mode == fixed)
            sum_add(s, 0, s->cycles, 1);
        return;
    }
    if (mode == M_TRADE_OFF || mode == M_WRITES)
        writes_first(s, m);
    if (mode != M_TRADE_OFF)
        return;
    for (size_t t = 0; t < s->cycles; t++)
        s->level[t] = -s->level[t];
    sum_add(s, 0, s->cycles, 1);
}

/* open: cycles in which rows are left open; else those in which they are closed. */
static void policy_cycles(struct sum *s, const struct mbox *m, bool open)
{
    bool closes = s->oracle->times.m_close != 0;
    uint64_t since = 0;

    for (size_t i = 0; i <= m->policy.n; i++) {
        uint64_t until = i < m->policy.n ? m->policy.instant[i].time : s->cycles;
        if (closes != open)
            sum_add(s, since, until, 1);
        since = until;
        closes = !closes;
    }
}

bool nhmex_mbox_levels(struct sum *s, const struct mbox *m, const struct nhmex_signal *sig)
{
    switch (sig->code) {
    case 0x00:
        return add_sum(s, m, sig->umask, true), true;
    case 0x20:
        return add_sum(s, m, sig->umask, false), true;
    case 0x21:
        return mode_cycles(s, m, sig->umask), true;
    case 0x25:
        return policy_cycles(s, m, sig->umask), true;
    case 0x16:
        return sum_instants(s, &m->policy, sig->code, 1u << sig->umask), true;
    case 0x26:
        return scheduled(s, m, sig->umask), true;
    case 0x01:
    case 0x23:
    case 0x24:
        sum_cycles_of(s, sum_starving, &m->reads);
        return true;
    case 0x04:
    case 0x05:
        return crossings(s, sig->code, sig->umask, sig->module), true;
    case 0x11:
        return periodic(s, s->oracle->times.m_patrol, s->oracle->times.m_patrol), true;
    case 0x06:
        return refreshes(s), true;
    case 0x08:
        return changes(s, m), true;
    case 0x0a:
        return dram_cmd(s, m, sig);
    case 0x02:
    case 0x07:
    case 0x13:
    case 0x14:
    case 0x15:
    case 0x19:
        return sum_instants(s, &m->counts, sig->code, 1), true;
    case 0x0d: /* FVC: the sub-event in bits 3:0, command or response above */
        if ((sig->umask & 15) == 5)
            sum_instants(s, &m->counts, 0x1a, sig->umask >> 4 < 2 ? 1u << (sig->umask >> 4) : 0);
        else if (sig->umask == 6)
            sum_instants(s, &m->counts, 0x1a, 3);
        return true;
    case 0x17:
    case 0x18:
        return true;
    case 0x12:
    case 0x1a:
    case 0x1d:
        return sum_instants(s, &m->counts, 0x1a, 3), true;
    case 0x1b:
        return sum_add(s, 0, s->cycles, 1), true;
    case 0x1c:
        return sum_occupancy(s, &m->inflight), true;
    default:
        return false;
    }
}
