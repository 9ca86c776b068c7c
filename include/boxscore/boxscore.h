/* boxscore: Intel hardware performance counters, above all those outside the core.
 *
 * The parts, from those that most programs need:
 *
 *   bx_measure_…, bx_result_…    count a workload, a program, or a part of this program
 *   bx_encode(), bx_encoding_…   an event string as registers with addresses and values
 *   bx_decoding_…                register values as event strings
 *   bx_entry_…                   CPU models, PMUs, events, registers and metrics, described
 *   bx_machine_…                 machines: this one, or a virtual machine of the library's own
 *   bx_evsel, bx_session_…       a measurement step by step
 *
 * Functions need no struct but bx_error; docs/how-to/use-the-library.md begins with examples.
 *
 * There is no global state: two machines can live in one process, one thread each. Any number of
 * sessions can count on a virtual machine at once, unless its register accesses are recorded. Of
 * the sessions on a host, or on a machine that is recorded, only one at a time can write to a
 * package's registers: bx_session_start() returns BX_NO_ACCESS while another one runs there.
 * Sessions that only read free-running counters write nothing and can run side by side. The library
 * never prints and never exits. Functions that can fail return BX_OK (0) or another code of enum
 * bx_code and fill a bx_error, or take NULL in its place; output arguments are then untouched.
 * NULL in place of an object, or of a text or output that is needed, is BX_BAD_INPUT; functions
 * without a code return 0, "", NULL or -1, what they return for an index that is too large.
 * Strings are UTF-8. Those that are returned belong to the object they were asked of and live as
 * long as it does.
 */
#ifndef BOXSCORE_H
#define BOXSCORE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BX_API __attribute__((visibility("default")))
#else
#define BX_API
#endif

#define BX_VERSION "0.1.0"

/* ---- errors ---- */

enum bx_code {
    BX_OK,
    BX_BAD_INPUT, /* text or a number that cannot be taken; the span tells where */
    BX_NOT_FOUND, /* a name that nothing has; the hint tells the nearest one */
    BX_NO_FIT,    /* events that cannot be counted there or together */
    BX_NO_ACCESS, /* the machine does not let us: rights, devices, other users */
    BX_NO_MEMORY,
    BX_FAULT,  /* a register access faulted (#GP) */
    BX_SYSTEM, /* a system call failed; its reason is in the message */
};

/* The first failure stays: a bx_error that holds one is left as it is. Use another one for the next
 * call, or clear it. */
typedef struct bx_error {
    int code;          /* enum bx_code; BX_OK when nothing was reported: start with {0} */
    size_t at, len;    /* byte span of the input at fault; len 0: none. One byte right after the
                          input: something is missing there */
    const char *in;    /* name of the argument that the span is in, such as "metrics", if the
                          function has several texts; NULL: it has one, or there is no span */
    char message[240]; /* cause, lower case, no full stop */
    char hint[240];    /* what to try; may be empty */
    bool later;        /* the library's own: another failure came, and was not kept */
} bx_error;

/* An empty error, and what it holds, by functions: for languages that do not know the struct. NULL:
 * out of memory. To be freed. */
BX_API bx_error *bx_error_new(void);
BX_API void bx_error_free(bx_error *e); /* NULL is fine */
BX_API void bx_error_clear(bx_error *e);
BX_API int bx_error_code(const bx_error *e);
BX_API size_t bx_error_at(const bx_error *e);
BX_API size_t bx_error_length(const bx_error *e);
BX_API const char *bx_error_in(const bx_error *e); /* "" for NULL */
BX_API const char *bx_error_message(const bx_error *e);
BX_API const char *bx_error_hint(const bx_error *e);

/* ---- catalogue ---- */

typedef struct bx_catalog bx_catalog;

/* The catalogue built into the library. Never NULL; not to be freed. */
BX_API const bx_catalog *bx_catalog_builtin(void);

/* Number of CPU models, and their names ("skl"); NULL beyond the last. */
BX_API size_t bx_catalog_cpus(const bx_catalog *c);
BX_API const char *bx_catalog_cpu_name(const bx_catalog *c, size_t cpu);

/* The catalogue of a CPU that this user, or root for all users, has imported with `boxscore import
 * perfmon`: "spr". Functions take it in place of the built-in one: bx_event_parse(), bx_encode(),
 * bx_machine_open() of "host". BX_NOT_FOUND: the CPU was not imported. BX_BAD_INPUT: its file is
 * not used, because it is broken, another user's, or of another version. Close it after all that
 * was made with it. */
BX_API int bx_catalog_open_imported(const char *cpu, const bx_catalog **c, bx_error *e);
BX_API void bx_catalog_close(const bx_catalog *c); /* NULL and the built-in one stay */

