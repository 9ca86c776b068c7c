/* The state of the Xeon 7500 machine, and the functions that its files share. Rules:
 * docs/explanation/model-nhmex.md. */
#ifndef BX_MODEL_MACHINE_NHMEX_MACHINE_H
#define BX_MODEL_MACHINE_NHMEX_MACHINE_H

#include "model/part/dram.h"
#include "model/machine/nhmex/boxes.h"
#include "model/engine/turns.h"
#include "model/engine/limits.h"

/* The numbers of docs/explanation/model-nhmex.md, "Memory", in cycles, for the plain rule or for
 * DRAM. */
struct bx_nhmex_memory {
    uint64_t activate, precharge, cas[2]; /* cas: of reads; of writes */
    uint64_t transfer;                    /* of a line on the memory's bus */
    uint64_t answer;
    uint64_t refresh_every, refresh_takes; /* refresh_every 0: no refresh */
    /* Of DRAM, otherwise 0. The shortest times until a row is closed: from its opening; from a
     * read; from written data. */
    uint64_t open, read_to_close, write_to_close;
    bool is_dram, closes, adapts_paging;
    enum bx_nhmex_mode mode; /* TRADE_OFF: this or WRITE_FIRST, by the writes that wait */
    uint64_t patrol_every, hot_from, hot_until, heat_every; /* 0: none */
    struct bx_dram_map map;                                 /* only of DRAM */
};

struct bx_nhmex {
    struct bx_model model;
    unsigned packages, cores;
    bx_model_times times;
    struct bx_nhmex_memory memory; /* of each M-Box */
    struct bx_turns turns;         /* cores, package by package, then IO */
    struct bx_nhmex_package package[BX_NHMEX_PACKAGES];
    uint64_t last_end;     /* the time when everything in flight has ended */
    uint64_t locked_until; /* no request begins before: a core has locked the bus */
    bool throttles;        /* clocks of cores are modulated at times */
    /* Grows with all that the uncore serves. It never decreases, in contrast to model.accesses,
     * which cores reduce when they go back to a snoop. */
    uint64_t served;
};

/* The Xeon 7500 machine whose first member is this model. */
static inline struct bx_nhmex *bx_nhmex_of(bx_model *model)
{
    return (struct bx_nhmex *)(void *)model;
}

/* ---- where a line belongs: address_map.c ---- */

unsigned bx_nhmex_home(const struct bx_nhmex *m, uint64_t line);  /* package */
unsigned bx_nhmex_slice(const struct bx_nhmex *m, uint64_t line); /* C-Box and core number */
/* The number of the line within its home and side. Their lines are numbered without gaps. */
uint64_t bx_nhmex_line_at_home(const struct bx_nhmex *m, uint64_t line);

static inline unsigned bx_nhmex_home_side(uint64_t line) /* B-Box and M-Box */
{
    return line >> 1 & 1;
}

static inline unsigned bx_nhmex_side(unsigned slice) /* S-Box of a C-Box */
{
    return slice / BX_NHMEX_SIDE_CORES;
}

static inline unsigned bx_nhmex_s_port(unsigned side)
{
    return 2 + 4 * side;
}

static inline unsigned bx_nhmex_b_port(unsigned side)
{
    return 3 + 4 * side;
}

/* The link (0 … 3) that a packet from one package to another takes. The next functions: a link's
 * port; the package that a link leads to. */
unsigned bx_nhmex_link(const struct bx_nhmex *m, unsigned from, unsigned to);
unsigned bx_nhmex_link_port(unsigned link);
unsigned bx_nhmex_neighbour(const struct bx_nhmex *m, unsigned package, unsigned link);
bool bx_nhmex_has_ioh(const struct bx_nhmex *m);

/* The functions of gauges and queues, for the machine's present. A stay whose length is not known
 * is put when it is. */
