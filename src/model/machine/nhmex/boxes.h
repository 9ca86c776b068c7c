/* The boxes of a Xeon 7500 package: their queues, and what they count. Rules:
 * docs/explanation/model-nhmex.md. */
#ifndef BX_MODEL_MACHINE_NHMEX_BOXES_H
#define BX_MODEL_MACHINE_NHMEX_BOXES_H

#include "model/engine/awake.h"
#include "model/part/cache.h"
#include "model/part/link.h"
#include "model/part/queue.h"

/* Boxes as in bx_selection.box. The order is that of the catalogue's `boxes`. */
enum bx_nhmex_box {
    BX_NHMEX_U,
    BX_NHMEX_C,
    BX_NHMEX_B,
    BX_NHMEX_S,
    BX_NHMEX_R,
    BX_NHMEX_M,
    BX_NHMEX_W,
    BX_NHMEX_CORE,
    BX_NHMEX_STALLS,
    BX_NHMEX_BOXES,
};

enum {
    BX_NHMEX_PACKAGES = 8,
    BX_NHMEX_CORES = 8,
    BX_NHMEX_SIDES = 2,
    BX_NHMEX_SIDE_CORES = BX_NHMEX_CORES / BX_NHMEX_SIDES,
    BX_NHMEX_PORTS = 8,
    BX_NHMEX_LINKS = 4,
};

/* ---- packets ---- */

/* Message classes in the order of the bits of IPERF's NEW_PC. */
enum bx_nhmex_class {
    BX_NHMEX_NCB,
    BX_NHMEX_NCS,
    BX_NHMEX_DRS,
    BX_NHMEX_NDR,
    BX_NHMEX_SNP,
    BX_NHMEX_HOM, /* requests */
    /* Responses to snoops. Events count them with HOM, unless they distinguish the two. */
    BX_NHMEX_HOM1,
    BX_NHMEX_CLASSES
};

enum { BX_NHMEX_LINE_MESSAGES = 2 }; /* messages of one line on a BL ring */

enum bx_nhmex_direction { BX_NHMEX_IN, BX_NHMEX_OUT };

enum { BX_NHMEX_RDS_M = 8 };

struct bx_nhmex_packet {
    enum bx_nhmex_class class;
    uint8_t opcode;
    uint8_t state; /* of data, in its field RDS: 8 M, 4 E, 2 S, 1 F */
    bool partial;
    bool spawned;           /* a later packet of one message, which PKTS_SENT_* does not count */
    uint8_t from, to, home; /* node numbers: the package, or 16 for the IOH */
    uint64_t line;
};

struct bx_nhmex_node_port {
    unsigned package, port;
};

/* What an event of a B-Box compares: bits. Without OUT it compares incoming packets. */
enum bx_nhmex_compared {
    BX_NHMEX_COMPARES_OUT = 1,
    BX_NHMEX_COMPARES_CLASS = 2,
    BX_NHMEX_COMPARES_OPCODE = 4,
    BX_NHMEX_COMPARES_LINE = 8,
};

/* A comparison of packets that a counter has selected, and its matches so far. */
struct bx_nhmex_pattern {
    unsigned compared; /* of a B-Box: a set of bx_nhmex_compared */
    uint64_t filter[3];
    uint64_t sum;
};

/* All comparisons that were ever selected for a box or port. */
struct bx_nhmex_patterns {
    struct bx_nhmex_pattern *of;
    unsigned n, room;
};

/* ---- C-Box ---- */

/* Egress queues to the rings, towards the S-Box (SB) or the cores (NSB). In the order of
 * ARB_WINS. */
enum bx_nhmex_egress {
    BX_NHMEX_AD_SB,
    BX_NHMEX_AD_NSB,
    BX_NHMEX_AK_SB,
    BX_NHMEX_AK_NSB,
    BX_NHMEX_BL_SB,
    BX_NHMEX_BL_NSB,
    BX_NHMEX_IV,
    BX_NHMEX_EGRESSES
};

enum bx_nhmex_queue {
    BX_NHMEX_IRQ,  /* requests of cores */
    BX_NHMEX_IPQ,  /* snoops of other packages */
    BX_NHMEX_VIQ,  /* victims */
    BX_NHMEX_MAF,  /* requests in flight */
    BX_NHMEX_RWRF, /* requests of the core with the C-Box's number, on the way to the ring */
    BX_NHMEX_RSPF, /* snoop responses of that core */
    BX_NHMEX_QUEUES
};

enum { BX_NHMEX_AD, BX_NHMEX_AK, BX_NHMEX_BL, BX_NHMEX_RINGS };