/* Everything that the catalogue describes is an entry: a number that means something to this
 * catalogue only; 0 is none. An entry belongs to another one: PMUs and metrics to a CPU model,
 * events, modifiers and registers to a PMU, unit masks to an event, fields to a register. CPU
 * models belong to none (0). */
typedef uint32_t bx_entry;

enum bx_entry_type {
    BX_ENTRY_CPU = 1,
    BX_ENTRY_PMU,
    BX_ENTRY_METRIC,
    BX_ENTRY_EVENT,
    BX_ENTRY_MODIFIER,
    BX_ENTRY_REGISTER,
    BX_ENTRY_UMASK,
    BX_ENTRY_FIELD,
};

/* The first entry of this type that belongs to `of`, and the next one after an entry; 0: there are
 * no more. */
BX_API bx_entry bx_entry_first(const bx_catalog *c, bx_entry of, enum bx_entry_type type);
BX_API bx_entry bx_entry_next(const bx_catalog *c, bx_entry entry);

/* The one of that name, in any case; 0: there is none. Of an event also by another tool's name. */
BX_API bx_entry bx_entry_find(const bx_catalog *c, bx_entry of, enum bx_entry_type type,
                              const char *name);

BX_API bx_entry bx_entry_belongs_to(const bx_catalog *c, bx_entry entry);
BX_API int bx_entry_type(bx_entry entry); /* enum bx_entry_type; 0 of 0 */

enum bx_entry_text {
    BX_TEXT_NAME,    /* of a register `{unit}` stands for the unit's number */
    BX_TEXT_TITLE,   /* what it is, one line */
    BX_TEXT_UNIT,    /* what one count of an event or unit mask is, or the unit of a metric */
    BX_TEXT_SOURCE,  /* where its facts are from */
    BX_TEXT_NOTE,    /* what its user should know */
    BX_TEXT_FORMULA, /* of a metric, over event strings in braces */
};

/* "" where the entry has no such text. Never NULL; lives as long as the catalogue. */
BX_API const char *bx_entry_text(const bx_catalog *c, bx_entry entry, enum bx_entry_text which);

enum bx_entry_number {
    BX_NUMBER_CODE,     /* of an event; the bits of a unit mask */
    BX_NUMBER_COUNTERS, /* mask: the counters that can count an event or unit mask */
    BX_NUMBER_UNITS,    /* of a PMU: the most that a package, or a core, can have */
    BX_NUMBER_WIDTH,    /* of a register: bits of one access */
    BX_NUMBER_LOW_BIT,  /* of a field */
    BX_NUMBER_HIGH_BIT,
    BX_NUMBER_LEAST, /* values that a modifier takes */
    BX_NUMBER_MOST,
    BX_NUMBER_PRESET, /* its value when it is not given */
};

/* false: the entry has no such number; *value is untouched. */
BX_API bool bx_entry_number(const bx_catalog *c, bx_entry entry, enum bx_entry_number which,
                            uint64_t *value);

/* What else an event or a unit mask fixes, as modifiers of an event string: "opc=0x182,nf=1". A
 * unit mask of bits 0 selects by these alone. NUL-terminated if room > 0; returns the whole length,
 * 0 if it fixes nothing. */
BX_API size_t bx_entry_sets(const bx_catalog *c, bx_entry entry, char *to, size_t room);

/* A register of a unit: its name, NUL-terminated if room > 0; returns the whole length. 0: it is no
 * register, or has no such unit. */
BX_API size_t bx_register_name(const bx_catalog *c, bx_entry reg, unsigned unit, char *to,
                               size_t room);

/* Its space ("msr", "pci", "mmio") and its address there, of package 0: in PCI space bus << 20 |
 * device << 15 | function << 12 | offset, of a memory-mapped register the offset from its base.
 * NULL: no such register. */
BX_API const char *bx_register_space(const bx_catalog *c, bx_entry reg, unsigned unit,
                                     uint64_t *address);

/* ---- events ---- */

/* An event string names a PMU, one of its units if need be, an event, unit masks and modifiers:
 *
 *   UNC_CBO_CACHE_LOOKUP:ANY_I                   of the PMU that has it, all of its units
 *   skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:READ_I    the slice 2
 *   skl_unc_cbo::UNC_CBO_XSNP_RESPONSE:MISS:t=2:e    threshold 2, edge detect
 *   ivbep_unc_cbo::UNC_C_TOR_INSERTS:NID_OPCODE:OPC_DRD:nf=1    with filters
 *   skl_unc_cbo::RAW:code=0x34:umask=0x88        a code of its own
 *   uncore_cbox_0/event=0x34,umask=0x88/         as perf has it; LIKWID's and libpfm4's forms, too
 *
 * docs/reference/events.md has the rules, bx_entry_… lists the names.
 *
 * An event string as what is written to which registers of package 0. */
typedef struct bx_encoding bx_encoding;

