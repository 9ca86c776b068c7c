/* The rows of a catalogue's tables. catalog.h has the tables. */
#ifndef BX_CATALOG_ROWS_H
#define BX_CATALOG_ROWS_H

#include <stdint.h>

#define BX_NONE UINT16_MAX /* no such item */

/* No row has hidden padding: the same files give the same bytes, built in or parsed at run time. */
#ifndef __clang__ /* one process checks many files: tools/suite/clang.py */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"
#endif

typedef uint32_t bx_cat_text; /* byte offset of a NUL-terminated string in the pool; 0 is "" */

/* A half-open range of items of another table. */
typedef struct bx_span {
    uint16_t first, n;
} bx_span;

/* A CPU model: what the tables of one folder under catalog/ describe. */
/* The most shape keys and PMUs of a CPU. */
enum { BX_SHAPES = 256, BX_PMUS = 64 };

typedef struct bx_cat_cpu {
    bx_cat_text name;  /* "skl" */
    bx_cat_text title; /* own words, one line */
    bx_cat_text source;
    bx_cat_text note;
    bx_cat_text model;     /* the machine model that imitates it: "client" */
    bx_cat_text features;  /* features of its cores: "avx2", "avx", "sse4.2", "sse2" */
    bx_cat_text called;    /* other names in machine strings: "skylake skylake-client" */
    bx_cat_text clock;     /* the unit of its time: "uncore cycles" */
    bx_span ids;           /* bx_cat_id */
    bx_span relatives;     /* bx_cat_id: similar CPU models that are not in the catalogue */
    bx_span pmus;          /* bx_cat_pmu; the first one holds the registers of the package itself */
    bx_span passives;      /* bx_cat_passive: MSRs */
    bx_span functions;     /* bx_cat_function */
    bx_span windows;       /* bx_cat_window: the map of its addresses */
    bx_span metrics;       /* bx_cat_metric, in the order of their file */
    bx_span metric_groups; /* bx_cat_metric_group, in the order of their file */
    bx_span defaults;      /* bx_cat_pick: what `stat` counts without -e */
    bx_span shapes;   /* bx_cat_shape: keys of the machine string with their defaults and ranges */
    bx_span parts;    /* bx_cat_preset: real processors; the first one is the default */
    bx_span memories; /* bx_cat_preset */
    uint16_t freeze;  /* field: 1 freezes counting when a PMI is requested; BX_NONE */
    uint16_t freezes; /* field that the freeze clears */
    uint16_t wake;    /* field: 1 wakes sleeping cores for a PMI; BX_NONE */
    bx_span pmi;      /* fields, one per core: the PMI is forwarded to it; cores may be fewer */
    uint16_t noted;   /* status field that a request for a PMI sets; BX_NONE */
    uint16_t changed; /* status field that any overflow sets; BX_NONE */
    /* rank among CPUs that share an event name: the lowest above 0 is used; 0: none */
    uint16_t first;
    /* shape key: cycles from the request to the freeze; "": it freezes at once */
    bx_cat_text delay;
} bx_cat_cpu;

typedef struct bx_cat_id {
    uint16_t family, model;
} bx_cat_id;

/* A number of the machine: cores, llc, bar …; lo ≤ preset ≤ hi. A preset of 0 is derived from
 * others. */
typedef struct bx_cat_shape {
    bx_cat_text name;
    bx_cat_text title;
    uint64_t preset, lo, hi;
} bx_cat_shape;

/* Values of shape keys under one name: a real processor, or its memory. */
typedef struct bx_cat_preset {
    bx_cat_text name;  /* "i7-6700k" */
    bx_cat_text title; /* own words, one line */
    bx_cat_text source;
    bx_cat_text note;
    bx_cat_text called; /* other names in machine strings: "coppermine" */
    bx_span values;     /* bx_cat_preset_value */
    uint16_t fits;      /* of a part: the memory that fits it, a bx_cat_preset; BX_NONE */
    uint16_t cpu;
} bx_cat_preset;