/* Lines that something holds, from a time until another. */
struct bx_nhmex_held {
    struct bx_nhmex_hold {
        uint64_t line, from, until;
    } * of;
    unsigned n, room;
};

/* Why a message is refused, in the order of the bits of MAF_NACK1 and MAF_NACK2. */
enum {
    BX_NHMEX_VIC_PENDING = 1,
    BX_NHMEX_SNP_PENDING = 2,
    BX_NHMEX_AC_PENDING = 3,
    BX_NHMEX_PA_BLOCK = 5,
    BX_NHMEX_NACK1 = 7
};
enum {
    BX_NHMEX_MAF_FULL,
    BX_NHMEX_EGRESS_FULL,
    BX_NHMEX_VIQ_FULL,
    BX_NHMEX_NO_TRACKER_CREDITS,
    BX_NHMEX_NO_S_FIFO_CREDITS,
    BX_NHMEX_NO_S_REQTBL_ENTRIES,
    BX_NHMEX_WB_PENDING,
    BX_NHMEX_NACK2 = 8
};

struct bx_nhmex_cbox {
    struct bx_cache llc;
    struct bx_queue queue[BX_NHMEX_QUEUES];
    struct bx_queue egress[BX_NHMEX_EGRESSES];
    uint64_t hit[4], fill[4]; /* M, E, S, F */
    uint64_t miss[3];         /* S, F, I */
    uint64_t victim[5];       /* M, E, S, F, I */
    uint64_t snoop[2];        /* for reads; for ownership */
    uint64_t snoop_hit[8];    /* for reads: M, E, S, F; for ownership: the same */
    /* Lines in MAF; modified victims; lines that are snooped; that cores write back. */
    struct bx_nhmex_held open, evicted, snooped, written;
    struct bx_nhmex_held asked;    /* lines that are requested from a home */
    struct bx_gauge core_starving; /* requests of the core here that starve, towards the S-Box */
    uint64_t nack1[BX_NHMEX_NACK1], nack2[BX_NHMEX_NACK2];
    uint64_t bounces[2]; /* requests that found IRQ full: from this side; the other side */
    /* Messages on each ring; a line on BL is two. to_core[0] is IV. */
    uint64_t from_core[BX_NHMEX_RINGS], to_core[BX_NHMEX_RINGS], from_s[BX_NHMEX_RINGS];
    uint64_t s_to_core_data;
};

/* ---- S-Box ---- */

struct bx_nhmex_fifo { /* one queue for each C-Box of the side; `lanes` has one lane for each */
    struct bx_queue of[BX_NHMEX_SIDE_CORES];
    struct bx_gauge lanes, waiting;
    uint64_t by_lanes[1 << BX_NHMEX_SIDE_CORES];
};

/* In the order of TO_RING_MSGQ_OCCUPANCY. */
enum bx_nhmex_to_ring {
    BX_NHMEX_RING_SNP,
    BX_NHMEX_RING_NCS,
    BX_NHMEX_RING_NCB,
    BX_NHMEX_RING_NDR,
    BX_NHMEX_RING_R2S, /* data from the R-Box */
    BX_NHMEX_RING_B2S, /* data from the B-Box */
    BX_NHMEX_TO_RINGS
};

enum { BX_NHMEX_VIA_R, BX_NHMEX_VIA_B, BX_NHMEX_VIAS };
enum { BX_NHMEX_LOCAL, BX_NHMEX_REMOTE };

struct bx_nhmex_sbox {
    struct bx_queue hom[BX_NHMEX_VIAS]; /* requests and responses: to the R-Box; to the B-Box */
    struct bx_gauge hom_any;
    struct bx_gauge ipq_waiting; /* snoops that wait for an IPQ of the side */
    struct bx_queue b_credits;   /* packets with a credit of VNA for a B-Box */
    /* A packet has found no credit of VNA: for the R-Box; for the R-Box or a B-Box. */
    struct bx_gauge no_vna, no_vna_any;
    struct bx_gauge bypass_to_b; /* home messages and credits that bypass the queue to the B-Box */
    struct bx_queue snp, ndr;
    struct bx_nhmex_fifo drs, ncb, ncs;
    struct bx_queue data_to_b;
    struct bx_queue to_ring[BX_NHMEX_TO_RINGS];
    struct bx_queue table;                      /* requests in flight */
    struct bx_gauge table_of[2];                /* LOCAL, REMOTE */
    struct bx_queue egress[2 * BX_NHMEX_RINGS]; /* AD, AK, BL: clockwise; counter-clockwise */
    uint64_t requests[2];                       /* LOCAL, REMOTE */
    uint64_t hom_sent[BX_NHMEX_VIAS];
    uint64_t snp_sent, ndr_sent, flits_sent[BX_NHMEX_CLASSES];
    uint64_t by_core[BX_NHMEX_CLASSES][BX_NHMEX_SIDE_CORES]; /* DRS, NCB, NCS sent */
    uint64_t received[BX_NHMEX_CLASSES];                     /* from the R-Box and the B-Box */
    uint64_t data_from[BX_NHMEX_VIAS];
    uint64_t received_from[BX_NHMEX_VIAS]; /* packets of any class; each returns a credit */
    uint64_t sent_to_b;                    /* packets of any class */
    struct bx_nhmex_patterns patterns;
};