/* cpu: the name of the CPU model whose PMUs may go unnamed; NULL: any. The lowest counter that can
 * count the event is taken, and the lowest unit unless the string names one. Enables of the unit
 * and of the package are left out. To be freed. */
BX_API int bx_encode(const bx_catalog *c, const char *cpu, const char *event, bx_encoding **to,
                     bx_error *e);
BX_API void bx_encoding_free(bx_encoding *x); /* NULL is fine */

BX_API const char *bx_encoding_event(const bx_encoding *x); /* its canonical string */
BX_API const char *bx_encoding_perf(const bx_encoding *x); /* in perf's spelling; "": it has none */
BX_API int bx_encoding_counter(const bx_encoding *x);      /* -1: fixed, or free-running */

/* The registers: the counter's control first, if it has one; then those that the event shares with
 * others, of which only the bits of `mask` are its own. Of an i beyond the last: "", 0. */
BX_API size_t bx_encoding_registers(const bx_encoding *x);
BX_API const char *bx_encoding_register(const bx_encoding *x, size_t i); /* its name */
BX_API const char *bx_encoding_space(const bx_encoding *x, size_t i);    /* bx_register_space() */
BX_API uint64_t bx_encoding_address(const bx_encoding *x, size_t i);
BX_API uint64_t bx_encoding_value(const bx_encoding *x, size_t i);
BX_API uint64_t bx_encoding_mask(const bx_encoding *x, size_t i);

/* The register that holds the count. */
BX_API const char *bx_encoding_count(const bx_encoding *x); /* its name */
BX_API const char *bx_encoding_count_space(const bx_encoding *x);
BX_API uint64_t bx_encoding_count_address(const bx_encoding *x);

/* Register values of one reading of a machine, back into event strings. */
typedef struct bx_decoding bx_decoding;

/* NULL: the catalogue has no such CPU model, or memory ran out. To be freed. */
BX_API bx_decoding *bx_decoding_new(const bx_catalog *c, const char *cpu, bx_error *e);
BX_API void bx_decoding_free(bx_decoding *d); /* NULL is fine */

/* Adds what was read at an address, in the order of the reading. space and address: as
 * bx_register_space() has them. BX_NOT_FOUND: the CPU model has no such register. */
BX_API int bx_decoding_add(bx_decoding *d, const char *space, uint64_t address, uint64_t value,
                           bx_error *e);

/* The events that all values added so far select, in their order. *n: how many; 0: none does. */
BX_API int bx_decoding_run(bx_decoding *d, size_t *n, bx_error *e);

/* Of the last run; of an i beyond the last "", 0. */
BX_API const char *bx_decoding_event(const bx_decoding *d, size_t i);
/* Which of the values added is the control register that selects it. */
BX_API size_t bx_decoding_value(const bx_decoding *d, size_t i);

#define BX_ANY    (-1)
#define BX_SOCKET (-2) /* as a package: "@socket", the one in which the program begins */

/* A register and what to write there: reg is an index of the catalogue's register table, mask the
 * bits that matter. */
typedef struct bx_regvalue {
    uint16_t reg;
    uint64_t value, mask;
} bx_regvalue;

enum { BX_MODIFIERS = 24, BX_EXTRAS = 13 };

/* bx_evsel.pmu of an event that only the kernel of a host knows, such as "page-faults": `event` is
 * its number in that machine, and nothing else of the selection but group, at and len means
 * anything. Such selections come from bx_machine_events_parse() and are for the functions of
 * machines and sessions. */
#define BX_KERNEL 0xffff

/* An event selection: event, unit masks and modifiers, resolved against the catalogue. One with an
 * index that the catalogue does not have, or a value that does not fit its field, is refused by
 * bx_session_open() with BX_BAD_INPUT. Other functions find nothing to it: no text, no registers,
 * no counter. */
typedef struct bx_evsel {
    uint16_t pmu, event;   /* catalogue indices; event 0xffff: a raw code */
    int16_t unit, package; /* BX_ANY: all of the machine, one value each; package also BX_SOCKET,
                              which bx_machine_events_parse() makes a number */
    int16_t counter;       /* BX_ANY: any that can count it; its index within the unit */
    int16_t port;          /* number in the package; BX_ANY: all, one value each, or it has none */
    int16_t place;         /* which of several equal sub-registers; BX_ANY: any that is free */
    uint16_t group;        /* events of one `{…}` have the same: counted at once; 0: in none */
    bool pinned;           /* `:D`: counted all the time, also where others take turns */
    bool weak;             /* `{…}:W`: its group is given up where it does not fit the counters */
    uint32_t code, umask;
    uint32_t given;                  /* modifiers that were named, also through a unit mask; filters
                                        at their default only if the event always has them */
    uint64_t modifier[BX_MODIFIERS]; /* their values, in the order of the PMU's modifiers; of one
                                        that is not given its preset, mostly 0 */
    uint64_t control;                /* the counter's control register, enable included */
    uint8_t extras;                  /* shared registers that it needs (slots) */
    bx_regvalue extra[BX_EXTRAS];
    size_t at, len; /* where it stood in the text that was parsed */
} bx_evsel;

