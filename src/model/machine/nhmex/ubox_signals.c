/* What a selection of the U-Box counts: docs/explanation/model-nhmex.md, "Interrupts and locks". */
#include "model/machine/nhmex/signals.h"

/* Packets, and besides those the interrupts of the timer, which no access makes. */

static const struct bx_nhmex *of_model(bx_model *model)
{
    return bx_nhmex_of(model);
}

/* The cores of a package to which core 0 of package 0 sends the timer's interrupt if they are
 * idle. */
static unsigned told_by_core_0(const struct bx_nhmex *m, unsigned package)
{
    return ((1u << m->cores) - 1) & ~(package == 0 ? 1u : 0);
}

/* What a package counts of the timer in a cycle of its interrupt for idle cores, if these are
 * awake. */
static unsigned of_idle(unsigned what, unsigned told, unsigned awake)
{
    unsigned idle = (unsigned)__builtin_popcount(told & ~awake);

    return what == BX_NHMEX_IPIS || what == BX_NHMEX_WOKEN ? idle : idle != 0;
}

/* Whether the interrupt, which comes from outside to package 0 and core 0, counts. */
static bool counts_core_0(unsigned what, unsigned awake)
{
    return what == BX_NHMEX_REMOTE_INT || what == BX_NHMEX_TO_RING ||
           (what == BX_NHMEX_WOKEN && !(awake & 1));
}

/* Whether the interrupt that core 0 sends on counts. */
static bool counts_sent_on(unsigned what, unsigned package)
{
    return what >= BX_NHMEX_TO_RING ||
           what == (package == 0 ? BX_NHMEX_LOCAL_INT : BX_NHMEX_REMOTE_INT);
}

static uint64_t timers_before(const struct bx_nhmex *m, unsigned package, unsigned what,
                              uint64_t now)
{
    struct bx_awake *awake = m->package[package].awake;
    unsigned told = told_by_core_0(m, package);
    uint64_t sum = 0;

    if (!awake)
        return 0;
    bx_awake_advance(awake, now);
    for (unsigned set = 0; set < BX_AWAKE_SETS; set++) {
        if (counts_sent_on(what, package))
            sum += awake->cycles[BX_NHMEX_TIMER][set] * of_idle(what, told, set);
        if (package == 0 && counts_core_0(what, set))
            sum += awake->cycles[BX_NHMEX_TIMER_OF_CORE_0][set];
    }
    return sum;
}

static uint64_t timers_at(const struct bx_nhmex *m, unsigned package, unsigned what, uint64_t now)
{
    struct bx_awake *awake = m->package[package].awake;
    uint64_t n = 0;

    if (!awake)
        return 0;
    bx_awake_advance(awake, now);
    if (counts_sent_on(what, package) && bx_window_has(&awake->window[BX_NHMEX_TIMER], now))
        n += of_idle(what, told_by_core_0(m, package), awake->cores);
    if (package == 0 && counts_core_0(what, awake->cores))
        n += bx_window_has(&awake->window[BX_NHMEX_TIMER_OF_CORE_0], now);
    return n;
}

static struct bx_gauge *gauge_of(const struct bx_signal *signal)
{
    return (struct bx_gauge *)(void *)signal->term[0].at + signal->term[0].what;
}

static uint64_t sum_of_packets(bx_model *model, const struct bx_signal *signal, uint64_t now)
{
    return bx_gauge_sum(gauge_of(signal), BX_GAUGE_ENTRIES, now) +
           timers_before(of_model(model), signal->selection.package, signal->term[0].what, now);
}

static uint64_t level_of_packets(bx_model *model, const struct bx_signal *signal, uint64_t now)
{
    return bx_gauge_level(gauge_of(signal), BX_GAUGE_ENTRIES, now) +
           timers_at(of_model(model), signal->selection.package, signal->term[0].what, now);
}

static uint64_t next_packet(bx_model *model, const struct bx_signal *signal, uint64_t now)
{
    struct bx_awake *awake = of_model(model)->package[signal->selection.package].awake;
    uint64_t next = bx_gauge_next(gauge_of(signal), now);

    if (!awake)
        return next;
    next = bx_sooner(next, bx_window_next(&awake->window[BX_NHMEX_TIMER], now));
    return bx_sooner(next, bx_window_next(&awake->window[BX_NHMEX_TIMER_OF_CORE_0], now));
}

static const char *phrase(unsigned what)
{
    static const char *const names[BX_NHMEX_IN_U] = {
        [BX_NHMEX_LOCAL_INT] = "interrupts of this package that wait",
        [BX_NHMEX_REMOTE_INT] = "interrupts from outside that wait",
        [BX_NHMEX_LOCK] = "locks and unlocks that wait",
        [BX_NHMEX_STOP_START] = "stops and starts of all cores that wait",
        [BX_NHMEX_TO_RING] = "packets to the ring",
        [BX_NHMEX_IPIS] = "cores that an interrupt is sent to",
        [BX_NHMEX_WOKEN] = "idle cores that an interrupt is sent to",
    };
    return names[what];
}

static const struct bx_reader read_packets = {sum_of_packets, level_of_packets, next_packet,
                                              phrase};

/* The name comes from the phrase. */
static const struct bx_tallies packets = {
    .name = "",
    .reader = &read_packets,
    .place = {.at = offsetof(struct bx_nhmex, package[0].u.in),
              .package = sizeof(struct bx_nhmex_package)},
};

/* Of errors, special cycles and requests to home agents the model has none. */
static const struct bx_row rows[] = {
    {0x00, ANY, &packets, .what = BX_NHMEX_LOCAL_INT},
    {0x01, ANY, &packets, .what = BX_NHMEX_REMOTE_INT},
    {0x02, ANY, &packets, .what = BX_NHMEX_LOCK},
    {0x03, ANY, &packets, .what = BX_NHMEX_STOP_START},
    {0x50, ANY, &packets, .what = BX_NHMEX_TO_RING},
    {0xf8, ANY, &packets, .what = BX_NHMEX_WOKEN},
    {0xf9, ANY, &packets, .what = BX_NHMEX_IPIS},
};

const struct bx_box_signals bx_nhmex_u_signals = {{BX_ROWS(rows)}};