/* ---- B-Box ---- */

enum bx_nhmex_home_request {
    BX_NHMEX_RD,
    BX_NHMEX_WR,
    BX_NHMEX_INVITOE,
    BX_NHMEX_HOME_REQUESTS,
    BX_NHMEX_CONFLICT_ACKS = BX_NHMEX_HOME_REQUESTS, /* inserts that are no requests */
    BX_NHMEX_HOME_INSERTS
};
enum { BX_NHMEX_NOT_IOH, BX_NHMEX_IOH };

struct bx_nhmex_bbox {
    struct bx_gauge tracker[BX_NHMEX_HOME_REQUESTS][2];         /* [request][from the IOH] */
    struct bx_queue table;                                      /* in-flight memory table */
    struct bx_nhmex_held open;                                  /* lines in it */
    struct bx_queue credits[BX_NHMEX_PACKAGES][BX_NHMEX_SIDES]; /* of each S-Box */
    struct bx_queue output[BX_NHMEX_VIAS];                      /* to R-Box; to S-Box */
    struct bx_gauge drsq; /* data that waits for one of these ports */
    uint64_t inserts[BX_NHMEX_HOME_INSERTS][2];
    uint64_t in_not_snoops, s_to_b, b_to_s, drsq_inserts;
    uint64_t implicit_wbs, early_acks, acks_before_snoops;
    /* Requests that found room in the table; reads that did not, for which memory is read later. */
    uint64_t cohq_bypasses, demand_fetches, conflicts;
    struct bx_queue s_credits[BX_NHMEX_CLASSES]; /* packets with one of VN0 for an S-Box */
    uint64_t no_vna; /* packets that found no credit of VNA for the R-Box */
    struct bx_nhmex_patterns patterns;
};

/* ---- R-Box ---- */

/* Virtual networks, in the order of IPERF's NEW_PVN. */
enum bx_nhmex_network { BX_NHMEX_VN0, BX_NHMEX_VN1, BX_NHMEX_VNA, BX_NHMEX_NETWORKS };

enum {
    BX_NHMEX_PACKET_CLASSES = BX_NHMEX_CLASSES - 1, /* HOM and HOM1 are one */
    BX_NHMEX_VNA_MOST = 64,                         /* credits of a size */
};

/* The credits of an input port: the time from which each of them is free. Those of VNA are for
 * packets of one flit, or for longer ones; they are used in turn. */
struct bx_nhmex_port_credits {
    uint64_t vna[2][BX_NHMEX_VNA_MOST];
    unsigned next[2];
    uint64_t own[BX_NHMEX_VNA][BX_NHMEX_PACKET_CLASSES]; /* of VN0 and VN1 */
};

struct bx_nhmex_rport {
    bool link;
    uint64_t new_packets[BX_NHMEX_PACKET_CLASSES];
    uint64_t new_on[BX_NHMEX_NETWORKS][BX_NHMEX_PACKET_CLASSES];
    uint64_t allocated[BX_NHMEX_PACKET_CLASSES + 1]; /* the last: HOM on VN1 */
    /* By network: VNA counts as VN0. */
    uint64_t bids_failed[BX_NHMEX_VNA][BX_NHMEX_PACKET_CLASSES];
    uint64_t packets, failed;
    struct bx_nhmex_port_credits credits;
    struct bx_gauge eot[BX_NHMEX_VNA][BX_NHMEX_PACKET_CLASSES], eot_any;
    struct bx_gauge starving; /* packets of this input port that starve */
    struct bx_queue output;   /* the outgoing link, one flit per cycle */
    struct bx_link over;      /* the way from there to the other package */
    struct bx_nhmex_patterns patterns;
};

/* ---- M-Box ---- */

enum {
    BX_NHMEX_BANKS = 64,    /* the plain rule uses 32 of them */
    BX_NHMEX_COMMANDS = 32, /* number of values of PLD's dram_cmd */
    BX_NHMEX_ANY_COMMAND = 2,
    BX_NHMEX_WAYS = 2, /* upwards, downwards */
    BX_NHMEX_MARKS = 4,
    BX_NHMEX_MODULES = 4,
    BX_NHMEX_MODES = 4, /* static trade-off; read priority; write priority; adaptive */
};