/* Parses one event string in any accepted spelling (docs/reference/events.md). cpu: index of the
 * CPU model whose PMUs may go unnamed, or -1 for every model in turn; of other numbers
 * BX_BAD_INPUT. */
BX_API int bx_event_parse(const bx_catalog *c, int cpu, const char *text, size_t len,
                          bx_evsel *event, bx_error *e);

/* Parses a list: commas separate, except within `pmu/…/` and `{…}`. `:D` after an event or a group
 * pins it. Writes at most `room` events
 * and the number found to *n; more than room is BX_BAD_INPUT. */
BX_API int bx_events_parse(const bx_catalog *c, int cpu, const char *text, bx_evsel *events,
                           size_t room, size_t *n, bx_error *e);

/* Writes the canonical string, NUL-terminated if room > 0; returns its whole length. It parses to
 * the same registers again. unit BX_ANY leaves the number out. */
BX_API size_t bx_event_format(const bx_catalog *c, const bx_evsel *event, char *to, size_t room);

/* Writes the Linux perf spelling ("uncore_cbox_0/event=0x34,umask=0x88/"); returns its length, 0
 * where the kernel has no such PMU or event. bx_event_parse() reads it to the same registers. Where
 * Linux's codes name the port, the spelling of a selection of all ports is that of port 0. */
BX_API size_t bx_event_format_perf(const bx_catalog *c, const bx_evsel *event, char *to,
                                   size_t room);

/* ---- machines ---- */

typedef struct bx_machine bx_machine;

/* The strings of the machines that there are: a virtual one of each CPU model that has a machine
 * model, with its default shape, then "host". Writes the i-th, NUL-terminated if room > 0; returns
 * its length, 0 beyond the last. */
BX_API size_t bx_machine_string(const bx_catalog *c, size_t i, char *to, size_t room);

/* Opens a machine by its string: "virtual:skl,cores=4,llc=8M", "host", or NULL: the host if its
 * PMUs are known and reachable, else a virtual machine. */
BX_API int bx_machine_open(const bx_catalog *c, const char *spec, bx_machine **machine,
                           bx_error *e);

/* Ways to the counters of a host. */
enum bx_driver {
    BX_DRIVER_AUTO,      /* the kernel's where it drives the PMU, else registers */
    BX_DRIVER_PERF,      /* perf_event only */
    BX_DRIVER_REGISTERS, /* registers only */
};

/* How to reach a host; all zero will do. */
typedef struct bx_machine_options {
    size_t size;      /* sizeof(bx_machine_options): lets the struct grow; 0: as it was in 0.1.0.
                         If it is larger than the library's, what that does not know must be 0,
                         else BX_BAD_INPUT; the same of bx_session_options */
    const char *root; /* its /dev, /proc and /sys are looked for below this folder, such as one that
                         `boxscore stage --at` serves; NULL or "": they are this machine's */
    unsigned driver;  /* enum bx_driver: how its counters are reached */
    const char *log_registers; /* keeps every register access and its time in this file
                            (docs/reference/register-log.md) */
    const char *replay;  /* the machine is that of such a file, and answers from it; no other string
                            of a machine is looked at */
    const char *helper;  /* socket of a boxscore-helper that reaches the registers for us; NULL: its
                            usual place is tried where the devices cannot be opened; "": never */
    const char *journal; /* file for what is to be put back if we are killed; NULL: one in
                            /run/boxscore, or $XDG_RUNTIME_DIR/boxscore */
    bool force;          /* take counters that somebody else uses, and give them back after */
    const char *threads; /* cores of a virtual machine for a program's threads, in the order in
                            which they get them: "0-3,8", "spread" (packages in turn); NULL or
                            "compact": all, in order */
    unsigned no_kernel_accesses; /* 1: what a kernel would read and write for a program that runs on
                                    a virtual machine is left out */
    unsigned host_features; /* 1: a program on a virtual machine finds the CPU features of the host,
                               where 0 has it find those of the modelled CPU, at most */
    uint64_t turn; /* blocks, up to 100,000, that a thread of a program on a virtual machine
                      executes before another one has its turn; 0: 1,000 */
} bx_machine_options;

/* The same with options, or NULL. Texts need to last for the call only. */
BX_API int bx_machine_open_with(const bx_catalog *c, const char *spec, const bx_machine_options *o,
                                bx_machine **machine, bx_error *e);