static inline void bx_nhmex_gauge_put(struct bx_nhmex *m, struct bx_gauge *g, uint64_t begin,
                                      uint64_t end)
{
    bx_gauge_put(g, &m->model.memory, m->model.time.now, begin, end);
}

static inline uint64_t bx_nhmex_queue_begin(struct bx_nhmex *m, struct bx_queue *q, uint64_t t)
{
    return bx_queue_begin(q, m->model.time.now, t, BX_QUEUE_UNKNOWN);
}

static inline void bx_nhmex_queue_put(struct bx_nhmex *m, struct bx_queue *q, uint64_t t,
                                      uint64_t begin, uint64_t end)
{
    bx_queue_put(q, &m->model.memory, m->model.time.now, t, begin, end);
}

/* Puts an entry that arrives at a queue at t and stays for `cycles`. Returns the time when it
 * leaves. */
uint64_t bx_nhmex_occupy(struct bx_nhmex *m, struct bx_queue *s, uint64_t t, uint64_t cycles);

/* Holds a line. `from` 0: also from what comes before. bx_nhmex_held_until: when a line that
 * something wants at t is free; t if it is already. */
void bx_nhmex_hold(struct bx_nhmex *m, struct bx_nhmex_held *held, uint64_t line, uint64_t from,
                   uint64_t until);
uint64_t bx_nhmex_held_until(const struct bx_nhmex_held *held, uint64_t line, uint64_t t);

/* ---- packets: packet.c, rbox.c ---- */

/* Sends a packet from a port of a package's R-Box to a port of the same or another package's R-Box.
 * Returns its arrival. */
uint64_t bx_nhmex_route(struct bx_nhmex *m, struct bx_nhmex_node_port from,
                        struct bx_nhmex_node_port to, const struct bx_nhmex_packet *packet,
                        uint64_t t);

/* Compares a packet that passes a box or port with the patterns selected there. */
void bx_nhmex_compare_packet(struct bx_nhmex_patterns *patterns, enum bx_nhmex_box box,
                             enum bx_nhmex_direction direction,
                             const struct bx_nhmex_packet *packet);
/* The same of an R-Box's port. */
void bx_nhmex_compare_new(struct bx_nhmex_patterns *patterns, const struct bx_nhmex_packet *packet,
                          enum bx_nhmex_network network);

unsigned bx_nhmex_flits(const struct bx_nhmex_packet *packet);

/* ---- S-Boxes: sbox.c ---- */

/* The sender or receiver of a packet: a C-Box, which uses its S-Box, or the IOH. */
struct bx_nhmex_peer {
    bool ioh;
    unsigned package, slice;
};

/* What a C-Box's request needs besides an entry of MAF: one of the table of its S-Box, and a credit
 * of the line's home. */
struct bx_queue *bx_nhmex_table(struct bx_nhmex *m, struct bx_nhmex_peer requester);
struct bx_queue *bx_nhmex_credits(struct bx_nhmex *m, struct bx_nhmex_peer requester,
                                  uint64_t line);
/* Adds the request's entries when their ends are known: its completion, and the home's answer. */
void bx_nhmex_table_put(struct bx_nhmex *m, struct bx_nhmex_peer requester, uint64_t line,
                        uint64_t begin, uint64_t end, uint64_t answered);

/* Sends a packet from a C-Box or the IOH to the line's home agent, or to the line's slice in
 * another package. Returns its arrival there. */
uint64_t bx_nhmex_to_home(struct bx_nhmex *m, struct bx_nhmex_peer from,
                          struct bx_nhmex_packet *packet, uint64_t t);
uint64_t bx_nhmex_to_slice(struct bx_nhmex *m, struct bx_nhmex_peer from, unsigned package,
                           struct bx_nhmex_packet *packet, uint64_t t);

/* Sends a packet from a C-Box to one of another package or the IOH: data of a snooped line, a
 * message. Returns its arrival. */