typedef struct bx_cat_preset_value {
    uint64_t value;
    uint64_t shape; /* bx_cat_shape */
} bx_cat_preset_value;

enum { BX_SHARED = 12 }; /* most shared registers of a unit that modifiers are in */

enum bx_scope { BX_SCOPE_PACKAGE, BX_SCOPE_CORE, BX_SCOPE_CPU };

/* A PMU type. Units are its instances within one scope (package or CPU). */
typedef struct bx_cat_pmu {
    bx_cat_text name;  /* "skl_unc_cbo" */
    bx_cat_text title; /* own words */
    bx_cat_text source;
    bx_cat_text note; /* contradictions between documents, and the reading that we follow, or "" */
    bx_cat_text kernel; /* the Linux PMU's name, `{unit}` for the unit number; "" if it has none */
    bx_cat_text likwid; /* LIKWID's counter names, `{unit}` and `{n}`: "CBOX{unit}C{n}"; "" */
    bx_cat_text unit_label; /* name of one unit: "C-Box {unit}" */
    uint16_t cpu;
    uint8_t scope;         /* enum bx_scope */
    uint8_t unit_max;      /* most units that one scope can have */
    bx_cat_text unit_key;  /* shape key with the number of units; "" = unit_max */
    uint16_t unit_field;   /* field that reports the number of units; BX_NONE */
    int16_t unit_bias;     /* units = field + unit_bias */
    uint16_t select_event; /* fields of the control register that the code and unit mask go to; */
    uint16_t select_umask; /* BX_NONE where there are none (fixed and free-running counters) */
    bx_span regs, counters, events, modifiers;
    /* Derived, for the encoder: */
    uint32_t levels, hidden;    /* masks over its modifiers: those with BX_MODIFIER_LEVEL, with
                                   BX_MODIFIER_HIDDEN */
    uint32_t shared;            /* the same: those in shared registers */
    uint8_t event_at, umask_at; /* lowest bits of select_event and select_umask */
    uint8_t ports;  /* ports of a unit: port p of unit u is number ports * u + p; 0: it has none */
    uint8_t stride; /* counter n of unit u is called n + stride * u */
    uint32_t architectural; /* version of architectural performance monitoring; 0: it is not */
    uint32_t only_virtual;  /* 1: virtual machines have it, and no processor does */
    uint32_t shared_in[BX_SHARED]; /* the modifiers in each shared register, in the order of the
                                      registers */
    uint32_t preset;      /* mask: modifiers whose value is not 0 when they are not given */
    uint32_t masked;      /* the same: those that another one masks */
    bx_span slots;        /* bx_cat_slot */
    bx_span perf_names;   /* bx_cat_other_name: of Linux and of perf */
    bx_span likwid_names; /* the same, of LIKWID: where neither event nor unit mask has the name */
} bx_cat_pmu;

enum bx_space { BX_SPACE_MSR, BX_SPACE_PCI, BX_SPACE_MMIO };
const char *bx_cat_space_name(unsigned space); /* "msr", "pci", "mmio" */

/* The bits of a register, as masks, grouped by the effect of an access. Each bit is in one of the
 * first six masks. */
typedef struct bx_cat_bits {
    uint64_t stored;     /* rw: hold what is written */
    uint64_t read_only;  /* ro: writes are dropped */
    uint64_t write_only; /* wo: read as 0 */
    uint64_t w1c;        /* set by the hardware; a written 1 clears them */
    uint64_t ignored;    /* read as 0, writes are dropped */
    uint64_t reserved;   /* bits without a field: writing 1 faults */
    uint64_t triggers;   /* write_only and w1c: writing 1 has an effect and is not stored */
    uint64_t writable;   /* stored and triggers */
    uint64_t hidden;     /* write_only and ignored: always read as 0 */
    uint64_t clears;     /* of write_only: clear status bits that are elsewhere */
    uint64_t effects;    /* clear status bits elsewhere, or reset registers or a queue tally */
    uint64_t gathers;    /* of read_only: summarise other registers */
    uint64_t runs;       /* of stored: go up by 1 in every cycle; one field at most */
} bx_cat_bits;