/* NULL is fine. A machine with open sessions stays until the last of them is closed. */
BX_API void bx_machine_close(bx_machine *m);
BX_API bool bx_machine_is_virtual(const bx_machine *m);
BX_API const char *bx_machine_name(const bx_machine *m); /* its full string */
/* Why a virtual machine was taken where none was named: what the host lacks. NULL: it was named. */
BX_API const char *bx_machine_chosen_because(const bx_machine *m);
/* Catalogue index of the CPU model; -1: a host whose CPU is not in the catalogue, of which only the
 * kernel's PMUs can be counted. */
BX_API int bx_machine_cpu(const bx_machine *m);
BX_API unsigned bx_machine_packages(const bx_machine *m);
BX_API unsigned bx_machine_cores(const bx_machine *m);               /* per package */
BX_API unsigned bx_machine_units(const bx_machine *m, unsigned pmu); /* per package */

/* The same by entries of the catalogue: its CPU model, 0 if the catalogue lacks it; units of a PMU
 * in each package, 0 of a PMU of another CPU model; the name of a unit ("C-Box 2"), NUL-terminated
 * if room > 0, whose length is returned, 0 if there is no such unit. */
BX_API bx_entry bx_machine_cpu_model(const bx_machine *m);
BX_API unsigned bx_machine_units_of(const bx_machine *m, bx_entry pmu);
BX_API size_t bx_machine_unit_name(const bx_machine *m, bx_entry pmu, unsigned unit, char *to,
                                   size_t room);

/* The machine model produces the event; always true for a real machine. */
BX_API bool bx_machine_produces(const bx_machine *m, const bx_evsel *event);

/* Parses a list as bx_events_parse() does, for this machine's CPU model; on a host also the events
 * that its kernel names: "page-faults", "msr/tsc/", "uncore_imc_0/cas_count_read/". */
BX_API int bx_machine_events_parse(bx_machine *m, const char *text, bx_evsel *events, size_t room,
                                   size_t *n, bx_error *e);

/* bx_event_format(), of those events too. */
BX_API size_t bx_machine_event_format(const bx_machine *m, const bx_evsel *event, char *to,
                                      size_t room);

/* The built-in workloads: the name of the i-th ("stream") and what it does, in a line; NULL beyond
 * the last. */
BX_API const char *bx_workload_name(size_t i);
BX_API const char *bx_workload_title(size_t i);

/* Its keys with their defaults, "size=16M,stride=8,cores=1", NUL-terminated if room > 0; returns
 * the whole length, 0 beyond the last. */
BX_API size_t bx_workload_keys(size_t i, char *to, size_t room);

/* What is to run: on a virtual machine a built-in workload ("stream,size=64M,cores=2,seed=1"), or a
 * real program, whose memory accesses are traced; on the host a program. Its exit status is kept.
 */
BX_API int bx_machine_load_workload(bx_machine *m, const char *workload, bx_error *e);
BX_API int bx_machine_load_program(bx_machine *m, char *const argv[], bx_error *e);

/* On a virtual machine: a program whose trace `boxscore trace -o FILE` has written. The same file
 * on the same machine always gives the same counts. The exit status is the program's own. */
BX_API int bx_machine_load_trace(bx_machine *m, const char *file, bx_error *e);

/* On the host, in place of a program: what runs there already. The work ends when all processes, or
 * threads, of these numbers have ended; with none (n 0) it never does. They are not touched. Before
 * bx_session_open(): events that follow a program follow the threads that they have now, and what
 * those start. BX_NOT_FOUND: one of them is not there.
 * If a program is loaded besides, it is the work, and they are what is counted. */
BX_API int bx_machine_attach(bx_machine *m, const int *ids, size_t n, bool threads, bx_error *e);

/* Runs until the given time; *done tells that all work has ended. The host's time goes on by
 * itself, and its unit is the nanosecond. A virtual machine that ran out of memory once returns
 * BX_NO_MEMORY for good. */
BX_API int bx_machine_run(bx_machine *m, uint64_t until, bool *done, bx_error *e);
BX_API uint64_t bx_machine_now(const bx_machine *m);    /* uncore cycles since power-on; host: ns */
BX_API double bx_machine_hz(const bx_machine *m);       /* units of that time per second */
BX_API int bx_machine_exit_status(const bx_machine *m); /* of the program, as a shell gives it */
BX_API uint64_t bx_machine_accesses(const bx_machine *m); /* done so far: for a progress line */

/* ---- measuring ---- */

enum bx_state {
    BX_COUNTED,       /* exact */
    BX_SCALED,        /* counted for a share of the time: count x enabled / running */
    BX_NOT_MODELLED,  /* the virtual machine does not produce it */
    BX_NOT_MEASURED,  /* never got a counter */
    BX_BLOCKED,       /* the register could not be read or programmed */
    BX_IMPLAUSIBLE,   /* it read what no counter can hold, or can have counted in that time */
    BX_NOT_SUPPORTED, /* this machine cannot count it: bx_session_unsupported() */
};

/* bx_reading.unit of what belongs to no unit: counted for the program, wherever it ran. */
#define BX_PROGRAM 0xffff