/* The commands of dram_cmd, M_MSR_PMU_PLD 12:8. */
enum bx_nhmex_command {
    BX_NHMEX_PREALL = 0x01,
    BX_NHMEX_RAS = 0x02,
    BX_NHMEX_CAS_RD_OPN = 0x03,
    BX_NHMEX_CAS_WR_OPN = 0x04,
    BX_NHMEX_CAS_RD_CLS = 0x05, /* the row closes after it */
    BX_NHMEX_CAS_WR_CLS = 0x06,
    BX_NHMEX_RFR = 0x09,
    BX_NHMEX_PRE = 0x11,
};

struct bx_nhmex_bank {
    uint64_t row, free_at;
    /* The earliest time at which its row can be closed; if the last access closes its row, at which
     * the next one can be opened. */
    uint64_t closes_at;
    uint64_t refreshes; /* number of refreshes before its last command */
    bool used, open, closes;
};

/* What an M-Box does with rows after an access. */
struct bx_nhmex_paging {
    bool closes;
    unsigned score;     /* of accesses to the same row as the bank's last one, against others */
    uint64_t since;     /* when it has last changed, */
    uint64_t closed;    /* the cycles before that in which rows were closed, */
    uint64_t change[2]; /* and how often it has: from open to closed; back */
};

enum bx_nhmex_mode {
    BX_NHMEX_TRADE_OFF,
    BX_NHMEX_READ_FIRST,
    BX_NHMEX_WRITE_FIRST,
    BX_NHMEX_ADAPTIVE
};

struct bx_nhmex_mbox {
    struct bx_nhmex_paging paging;
    struct bx_nhmex_bank bank[BX_NHMEX_BANKS];
    uint64_t command[BX_NHMEX_COMMANDS][BX_NHMEX_MODES];
    uint64_t page_hits, page_misses, page_empties;
    uint64_t reads, writes, refresh_conflicts, heat_conflicts;
    struct bx_queue read_queue, write_queue, bus;
    struct bx_gauge scheduled[3]; /* reads, writes and commands of any kind that wait for DRAM */
    struct bx_gauge refresh, patrol;
    struct bx_gauge crossed[BX_NHMEX_WAYS][BX_NHMEX_MARKS][BX_NHMEX_MODULES]; /* marks of heat */
};

/* ---- U-Box ---- */

/* What the U-Box counts. The first ones are buffers of packets that wait to be broadcast. */
enum bx_nhmex_in_u {
    BX_NHMEX_LOCAL_INT,
    BX_NHMEX_REMOTE_INT,
    BX_NHMEX_LOCK,
    BX_NHMEX_STOP_START, /* StopReq1, StartReq2 */
    BX_NHMEX_BUFFERS,
    BX_NHMEX_TO_RING = BX_NHMEX_BUFFERS, /* packets that are broadcast */
    BX_NHMEX_IPIS,                       /* cores that an interrupt is sent to */
    BX_NHMEX_WOKEN,
    BX_NHMEX_IN_U
};

struct bx_nhmex_ubox {
    struct bx_gauge in[BX_NHMEX_IN_U];
    uint64_t free_at[BX_NHMEX_BUFFERS]; /* when the buffer has room for the next packet */
    uint64_t packets;                   /* since power-on; changes with each */
};

/* ---- W-Box ---- */

/* The windows of bx_awake. */
enum bx_nhmex_window {
    BX_NHMEX_TURBO,
    BX_NHMEX_TM1,     /* the clock is modulated as the die is hot */
    BX_NHMEX_FORCEPR, /* the same as a pin asks for it */
    /* Not of the W-Box: the interrupts of the timer to core 0, and from there to idle cores. */
    BX_NHMEX_TIMER_OF_CORE_0,
    BX_NHMEX_TIMER,
    BX_NHMEX_WINDOWS
};
_Static_assert(BX_NHMEX_WINDOWS <= (unsigned)BX_AWAKE_WINDOWS, "each has its sums");

/* ---- package ---- */

struct bx_nhmex_package {
    struct bx_nhmex_cbox c[BX_NHMEX_CORES];
    struct bx_nhmex_sbox s[BX_NHMEX_SIDES];
    struct bx_nhmex_bbox b[BX_NHMEX_SIDES];
    struct bx_nhmex_rport r[BX_NHMEX_PORTS];
    struct bx_nhmex_mbox m[BX_NHMEX_SIDES];
    struct bx_nhmex_ubox u;
    struct bx_awake *awake; /* NULL: no window is ever open */
};

#endif