/* A register, in every unit. Its address in unit u of package 0 is addr[first_addr + u]. In PCI
 * space, it is bus<<20 | device<<15 | function<<12 | offset; in MMIO space, it is the offset from
 * `base`'s value. */
typedef struct bx_cat_reg {
    bx_cat_text name; /* `{unit}` stands for the unit number */
    bx_cat_text title;
    bx_cat_text source;
    bx_cat_text note;
    uint16_t pmu;
    uint8_t space; /* enum bx_space */
    uint8_t width; /* bits of one access: 32 or 64 */
    uint16_t base; /* MMIO: the field whose bits, in place, are the base address; else BX_NONE */
    uint8_t flags; /* BX_REG_* */
    /* a write stores bits extends:0 and copies the top one upwards; 0: it does not */
    uint8_t extends;
    uint32_t first_addr;
    bx_span fields;
    uint16_t precondition; /* bx_cat_cond that must hold while it is written; BX_NONE */
    uint8_t config;     /* number plus 1 of the word of Linux's perf_event_attr that has it: config,
                           config1 or config2; 0: none */
    uint8_t config_lo;  /* its bits in that word */
    bx_cat_text kernel; /* Linux's term for the whole register: "dsp"; "" */
    uint64_t reset;
    uint8_t config_hi;
    uint8_t pad;
    uint16_t shows;          /* register whose count it also shows; BX_NONE */
    uint32_t former;         /* address of the MSR in earlier generations; 0: none */
    uint32_t package_stride; /* PCI space: from package to package; 0: only package 0 has it */
    bx_cat_text also; /* other names in the documents, separated by blanks; never printed as its
                         name */
    bx_cat_bits bits; /* derived from its fields */
} bx_cat_reg;

enum {
    /* all counters of the unit share it, and events may need different values in it */
    BX_REG_SHARED = 1,
    BX_REG_FAULTS = 2, /* a write while its precondition does not hold faults */
};

/* Kinds of bits. Bits without a field are reserved: writing anything but 0 there faults. */
enum bx_field_kind {
    BX_FIELD_RW,
    BX_FIELD_RO,  /* writes are dropped; if a register has only such fields, writing it faults */
    BX_FIELD_WO,  /* reads as 0 */
    BX_FIELD_W1C, /* write 1 to clear */
    BX_FIELD_IGNORED, /* reads 0, writes are dropped */
};

typedef struct bx_cat_field {
    bx_cat_text name;
    bx_cat_text title;
    bx_cat_text note;
    bx_cat_text kernel; /* Linux's term where it is neither code nor unit mask nor a modifier; "" */
    uint16_t reg;       /* the first register that has it; equal registers share their fields */
    uint8_t lo, hi;
    uint8_t kind;    /* enum bx_field_kind */
    uint8_t resets;  /* enum bx_resets: what a written 1 does */
    uint16_t clears; /* status field that a written 1 clears; BX_NONE */
    bx_span gathers; /* bx_cat_gather: it reads 1 while any of these registers has a bit set */
    uint8_t runs;    /* 1: it goes up by 1 in every cycle, starting at the written value */
    uint8_t pad[3];
} bx_cat_field;

/* Status registers of other units that a summary bit summarises. */
typedef struct bx_cat_gather {
    uint16_t reg;   /* of another PMU or of the same one */
    uint16_t unit;  /* the unit whose summary it is */
    uint32_t units; /* mask: the units of reg's PMU, in the same package */
} bx_cat_gather;

enum bx_resets {
    BX_RESETS_NOTHING,
    BX_RESETS_CONTROLS, /* of the unit: its counters' control registers, to their reset values */
    BX_RESETS_COUNTERS, /* of the unit, to 0 */
    BX_RESETS_COUNTER,  /* the counter that this control register belongs to, to 0 */
    BX_RESETS_PACKAGE,  /* all counters that the register enables, to 0; the bit is kept */
};