/* How much the counts of a multiplexed event differ from turn to turn. All of it are sums, so what
 * one reading has more than an earlier one is of the turns that have ended in between. */
typedef struct bx_spread {
    uint64_t turns;   /* that have ended, */
    uint64_t counted; /* those of them in which it counted anything */
    /* Of each turn with the one before: the square of the difference of their rates, times both
     * lengths; the mean of the lengths. Then the same with the one before that. */
    double near_squares, near_lengths, far_squares, far_lengths;
} bx_spread;

/* One value of one unit. */
typedef struct bx_reading {
    uint16_t event; /* index into the session's events */
    uint16_t package, unit;
    int16_t port;              /* number in the package; BX_ANY: the unit has no ports */
    uint8_t state;             /* enum bx_state */
    bool overflowed;           /* the counter wrapped; the count allows for it */
    uint8_t driver;            /* enum bx_driver: how a host's was counted; AUTO: no host's */
    uint8_t times;             /* BX_SCALED: readings of one number have counted at the same times;
                                  0: not known */
    uint32_t scale;            /* what one count stands for: 256 of an accumulator's; 0 is 1 */
    uint64_t count;            /* counted while running */
    uint64_t enabled, running; /* cycles of a virtual machine's clock, ns of a real one */
    bool in_turns;             /* it is counted in turn with others, by registers */
    bool level;         /* the count is what there was at the end, such as bytes in a cache */
    uint16_t cgroup;    /* 1 + the index of the cgroup that was counted, as they were given;
                           0: none */
    bx_spread spread;   /* if `in_turns` */
    bx_spread together; /* the spread of the sum over all units that count the event at the same
                           times; only the first of them has turns */
    uint32_t thread;    /* the kernel's number of the thread that was counted; 0: not one */
    uint32_t on_cpu;    /* 1 + the logical CPU that was counted, whatever ran there; its core
                           is `unit`. 0: not one CPU */
} bx_reading;

/* The value to show: count times scale, extrapolated to the whole time if need be. 0 where the
 * state says that there is none. */
BX_API double bx_reading_value(const bx_reading *r);

/* Fewer turns in which it counted anything do not tell how far off a scaled value may be. */
enum { BX_FEWEST_TURNS = 5 };

/* How far off a scaled value may be: in 95 of 100 measurements the true value is nearer than this
 * to bx_reading_value(). Negative: not known, because there were fewer than BX_FEWEST_TURNS turns,
 * the kernel has multiplexed, or nothing was counted. 0 of an exact value.
 * docs/explanation/multiplexing.md has the estimator. */
BX_API double bx_reading_error(const bx_reading *r);

typedef struct bx_session bx_session;

#define BX_ROTATE UINT64_MAX

typedef struct bx_session_options {
    size_t size; /* sizeof(bx_session_options): lets the struct grow; 0: as it was in 0.1.0 */
    uint64_t
        rotate;  /* events that do not fit at once take turns, so many cycles (or ns) each on
                    average: the turns of one round have equal lengths, a half to one and a half
                    times as many, and a random order. BX_ROTATE: at first 1,000 (4 ms on the
                    host), growing with the time that has passed to 100,000 (100 ms). 0: none
                    need to on a virtual machine, where each pass has a bank of registers of its
                    own; on the host, and where accesses are recorded or replayed, as BX_ROTATE */
    bool repeat; /* only pass `pass` is programmed; the caller runs the work once each */
    unsigned pass;
    uint64_t interval; /* counters start so many counts before they overflow; 0: at 0 */
    /* Virtual machines only: the counter of one event overflows after so many counts (0: none
     * does), which stops all counters of the session. The readings are up to date when
     * at_overflow() is called. The session ends if that returns false; with overflow_again and true
     * the counter starts again and the session goes on. The event must have one counter only, and
     * with BX_ROTATE all events must fit at once. */
    uint64_t overflow_after;
    size_t overflow_event;
    bool overflow_again;
    bool (*at_overflow)(void *context);
    void *overflow_context;
    /* The regions that a program marks (boxscore/region.h) are counted, too: bx_session_regions().
     * The program is loaded after the session was opened. One session of a machine at a time. */
    bool regions;
    const char *const
        *inside; /* [inside_n]: readings count while a thread is in one of these only:
                    marked ones, and "func:NAME", the calls of a function; they have their values
                    when the session has stopped. Must outlive the session */
    size_t inside_n;
    uint64_t rotate_seed; /* of the turns' lengths and order */
    /* A host's events that would follow the program are counted on these logical CPUs instead,
     * whatever runs there. none: they follow the program. Needs to last for bx_session_open() */
    const uint16_t *cpus; /* [cpus_n] */
    size_t cpus_n;
    bool skip_unsupported; /* events that this machine cannot count do not end the session: one
                              reading each is BX_NOT_SUPPORTED. All of them: BX_NO_ACCESS or so */
} bx_session_options;

