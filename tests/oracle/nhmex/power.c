/* "Interrupts and locks" and "Power and heat": packets of the U-Box, the schedules of the W-Box,
 * and what both count. */
#include "nhmex/sums.h"

#include <stdlib.h>

/* ---- packets of the U-Box ---- */

/* A buffer sends one packet in a cycle. */
static uint64_t packet(struct nhmex_oracle *o, unsigned package, enum u_buffer buffer, uint64_t t)
{
    struct package *p = &o->package[package];

    while (p->u_used[buffer] > t)
        t++;
    p->u_used[buffer] = t + 1;
    nhmex_log(&p->u, (struct instant){.time = t, .code = buffer, .bit = 1, .amount = 1});
    nhmex_log(&p->u, (struct instant){.time = t, .code = U_PACKETS, .bit = 1, .amount = 1});
    return t;
}

void nhmex_oracle_interrupt(struct nhmex_oracle *o, unsigned package, unsigned cores)
{
    uint64_t t = packet(o, package, U_LOCAL, o->end);
    nhmex_log(&o->package[package].u,
              (struct instant){.time = t, .code = U_IPIS, .bit = 1, .amount = cores});
}

static uint64_t away(const struct nhmex_oracle *o, unsigned from, unsigned to)
{
    return from == to ? 0 : o->times.link;
}

void nhmex_oracle_send_interrupt(struct nhmex_oracle *o, unsigned from, unsigned to, bool wakes)
{
    unsigned a = from / o->cores, b = to / o->cores;
    uint64_t t = packet(o, b, a == b ? U_LOCAL : U_REMOTE, o->end + o->times.ring + away(o, a, b));
    struct instant one = {.time = t, .code = U_IPIS, .bit = 1, .amount = 1};

    nhmex_log(&o->package[b].u, one);
    one.code = U_WOKEN;
    if (wakes)
        nhmex_log(&o->package[b].u, one);
}

void nhmex_device_interrupt(struct nhmex_oracle *o, unsigned package, uint64_t t)
{
    t = packet(o, package, U_REMOTE, t);
    nhmex_log(&o->package[package].u,
              (struct instant){.time = t, .code = U_IPIS, .bit = 1, .amount = 1});
}

/* The messages of "Bus locks" to another package and back. */
static void message(struct nhmex_oracle *o, const struct core *core, unsigned to, bool stop,
                    uint64_t t)
{
    struct cbox *here = &o->package[core->package].cbox[core->number];
    struct cbox *there = &o->package[to].cbox[core->number];
    struct packet p = {stop ? NCS : NCB, stop ? 12 : 8, stop ? 1 : 11, 0, core->package, to, 0};
    struct packet answer = {NDR, 4, 1, 0, to, core->package, 0};

    t = packet(o, to, U_STST, nhmex_message(o, here, there, &p, t + o->times.ring));
    o->end = later(o->end, nhmex_message(o, there, here, &answer, t + o->times.ring));
}

static void lock_message(struct nhmex_oracle *o, const struct core *core, bool stop, uint64_t t)
{
    t = packet(o, core->package, U_LOCK, t + o->times.ring);
    for (unsigned p = 0; p < o->packages; p++) {
        if (p == core->package)
            packet(o, p, U_STST, t);
        else
            message(o, core, p, stop, t);
    }
}

uint64_t nhmex_lock_bus(struct nhmex_oracle *o, const struct core *core)
{
    uint64_t begin = later(o->now, o->locked_until), end = begin + o->times.bus_lock;

    lock_message(o, core, true, begin);
    lock_message(o, core, false, end);
    o->locked_until = end;
    return end;
}

/* ---- schedules ---- */

/* Whether t is in the part of its period from `from` to `to`, in tenths and so many cycles more. */
static bool in_part(uint64_t period, uint64_t t, uint64_t from, uint64_t to)
{
    return period > 0 && t % period >= from && t % period < to;
}

static bool is_hot(const struct nhmex_oracle *o, unsigned core, uint64_t t)
{
    uint64_t p = o->times.w_heat, later_by = core * (p / 80);

    return in_part(p, t, p * 4 / 10 + later_by, p * 6 / 10 + later_by);
}

/* cores: a mask of cores of the package. */
static bool any_hot(const struct nhmex_oracle *o, unsigned cores, uint64_t t)
{
    for (unsigned core = 0; core < o->cores; core++)
        if (cores >> core & 1 && is_hot(o, core, t))
            return true;
    return false;
}

static bool is_modulated(const struct nhmex_oracle *o, uint64_t t)
{
    uint64_t p = o->times.w_heat;

    return any_hot(o, 0xff, t) && t % p >= p * 4 / 10 + p / 20;
}