/* "field = value". For a PMU's own registers, the field is searched in the current register. */
typedef struct bx_cat_cond {
    uint16_t reg;
    uint16_t field;
    uint32_t pad;
    uint64_t value;
} bx_cat_cond;

typedef struct bx_cat_counter {
    uint16_t pmu;
    uint8_t index; /* 0, 1 … within the unit */
    uint8_t width; /* bits */
    uint8_t flags; /* BX_COUNTER_* */
    uint8_t pad[3];
    uint16_t control; /* register; BX_NONE for a free-running counter */
    uint16_t value;   /* register */
    uint16_t value_field;
    bx_span counts;                   /* bx_cat_cond, all of which must hold for it to count */
    uint16_t edge, invert, threshold; /* fields of the control register; BX_NONE */
    uint16_t overflow;                /* status field that an overflow sets; BX_NONE */
    uint16_t overflow_en; /* field of the control: an overflow sets the status and requests a PMI;
                             BX_NONE */
    uint16_t user, os;    /* fields of the control: count at CPL above 0, at CPL 0; BX_NONE */
    uint16_t wrap;    /* field of the control: 0 stops it at an overflow; BX_NONE: it never stops */
    uint16_t mode;    /* field of the control: 0 counts up, 1 down, 2 both; BX_NONE: up */
    uint16_t storage; /* field of the control: 1 counts only while its flag is set; BX_NONE */
    uint16_t tally;   /* field of the control: a written 1 sets its queue tally to 0; BX_NONE */
    bx_cat_text likwid; /* LIKWID's own name of the counter where it follows no pattern; "" */
    /* Derived, for the encoder: */
    uint16_t other_condition; /* bx_cat_cond: its condition in another counter's control; BX_NONE */
    uint8_t tally_bits;       /* width of the queue tally */
    uint8_t erratum; /* erratum: if the lowest `erratum` bits of a value read are 0 or 1, the value
                        is 1 << erratum too high. No count may start where these bits are all ones
                        or one less. 0: no erratum */
    uint64_t enable; /* what its conditions require in its own control */
} bx_cat_counter;

enum {
    BX_COUNTER_FIXED = 1, /* counts one event only */
    BX_COUNTER_FREE = 2,  /* never stops; it is FIXED as well */
    BX_COUNTER_TELLS = 4, /* an overflow sets its status bit whatever overflow_en says */
};

/* A slot: several equal sub-registers of a unit. An event borrows one of them, a place, in addition
 * to a counter. The place determines its selection in the counter's control register; the event
 * does not. If a field of a separate register chooses an event, that register is a slot with one
 * place. */
typedef struct bx_cat_slot {
    bx_cat_text name; /* "iperf" */
    bx_cat_text title;
    bx_span places;     /* port by port; for each port, the equal places in their order */
    uint32_t modifiers; /* mask over the PMU's modifiers: those in its registers; they apply to the
                           place that is taken */
    uint16_t pmu;
    uint16_t pad;
} bx_cat_slot;

enum { BX_PLACE_REGS = 3 };

typedef struct bx_cat_place {
    uint64_t control, control_mask; /* settings of the counter's control that select it */
    uint16_t slot;
    uint16_t code;  /* its code at the signal seam; place and unit mask select a signal */
    uint8_t port;   /* port of the unit: 0 … ports - 1; 0 if there are none */
    uint8_t index;  /* index among the equal places of its port */
    uint8_t lo, hi; /* bits of reg[0] that the event's code and unit mask go to; */
    uint8_t has;    /* 0: they go nowhere */
    uint8_t pad;
    uint16_t reg[BX_PLACE_REGS]; /* its registers; BX_NONE. Modifiers are described in the registers
                                    of the first place and have the same bits in all places */
} bx_cat_place;

enum { BX_EACH = 2 };