/* What was counted between the marks of a region: of a thread, or while at least one was inside. */
typedef struct bx_region {
    const char *name;
    unsigned thread;            /* from 1, as they begin; 0: all */
    int core;                   /* of the thread, -1: it had none; of all: -1 */
    unsigned threads;           /* of all: how many have entered it */
    uint64_t entered;           /* how often it began, also within itself */
    uint64_t unended;           /* threads that ended inside: counted up to there */
    uint64_t unbegun;           /* ends of a thread that was not inside: they do nothing */
    uint64_t time;              /* that was spent inside */
    const bx_reading *readings; /* as many, and in the same order, as bx_session_readings() */
} bx_region;

/* Plans a measurement of at least one event: in several passes where they do not fit at once. On a
 * virtual machine all passes count at the same time and exactly, as do all sessions on it. On a
 * host events may go by the kernel (bx_machine_options.driver); those of its counters that follow a
 * program follow the calling thread where none was loaded. */
BX_API int bx_session_open(bx_machine *m, const bx_evsel *events, size_t n,
                           const bx_session_options *o, bx_session **s, bx_error *e);
BX_API unsigned bx_session_passes(const bx_session *s); /* however they are counted */
/* The first register access that failed, or read nonsense; readings that needed it are BX_BLOCKED
 * or BX_IMPLAUSIBLE. NULL: none did. */
BX_API const bx_error *bx_session_trouble(const bx_session *s);
/* Why an event (index) is BX_NOT_SUPPORTED; NULL: it is not. Belongs to the session. */
BX_API const bx_error *bx_session_unsupported(const bx_session *s, size_t event);
/* What its user should know of a session that has started, such as that root's measurements are not
 * kept apart from it; NULL: nothing. */
BX_API const char *bx_session_remark(const bx_session *s);
/* What could not be put back when the session stopped: the i-th register with the reason; NULL
 * beyond the last. */
BX_API const char *bx_session_left(const bx_session *s, size_t i);
/* The journal that is still needed, for `boxscore restore`; NULL: all is as it was. */
BX_API const char *bx_session_journal(const bx_session *s);
BX_API int bx_session_start(bx_session *s, bx_error *e); /* saves, programs and enables */
/* Runs the machine until the given cycle, rotating passes on the way and reading often enough that
 * no counter can wrap unseen. It returns early where an overflow has ended the session. */
BX_API int bx_session_run(bx_session *s, uint64_t until, bool *done, bx_error *e);
BX_API int bx_session_sample(bx_session *s, bx_error *e); /* brings the readings up to date */
BX_API int bx_session_stop(bx_session *s, bx_error *e);   /* disables, reads, restores */
BX_API const bx_reading *bx_session_readings(const bx_session *s, size_t *n);
/* Once it has stopped: each region, all threads first, then each thread that has marked it; in the
 * order in which they first did. */
BX_API const bx_region *bx_session_regions(const bx_session *s, size_t *n);
/* Time that was spent in the regions `inside`. */
BX_API uint64_t bx_session_inside(const bx_session *s);
BX_API void bx_session_close(bx_session *s); /* stops if need be; NULL is fine */

/* ---- measuring in one call ---- */

/* A measurement and its values. Belongs to the caller, who frees it; what its functions return
 * belongs to it. It outlives its machine once it has ended. Use by one thread at a time. */
typedef struct bx_result bx_result;

/* Counts events on a machine while a built-in workload ("stream,size=16M") or a program runs, to
 * its end.
 *
 * - events: a list as bx_machine_events_parse() reads it. NULL: those of the metrics.
 * - metrics: names of metrics and of groups of metrics, separated by commas. NULL: all metrics
 * whose events are counted. Both NULL: the machine's most useful events.
 * - workload: as bx_machine_load_workload() reads it.
 * - argv: NULL at its end; the program is looked for in PATH.
 *
 * A virtual machine counts all events exactly, and goes on from where the last work has left its
 * caches: open another one for counts as after power-on. A host multiplexes events that do not fit.
 * Regions that a program marks (boxscore/region.h) are counted, too. bx_error.in of an error with a
 * span is "events", "metrics" or "workload". The calling process's signals are left as they are. */
BX_API int bx_measure_workload(bx_machine *m, const char *events, const char *metrics,
                               const char *workload, bx_result **result, bx_error *e);
BX_API int bx_measure_program(bx_machine *m, const char *events, const char *metrics,
                              char *const argv[], bx_result **result, bx_error *e);