static bool is_forced(const struct nhmex_oracle *o, uint64_t t)
{
    uint64_t p = o->times.w_forcepr;

    return in_part(p, t, p / 2, p);
}

static bool is_turbo(const struct nhmex_oracle *o, uint64_t t)
{
    uint64_t p = o->times.w_turbo;

    return in_part(p, t, 0, p / 2);
}

uint64_t nhmex_request_begins(const struct nhmex_oracle *o)
{
    uint64_t t = later(o->now, o->locked_until);

    if (t % 32 >= 16 && (is_modulated(o, t) || is_forced(o, t)))
        t += 32 - t % 32;
    return t;
}

/* ---- who is awake ---- */

void nhmex_core_worked(struct core *core, uint64_t begin, uint64_t end)
{
    core->span = nhmex_grow(core->span, core->spans, &core->span_room, sizeof *core->span);
    core->span[core->spans++] = (struct span){begin, end};
}

/* Sets the core's bit in awake[t] of all cycles in which it worked. */
static void add_spans(const struct core *core, unsigned char *awake, size_t cycles)
{
    for (size_t i = 0; i < core->spans; i++)
        for (uint64_t t = core->span[i].begin; t < core->span[i].end && t < cycles; t++)
            awake[t] |= (unsigned char)(1 << core->number);
}

static unsigned char *awake_of(const struct nhmex_oracle *o, unsigned package, size_t cycles)
{
    unsigned char *awake = calloc(cycles + 1, 1);

    if (awake == NULL)
        abort();
    for (unsigned c = 0; c < o->cores; c++)
        add_spans(&o->core[package * o->cores + c], awake, cycles);
    return awake;
}

/* ---- levels of the W-Box ---- */

static bool counts(const struct nhmex_oracle *o, unsigned code, unsigned cores, unsigned awake,
                   uint64_t t)
{
    switch (code) {
    case 0x00:
        return any_hot(o, cores, t);
    case 0x01:
        return is_modulated(o, t) && awake & cores;
    case 0x02:
        return any_hot(o, 0xff, t);
    case 0x03:
        return is_forced(o, t) && awake & cores;
    case 0x04:
        return is_turbo(o, t) && awake & cores;
    case 0x07:
        return is_modulated(o, t);
    default:
        return true; /* the clock */
    }
}

bool nhmex_wbox_levels(struct sum *s, const struct nhmex_signal *sig)
{
    unsigned char *awake = awake_of(s->oracle, sig->package, s->cycles);

    for (size_t t = 0; t < s->cycles; t++)
        if (counts(s->oracle, sig->code, sig->umask, awake[t], t))
            sum_at(s, t, 1);
    free(awake);
    return sig->code <= 0x04 || sig->code == 0x07 || sig->code == 0xff;
}

/* ---- levels of the U-Box ---- */

/* The timer's interrupt at t: for core 0, and the one that core 0 sends on. */
static void timer_at(struct sum *s, unsigned package, enum u_buffer what,
                     const unsigned char *awake, uint64_t t)
{
    const struct nhmex_oracle *o = s->oracle;
    uint64_t on = t + 2 * o->times.ring + away(o, 0, package);
    unsigned idle = 0;

    if (package == 0 && t < s->cycles &&
        (what == U_REMOTE || what == U_PACKETS || (what == U_WOKEN && !(awake[t] & 1))))
        sum_at(s, t, 1);
    if (on >= s->cycles)
        return;
    for (unsigned core = package == 0; core < o->cores; core++)
        idle += !(awake[on] >> core & 1);
    if (what == U_IPIS || what == U_WOKEN)
        sum_at(s, on, idle);
    else if (idle && (what == U_PACKETS || what == (package == 0 ? U_LOCAL : U_REMOTE)))
        sum_at(s, on, 1);
}

static void timers(struct sum *s, unsigned package, enum u_buffer what)
{
    uint64_t every = s->oracle->packages > 4 ? 0 : s->oracle->times.u_timer;
    unsigned char *awake = awake_of(s->oracle, package, s->cycles);

    for (uint64_t t = every; every > 0 && t < s->cycles; t += every)
        timer_at(s, package, what, awake, t);
    free(awake);
}

bool nhmex_ubox_levels(struct sum *s, const struct nhmex_signal *sig)
{
    static const struct {
        unsigned code;
        enum u_buffer what;
    } codes[] = {{0x00, U_LOCAL},   {0x01, U_REMOTE}, {0x02, U_LOCK}, {0x03, U_STST},
                 {0x50, U_PACKETS}, {0xf8, U_WOKEN},  {0xf9, U_IPIS}};

    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].code == sig->code) {
            sum_instants(s, &s->oracle->package[sig->package].u, codes[i].what, 1);
            timers(s, sig->package, codes[i].what);
            return true;
        }
    return false;
}