typedef struct bx_cat_event {
    bx_cat_text name;
    bx_cat_text title;  /* own words */
    bx_cat_text source; /* document, table or page */
    bx_cat_text note;
    bx_cat_text alias;  /* LIKWID's name where it differs, one of its aliases; "" */
    bx_cat_text libpfm; /* libpfm4's name where it differs; "" */
    bx_cat_text kernel; /* Linux's terms where they are not code and unit mask, and Linux's name for
                           the event if it has one: "event=0xff,clockticks" */
    bx_cat_text unit;   /* what one count is: "lookups", "requests", "cycles", "64 B transfers" */
    bx_cat_text topics; /* additional search words, separated by blanks; "" */
    uint16_t pmu;
    uint16_t slot; /* catalogue index; BX_NONE: code and unit mask go to the control */
    uint32_t code; /* in a slot: goes where the unit mask goes, combined bit by bit */
    /* what one count stands for: 256 for the carries of an accumulator; else 1 */
    uint32_t scale;
    uint32_t counters;  /* mask of the counters that can count it */
    uint32_t modifiers; /* mask over the PMU's modifiers that it takes */
    uint16_t max;       /* the most that one cycle can add; 0: unknown */
    uint8_t confidence; /* enum bx_confidence */
    uint8_t flags;      /* BX_EVENT_* */
    bx_span umasks;     /* in the order of the file */
    bx_span groups;     /* bx_cat_group; together they hold all unit masks. Empty: all are in one
                           implied group. At least one must be named, unless there is
                           a default */
    bx_span aliases;    /* bx_cat_alias: other names that are accepted, never printed */
    uint32_t bound; /* mask over the PMU's modifiers: those that only some of its unit masks take;
                       they need one of these unit masks */
    uint16_t umask_default; /* a unit mask of this event; BX_NONE: one must be named. For an event
                               with groups it is always BX_NONE: each group has its own default */
    uint8_t place;          /* index of the only place of its slot that it takes; BX_ANY_PLACE */
    uint8_t follows; /* the counter whose level it adds; BX_NO_COUNTER: it has a level of its own */
    bx_span sets;    /* bx_cat_set: modifiers that the event fixes */
    /* mask over the PMU's modifiers: those that it takes and whose fields matter even if they are
     * not given. It includes modifiers that a group's default sets. */
    uint32_t minds;
    /* Its unit mask selects something only if it has a bit of each of these masks; 0: there is
     * none. Their names: "state". */
    uint32_t each[BX_EACH];
    bx_cat_text each_name[BX_EACH];
    bx_cat_text unlike; /* what LIKWID selects instead by this name, and by those of its unit masks;
                           "": the same */
    bx_span implied;    /* bx_cat_set: options that LIKWID adds unless they are given */
    bx_cat_text caution; /* what a reader of its count must know, one line; "" */
} bx_cat_event;

enum { BX_ANY_PLACE = UINT8_MAX, BX_NO_COUNTER = UINT8_MAX };

enum {
    BX_EVENT_NO_LIBPFM = 1, /* libpfm4 has no such event */
    BX_EVENT_DOTTED = 2,    /* derived: the name of a unit mask has a '.' in it */
    BX_EVENT_TALLY = 4,     /* it adds the counter's queue tally */
    BX_EVENT_COUNTERS = 8,  /* derived: it has unit masks that fewer counters can count */
    /* an imported event: `kernel` has all of Linux's terms that select it, and no register does. 0:
     * Linux cannot select it; `caution` is the reason */
    BX_EVENT_TERMS = 16,
    /* The kernel counts events that follow only in a group whose first event is one that leads: the
     * fixed metrics of topdown, after `slots`. */
    BX_EVENT_LEADS = 32,
    BX_EVENT_FOLLOWS = 64,
};

typedef struct bx_cat_alias {
    bx_cat_text name;
    uint16_t event;
    uint16_t pad;
} bx_cat_alias;