uint64_t bx_nhmex_forward(struct bx_nhmex *m, struct bx_nhmex_peer from, struct bx_nhmex_peer to,
                          struct bx_nhmex_packet *packet, uint64_t t);

/* Sends a home agent's answer to a C-Box or the IOH. Returns its arrival there. */
uint64_t bx_nhmex_from_home(struct bx_nhmex *m, struct bx_nhmex_peer to,
                            struct bx_nhmex_packet *packet, uint64_t t);

/* Sends a packet from a C-Box to the IOH, or from there to a C-Box. Returns its arrival. */
uint64_t bx_nhmex_to_ioh(struct bx_nhmex *m, struct bx_nhmex_peer from,
                         struct bx_nhmex_packet *packet, uint64_t t);
uint64_t bx_nhmex_from_ioh(struct bx_nhmex *m, struct bx_nhmex_peer to,
                           struct bx_nhmex_packet *packet, uint64_t t);

/* ---- home agents and memory: bbox.c, mbox.c ---- */

enum bx_nhmex_request_kind {
    BX_NHMEX_READ,       /* a load or, with `code`, a fetch */
    BX_NHMEX_RFO,        /* a store that needs the data */
    BX_NHMEX_INVALIDATE, /* a store that has the data */
    BX_NHMEX_CURRENT,    /* a device reads; states do not change */
};

struct bx_nhmex_request {
    struct bx_nhmex_peer requester;
    enum bx_nhmex_request_kind kind;
    bool code;
    uint64_t line;
    uint64_t accepted; /* by its C-Box */
};

struct bx_nhmex_reply {
    uint64_t done;
    bool shared;                  /* another package had the line; it keeps a copy */
    bool dirty;                   /* an RFO got a modified line */
    bool forwarded, was_modified; /* another package sent the line; it had modified it */
};

/* Executes a request that its slice cannot serve, from t to its completion. */
struct bx_nhmex_reply bx_nhmex_request_home(struct bx_nhmex *m,
                                            const struct bx_nhmex_request *request, uint64_t t);

/* Writes to a line's home: a modified line, or a store of a whole or partial line. Returns the
 * completion. */
uint64_t bx_nhmex_write_home(struct bx_nhmex *m, struct bx_nhmex_peer from, uint64_t line,
                             bool partial, uint64_t t);

/* Sets up the memory of all M-Boxes. */
void bx_nhmex_memory_power_on(struct bx_nhmex *m, const bx_model_shape *shape);

/* The time when a home's memory has answered a read or write of the line. */
uint64_t bx_nhmex_memory(struct bx_nhmex *m, uint64_t line, bool write, uint64_t t);

/* ---- slices: slice.c, cbox.c ---- */

struct bx_nhmex_snoop_response {
    /* When the response arrives at the S-Box; after a conflict the acknowledgement. */
    uint64_t done;
    /* Not 0: the snoop has met a request of its slice, and RspCnflt arrives at the S-Box then. */
    uint64_t conflict;
    enum bx_line_state was;
    bool dirty; /* the line was modified, in the slice or in a core */
    bool data;  /* the slice sends it */
};

/* Executes a snoop for another package's request. It arrives from the S-Box at t. */
struct bx_nhmex_snoop_response bx_nhmex_snoop(struct bx_nhmex *m, unsigned package, uint64_t line,
                                              enum bx_nhmex_request_kind kind, uint64_t t);

/* The slice's answer, or its data, after a conflict: it may send it at t. Returns when it arrives
 * at the S-Box. */
uint64_t bx_nhmex_answer_late(struct bx_nhmex *m, unsigned package, uint64_t line, bool data,
                              uint64_t t);

/* Functions of struct bx_uncore: cbox.c, io.c. */
uint64_t bx_nhmex_request(bx_model *model, unsigned core, bx_access a, uint64_t t,
                          struct bx_grant *grant);