/* Counts what happens between the two calls, for a part of the calling program, on a host: open it
 * as "host", as the machine that is opened without a name may be a virtual one. On a virtual
 * machine it counts what bx_machine_run() has run in between, which is none of this program. Events
 * that follow a program follow the calling thread; those of units outside the cores are the whole
 * machine's. Nothing reads registers in between: keep the part to some seconds, and the events few
 * enough to be counted at once, else the others are BX_NOT_MEASURED. There are no values before
 * bx_measure_end(), nor after an error of it; the result is then still to be freed.
 * bx_result_free() ends a measurement that still counts. BX_BAD_INPUT: no time has passed, such as
 * on a virtual machine without work. */
BX_API int bx_measure_begin(bx_machine *m, const char *events, const char *metrics,
                            bx_result **result, bx_error *e);
BX_API int bx_measure_end(bx_result *r, bx_error *e);

BX_API void bx_result_free(bx_result *r); /* NULL is fine */

BX_API const char *bx_result_machine(const bx_result *r); /* bx_machine_name() */
BX_API double bx_result_seconds(const bx_result *r);      /* counted, by the machine's clock */
BX_API int bx_result_exit_status(const bx_result *r);     /* bx_machine_exit_status() */

/* What the measurement did not see, and what its user should know: programs that could not be
 * traced, events that the machine lacks, blocked counters, registers that were not put back. A
 * sentence each; NULL beyond the last. */
BX_API const char *bx_result_remark(const bx_result *r, size_t i);

/* The values: of each event, in the order of `events`, the sum over all units; then each unit's, or
 * thread's, or CPU's. Events that only the metrics need come after those of `events`. Of an i
 * beyond the last: "", 0, false, BX_ANY, BX_NOT_MEASURED. */
BX_API size_t bx_result_values(const bx_result *r);
/* The i of the sum of the event of that number, from 0; bx_result_values() beyond the last. */
BX_API size_t bx_result_sum(const bx_result *r, size_t event);
BX_API bool bx_result_is_sum(const bx_result *r, size_t i);
BX_API const char *bx_result_event(const bx_result *r, size_t i); /* its canonical string */
BX_API const char *bx_result_where(const bx_result *r, size_t i); /* "C-Box 2"; "": the sum */
BX_API int bx_result_package(const bx_result *r, size_t i);       /* BX_ANY: of no one package */
BX_API int bx_result_unit(const bx_result *r, size_t i);   /* in its package; BX_ANY: of no one */
BX_API int bx_result_thread(const bx_result *r, size_t i); /* the kernel's number; 0: of no one */
BX_API int bx_result_cpu(const bx_result *r, size_t i);    /* logical CPU; BX_ANY: of no one */

/* enum bx_state, which may grow: a value with a state beyond BX_SCALED is no count. The text is a
 * word or two: "counted", "scaled", "not modelled" … A sum has the worst state of its units. */
BX_API int bx_result_state(const bx_result *r, size_t i);
BX_API const char *bx_result_state_text(const bx_result *r, size_t i);

/* The count; a scaled one is rounded. 0 where the state says that there is none. */
BX_API uint64_t bx_result_value(const bx_result *r, size_t i);
BX_API const char *bx_result_counts(const bx_result *r, size_t i); /* what one is: "lookups"; "" */
BX_API double bx_result_share(const bx_result *r,
                              size_t i); /* of the time it was counted, 0 to 1 */

/* How far off a scaled value may be: in 95 of 100 measurements the true value is nearer than this.
 * 0: it is exact. Negative: not known, or there is no value. */
BX_API double bx_result_error(const bx_result *r, size_t i);

/* The metrics, each of all units (`where` "") or of one. Of an i beyond the last: "", 0, false. */
BX_API size_t bx_result_metrics(const bx_result *r);
BX_API const char *bx_result_metric(const bx_result *r, size_t i); /* its name */
BX_API const char *bx_result_metric_where(const bx_result *r, size_t i);
BX_API int bx_result_metric_package(const bx_result *r, size_t i);
BX_API const char *bx_result_metric_unit(const bx_result *r, size_t i); /* "MB/s", "%"; "" */
/* false: it has no value, and *value is untouched; the state says why: "<not modelled>", "–" if it
 * was divided by 0. The state is "" if it has one. */
BX_API bool bx_result_metric_value(const bx_result *r, size_t i, double *value);
BX_API const char *bx_result_metric_state(const bx_result *r, size_t i);
/* Of one whose parts are scaled and of different times, as bx_result_error(). */
BX_API double bx_result_metric_error(const bx_result *r, size_t i);

/* The i-th region that the program has marked, as a result of its own, which belongs to this one:
 * all threads first, then each thread. NULL beyond the last. Its seconds are those inside. */
BX_API const bx_result *bx_result_region(const bx_result *r, size_t i);
BX_API const char *bx_result_region_name(const bx_result *r); /* "": of the whole */
BX_API unsigned bx_result_region_thread(const bx_result *r);  /* from 1, as they begin; 0: all */
BX_API uint64_t bx_result_region_entered(const bx_result *r); /* how often it began */

#ifdef __cplusplus
}
#endif

#endif