/* A choice among unit masks of an event. The values of all groups are combined bit by bit. */
typedef struct bx_cat_group {
    bx_cat_text name; /* "request", "state", "opcode": for messages */
    bx_cat_text title;
    uint16_t event;
    uint16_t preset; /* unit mask that is added when none of the group is named; BX_NONE */
    bx_span umasks;
    uint8_t flags; /* BX_GROUP_* */
    uint8_t pad[3];
} bx_cat_group;

enum {
    BX_GROUP_ONE = 1,      /* at most one of them: all are BX_UMASK_ALONE */
    BX_GROUP_REQUIRED = 2, /* at least one must be named; there is no default */
};

enum bx_confidence { BX_SURE, BX_LIKELY, BX_WEAK };

typedef struct bx_cat_umask {
    bx_cat_text name;
    bx_cat_text title;
    bx_cat_text source;
    bx_cat_text note;
    bx_cat_text unit;   /* the meaning of one count, if it differs from the event's; "" */
    bx_cat_text likwid; /* LIKWID's name where it differs: "M" of STATE_M */
    bx_cat_text unlike; /* what LIKWID selects instead by this name; "": the same */
    uint32_t value;
    uint16_t event;
    uint8_t rank;       /* 0: the manual's own name; 1: another source's; lower is canonical */
    uint8_t flags;      /* BX_UMASK_* */
    bx_span sets;       /* bx_cat_set: modifiers that the name fixes ("t=1") */
    uint16_t group;     /* BX_NONE: the event has no groups */
    uint8_t confidence; /* enum bx_confidence */
    uint8_t pad;
    uint32_t needs;    /* mask over the PMU's modifiers: these must be set, too: given with a value
                          other than 0, or set by another unit mask */
    uint32_t takes;    /* mask: modifiers of the event's `bound` that it allows, including those of
                          `needs` */
    uint32_t counters; /* mask of the counters that can count it; 0: those of the event */
} bx_cat_umask;

enum {
    /* a single bit: used to spell the part of a value that no other name covers */
    BX_UMASK_BIT = 1,
    BX_UMASK_ALIAS = 2,      /* accepted, never printed */
    BX_UMASK_ALONE = 4,      /* excludes all others of its group */
    BX_UMASK_HIDES = 8,      /* a modifier has the same name: without a value it is the unit mask */
    BX_UMASK_NO_LIBPFM = 16, /* libpfm4 has no such unit mask */
};

typedef struct bx_cat_set {
    uint16_t modifier; /* index into the modifier table */
    uint16_t pad[3];
    uint64_t value;
} bx_cat_set;

typedef struct bx_cat_modifier {
    bx_cat_text name; /* "t" */
    bx_cat_text title;
    /* Modifiers of neighbouring fields may share such a name: its value begins with the lowest. */
    bx_cat_text kernel; /* name of the Linux format attribute: "cmask" */
    bx_cat_text likwid; /* LIKWID's option: "THRESHOLD" */
    uint16_t pmu;
    uint16_t field;
    uint16_t reg;   /* the unit's register that has the field; BX_NONE: the counter's control */
    uint8_t flag;   /* takes no value, or 0 or 1 */
    uint8_t flags;  /* BX_MODIFIER_* */
    bx_span sets;   /* bx_cat_set: settings that naming it also makes, with any value: "tid_en=1" */
    uint32_t needs; /* mask over the PMU's modifiers: unless it is 0, these must not be 0 */
    uint64_t lo, hi; /* range of a value that is given */
    uint64_t preset; /* its value when it is not given */
    bx_span values;  /* bx_cat_value: names of its values */
    uint16_t masked; /* the modifier (catalogue index) that is its mask and says which bits are
                        compared; BX_NONE. A mask of one bit applies to all bits. Any other mask
                        that is narrower applies to the highest bits, and lower bits are not
                        compared. If only this modifier is given, all bits are compared */
    uint16_t twin;   /* its twin: events that take the twin instead also accept this name for it;
                        BX_NONE */
    /* Derived, for the encoder: */
    uint64_t mask; /* mask of the field in the register */
    /* modifiers that are used with it: they have the same settings, or they set this one */
    uint32_t partners;
    uint32_t on;   /* mask of the counters on which LIKWID takes the option; 0: all */
    uint8_t keeps; /* LIKWID keeps so many bits of the option's number; 0: all */
    uint8_t pad[6];
    uint8_t at;         /* its lowest bit */
    uint64_t libpfm_hi; /* the same for libpfm4, which cuts off bits that the field does not hold */
} bx_cat_modifier;