uint64_t bx_nhmex_non_temporal_store(bx_model *model, unsigned core, bx_access a, uint64_t t);
void bx_nhmex_write_back(bx_model *model, unsigned core, const struct bx_private_victim *victim,
                         uint64_t t);
uint64_t bx_nhmex_io_access(bx_model *model, unsigned agent, bx_access a, uint64_t t);
uint64_t bx_nhmex_uncacheable(bx_model *model, unsigned core, bx_access a, uint64_t t);

/* A slice's uncacheable access leaves it at t. Returns when the slice has the answer. */
uint64_t bx_nhmex_device_registers(struct bx_nhmex *m, struct bx_nhmex_peer from, bx_access a,
                                   uint64_t t);

/* All work has ended when everything that was begun has ended, including packets that no agent
 * waits for. The devices' agent includes these, because a core's work ends with its own requests.
 * Called at the end of each of these functions. Returns `done`. */
static inline uint64_t bx_nhmex_served(struct bx_nhmex *m, uint64_t done)
{
    struct bx_turns_agent *devices = &m->turns.agent[m->turns.io];

    m->served++;
    if (m->last_end > devices->completed)
        devices->completed = m->last_end;
    return done;
}

/* ---- interrupts, locks: ubox.c ---- */

/* See bx_model_kind.interrupt and send_interrupt, and bx_uncore.lock_bus. */
void bx_nhmex_interrupt(bx_model *model, unsigned package, unsigned cores);
void bx_nhmex_send_interrupt(bx_model *model, unsigned from, unsigned to, bool wakes);
uint64_t bx_nhmex_lock_bus(bx_model *model, unsigned core, uint64_t t);

/* An interrupt of a device for one core is in the U-Box at t. */
void bx_nhmex_device_interrupt(struct bx_nhmex *m, unsigned package, uint64_t t);

/* Cycles of a message from the U-Box of a package to another's. */
uint64_t bx_nhmex_u_distance(const struct bx_nhmex *m, unsigned from, unsigned to);

/* Of the timer (`u_timer`): its interrupts of this package. package 0: those of core 0. */
struct bx_window bx_nhmex_timer(const struct bx_nhmex *m, unsigned package, bool of_core_0);

/* ---- power and heat: wbox.c ---- */

void bx_nhmex_power_power_on(struct bx_nhmex *m);

/* When a core whose clock may be modulated makes a request that is ready at t. */
uint64_t bx_nhmex_after_throttle(const struct bx_nhmex *m, uint64_t t);

/* When a core's request that is ready at t begins: not while the bus is locked, and not while the
 * core's clock stands. */
static inline uint64_t bx_nhmex_request_begins(const struct bx_nhmex *m, uint64_t t)
{
    t = bx_later(t, m->locked_until);
    return m->throttles ? bx_nhmex_after_throttle(m, t) : t;
}

/* The cycles in which one of these cores is at or above the throttle temperature. */
struct bx_window bx_nhmex_hot(const struct bx_nhmex *m, unsigned cores);

/* ---- signals: signals.c, and a file for each box ---- */

extern const struct bx_box_signals *const bx_nhmex_signals[];

/* See bx_model_kind.find_unit. */
bool bx_nhmex_find_unit(bx_model *model, const bx_selection *sel, struct bx_unit *unit);

/* ---- models of this kind of uncore: machine.c ---- */

void bx_nhmex_power_on(bx_model *model, const bx_model_shape *shape);

#define BX_NHMEX_FUNCTIONS                                                                         \
    .size = sizeof(struct bx_nhmex), .power_on = bx_nhmex_power_on, .box = bx_nhmex_signals,       \
    .boxes = BX_NHMEX_BOXES, .find_unit = bx_nhmex_find_unit, .interrupt = bx_nhmex_interrupt,     \
    .send_interrupt = bx_nhmex_send_interrupt, BX_TURNS_FUNCTIONS

extern const struct bx_model_kind bx_nhmex_model;

#endif