enum {
    BX_MODIFIER_HIDDEN = 1, /* named by `sets` and by other tools; event strings use its own name
                               only if nothing else can express the value */
    /* one bit for each choice: several `sets` are combined bit by bit; for other modifiers they
       must be equal. A filter passes requests that share a bit with it */
    BX_MODIFIER_BITS = 2,
    BX_MODIFIER_LEVEL = 4,       /* a privilege level: when none of these is given, all are 1 */
    BX_MODIFIER_NODES = 16,      /* its bits are packages */
    BX_MODIFIER_UNMODELLED = 32, /* no machine model distinguishes its values: an event is produced
                                    only with its preset */
    BX_MODIFIER_IGNORES = 8,     /* a mask in which a 1 means that the bit is not compared */
};

/* A name for a value of a modifier: "WbIData" of an opcode. */
typedef struct bx_cat_value {
    bx_cat_text name;
    bx_cat_text title;
    uint64_t value;
    bx_span sets; /* bx_cat_set: other settings that the name fixes: "mc=14" */
    uint32_t pad;
} bx_cat_value;

/* What another tool has a name for, by the kernel's terms: "bbox_cmds_read" of
 * "inc_sel=0xd,fvc=0x2800". */
typedef struct bx_cat_other_name {
    bx_cat_text name, terms;
    uint32_t generic; /* 1: a name of perf itself, which is in no file of the PMU */
} bx_cat_other_name;

/* Registers that real tools access and that no PMU file describes: they store what is written. */
typedef struct bx_cat_passive {
    bx_cat_text title;
    uint32_t first, last; /* MSR addresses; of a function: bytes, whole words of 32 bits */
    uint8_t scope;        /* enum bx_scope */
    uint8_t prefetchers;  /* 1: its bits switch prefetchers of the core off */
    uint8_t pad[2];
    uint64_t preset; /* preset of each MSR or word */
    uint64_t step;   /* of a function: added to the preset from package to package */
} bx_cat_passive;

/* A PCI function that no PMU file describes. */
typedef struct bx_cat_function {
    bx_cat_text title;
    bx_cat_text source;
    uint32_t address; /* address of its first byte, as in bx_cat_reg; of package 0 */
    uint32_t stride;  /* distance from package to package; 0: only package 0 has it */
    uint16_t vendor, device;
    uint32_t kind; /* class, subclass and interface: 0x088000 */
    bx_span passives;
} bx_cat_function;

/* A part of the map of a CPU's addresses: addresses of one space with one base and one stride. */
typedef struct bx_cat_window {
    uint32_t stride; /* from package to package; 0: packages do not have addresses of their own */
    uint16_t base;   /* MMIO: as bx_cat_reg.base; else BX_NONE */
    uint16_t space;  /* enum bx_space */
    bx_span mapped;  /* bx_cat_map_row, by address */
} bx_cat_window;

/* What is at some addresses of package 0: a unit's register, or passive words. */
typedef struct bx_cat_map_row {
    uint32_t first, last; /* of memory-mapped registers: from the base */
    uint16_t reg, unit;   /* BX_NONE, 0: no PMU's register */
    uint16_t passive;     /* bx_cat_passive; BX_NONE */
    uint16_t function; /* bx_cat_function; BX_NONE. Without a passive: the word that identifies it
                          or tells its class */
} bx_cat_map_row;

typedef struct bx_cat_metric {
    bx_cat_text name; /* "llc_miss_ratio" */
    bx_cat_text title;
    bx_cat_text also; /* its former names, separated by blanks: accepted, never printed as its name
                       */
    bx_cat_text note;
    bx_cat_text topics;  /* additional search words, separated by blanks */
    bx_cat_text means;   /* how to read its value; each text here may be "" */
    bx_cat_text caution; /* when not to trust its value */
    bx_cat_text source;
    bx_cat_text unit;    /* "%" means a part of a whole, so never more than 100 */
    bx_cat_text formula; /* over event strings in braces, numbers, + - * / ( ) */
    bx_span operands;    /* of the formula, in its order */
    uint16_t beside; /* the operand next to whose value it is printed; BX_NONE: it has a line of its
                        own */
    uint16_t pad;
} bx_cat_metric;

/* Metrics that answer one question together. */
typedef struct bx_cat_metric_group {
    bx_cat_text name; /* "MEM" */
    bx_cat_text title;
    bx_cat_text topics; /* additional search words for the metrics of the group */
    bx_span members;    /* bx_cat_metric_member */
} bx_cat_metric_group;

typedef struct bx_cat_metric_member {
    uint16_t metric; /* catalogue index */
} bx_cat_metric_member;

/* Values of bx_cat_operand.event that are not events: the time measured; the number of units that
 * the formula's first event was counted on; the largest of their values. Then numbers of the
 * machine, which imported metrics use. BX_NONE: nothing that can be counted. */
#define BX_OPERAND_SECONDS      UINT16_C(0xfffe)
#define BX_OPERAND_CYCLES       UINT16_C(0xfffd)
#define BX_OPERAND_UNITS        UINT16_C(0xfffc)
#define BX_OPERAND_PEAK         UINT16_C(0xfffb)
#define BX_OPERAND_MILLISECONDS UINT16_C(0xfffa)
#define BX_OPERAND_TSC          UINT16_C(0xfff9) /* the time stamp counter's frequency in Hz */
#define BX_OPERAND_PACKAGES     UINT16_C(0xfff8)
#define BX_OPERAND_CORES        UINT16_C(0xfff7) /* per package */
#define BX_OPERAND_CPUS         UINT16_C(0xfff6) /* logical ones, of the machine */
#define BX_OPERAND_THREADS      UINT16_C(0xfff5) /* per core */
#define BX_OPERAND_SMT          UINT16_C(0xfff4) /* 1 if a core has several threads, else 0 */
#define BX_OPERAND_SLICES       UINT16_C(0xfff3) /* of the last-level cache, per package */
#define BX_OPERAND_TRUE         UINT16_C(0xfff2) /* 1 */
#define BX_OPERAND_FALSE        UINT16_C(0xfff1) /* 0 */
#define BX_OPERAND_EVENTS       BX_OPERAND_FALSE /* indexes of events are below */

/* What a formula takes of an event. */
enum bx_operand_kind {
    BX_OPERAND_VALUE,     /* its value on all units */
    BX_OPERAND_INSTANCES, /* the number of units per package that it was counted on */
    BX_OPERAND_ONE_UNIT,  /* the mean of its values on the units */
    BX_OPERAND_ENERGY_14, /* its value on all units, which is in 2^-32 J, in 2^-14 J; in 2^-16 J: */
    BX_OPERAND_ENERGY_16,
    BX_OPERAND_KINDS,
};

/* An operand of a metric: an event, on any counter and unit, or a number of the measurement. */
typedef struct bx_cat_operand {
    uint16_t event; /* catalogue index, or BX_OPERAND_… */
    bx_span sets;   /* its modifiers that are not at their preset */
    uint16_t kind;  /* enum bx_operand_kind */
    uint32_t umask;
} bx_cat_operand;

typedef struct bx_cat_pick {
    bx_cat_text event; /* an event string */
} bx_cat_pick;
#ifndef __clang__
#pragma GCC diagnostic pop
#endif

#endif
