#include "machine/dialogue.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 16 };

/* A line taken apart at its blanks; word 0 is the command. */
typedef struct words {
    bx_str line;
    bx_str w[WORDS];
    size_t n;
} words;

struct bx_dialogue {
    bx_machine *m;
    bx_buf *out;       /* of the line that is being played */
    bx_selection last; /* the signal that the last command raised … */
    bool signalled;    /* … if it raised one */
};

/* ---- words and numbers ---- */

/* Fails at one word, which the format's %.*s quotes. */
#define FAIL_AT(e, words, word, format, ...)                                                       \
    bx_fail(e, BX_BAD_INPUT, (size_t)((word).p - (words)->line.p), (word).n, format, __VA_ARGS__)

/* A word for a message: enough of it to be recognised. */
#define QUOTED(word) (int)((word).n < 40 ? (word).n : 40), (word).p

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static int split(bx_str line, words *to, bx_error *e)
{
    ptrdiff_t comment = bx_str_find(line, '#', 0);
    size_t end = comment < 0 ? line.n : (size_t)comment;
    *to = (words){.line = line};
    for (size_t at = 0; at < end;) {
        if (is_blank(line.p[at])) {
            at++;
            continue;
        }
        size_t from = at;
        while (at < end && !is_blank(line.p[at]))
            at++;
        if (to->n == WORDS)
            return bx_fail(e, BX_BAD_INPUT, from, at - from, "more than %d words", WORDS);
        to->w[to->n++] = bx_str_sub(line, from, at - from);
    }
    return BX_OK;
}

/* A number of at most `most`. */
static int number(const words *s, bx_str word, uint64_t most, const char *what, uint64_t *value,
                  bx_error *e)
{
    uint64_t n;
    if (!bx_str_u64(word, &n)) {
        FAIL_AT(e, s, word, "%s \"%.*s\" is no number of at most 64 bits", what, QUOTED(word));
        bx_hint(e, "numbers are written as in C: 0x1f, 31 or 037");
        return BX_BAD_INPUT;
    }
    if (n > most)
        return FAIL_AT(e, s, word, "%s \"%.*s\" is over 0x%llx", what, QUOTED(word),
                       (unsigned long long)most);
    *value = n;
    return BX_OK;
}

static int cpu_number(const bx_dialogue *d, const words *s, unsigned *cpu, bx_error *e)
{
    uint64_t n, cpus = (uint64_t)d->m->topology.packages * d->m->topology.cores;
    if (number(s, s->w[1], UINT64_MAX, "CPU", &n, e))
        return BX_BAD_INPUT;
    if (n >= cpus) {
        FAIL_AT(e, s, s->w[1], "there is no CPU %llu", (unsigned long long)n);
        bx_hint(e, "this machine has CPUs 0 to %llu", (unsigned long long)cpus - 1);
        return BX_BAD_INPUT;
    }
    *cpu = (unsigned)n;
    return BX_OK;
}

/* 1, 2, 4 or 8 bytes, in bits. */
static int access_width(const words *s, bx_str word, uint8_t *bits, bx_error *e)
{
    uint64_t n;
    if (number(s, word, 8, "BYTES", &n, e))
        return BX_BAD_INPUT;
    if (n != 1 && n != 2 && n != 4 && n != 8)
        return FAIL_AT(e, s, word, "an access is 1, 2, 4 or 8 bytes wide, not %.*s", QUOTED(word));
    *bits = (uint8_t)(8 * n);
    return BX_OK;
}

/* ---- what commands have in common ---- */

/* The line has been understood. A signal goes on only if the next command is the same signal. */
static void begin(bx_dialogue *d)
{
    if (d->signalled)
        bx_vpmu_fall(d->m->vpmu);
    d->signalled = false;
}

static void print(bx_dialogue *d, uint64_t value)
{
    bx_buf_f(d->out, "0x%llx\n", (unsigned long long)value);
}

static void print_fault(bx_dialogue *d)
{
    bx_buf_z(d->out, "#GP\n");
}

static void print_read(bx_dialogue *d, const bx_address *at)
{
    uint64_t value;
    begin(d);
    if (d->m->bus->read(d->m->bus, at, &value) == 0)
        print(d, value);
    else
        print_fault(d);
}

static void print_pmi(void *context, unsigned cpu)
{
    bx_dialogue *d = context;
    if (d->out)
        bx_buf_f(d->out, "PMI core=%u\n", cpu);
}

/* ---- register accesses ---- */

static int rdmsr(bx_dialogue *d, const words *s, bx_error *e)
{
    bx_address at = {.space = BX_SPACE_MSR, .width = 64};
    unsigned cpu;
    if (cpu_number(d, s, &cpu, e) || number(s, s->w[2], UINT32_MAX, "MSR", &at.offset, e))
        return BX_BAD_INPUT;
    at.cpu = (uint16_t)cpu;
    print_read(d, &at);
    return BX_OK;
}

static int wrmsr(bx_dialogue *d, const words *s, bx_error *e)
{
    bx_address at = {.space = BX_SPACE_MSR, .width = 64};
    uint64_t value;
    unsigned cpu;
    if (cpu_number(d, s, &cpu, e) || number(s, s->w[2], UINT32_MAX, "MSR", &at.offset, e) ||
        number(s, s->w[3], UINT64_MAX, "VALUE", &value, e))
        return BX_BAD_INPUT;
    at.cpu = (uint16_t)cpu;
    begin(d);
    if (d->m->bus->write(d->m->bus, &at, value))
        print_fault(d);
    return BX_OK;
}

static bool rdpmc_option(bx_str word)
{
    static const char *const options[] = {"cpl=0",     "cpl=1",    "cpl=2",
                                          "cpl=3",     "pce=0",    "pce=1",
                                          "mode=real", "mode=v86", "mode=protected"};
    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
        if (bx_str_eq(word, bx_str_of(options[i])))
            return true;
    return false;
}

/* RDPMC faults on an index that is no counter of the core (SDM volume 2, RDPMC), and none of the
 * catalogue's counters is one. */
static int rdpmc(bx_dialogue *d, const words *s, bx_error *e)
{
    uint64_t index;
    unsigned cpu;
    if (cpu_number(d, s, &cpu, e) || number(s, s->w[2], UINT32_MAX, "ECX", &index, e))
        return BX_BAD_INPUT;
    for (size_t i = 3; i < s->n; i++)
        if (!rdpmc_option(s->w[i])) {
            FAIL_AT(e, s, s->w[i], "rdpmc has no option \"%.*s\"", QUOTED(s->w[i]));
            bx_hint(e, "cpl=0 to cpl=3, pce=0, pce=1, mode=real, mode=protected, mode=v86");
            return BX_BAD_INPUT;
        }
    begin(d);
    print_fault(d);
    return BX_OK;
}

/* B:D.F to the place of the function in a bus address. */
static int function_number(const words *s, bx_str word, uint64_t *address, bx_error *e)
{
    bx_str rest = word, bus = bx_str_cut(&rest, ':'), device = bx_str_cut(&rest, '.');
    uint64_t b, d, f;
    if (!rest.p) {
        FAIL_AT(e, s, word, "\"%.*s\" is no PCI function", QUOTED(word));
        bx_hint(e, "bus:device.function, as in 0:0.0");
        return BX_BAD_INPUT;
    }
    if (number(s, bus, 255, "bus", &b, e) || number(s, device, 31, "device", &d, e) ||
        number(s, rest, 7, "function", &f, e))
        return BX_BAD_INPUT;
    *address = b << 20 | d << 15 | f << 12;
    return BX_OK;
}

static int rdpci(bx_dialogue *d, const words *s, bx_error *e)
{
    bx_address at = {.space = BX_SPACE_PCI};
    uint64_t function, offset;
    if (function_number(s, s->w[1], &function, e) ||
        number(s, s->w[2], 0xfff, "OFFSET", &offset, e) || access_width(s, s->w[3], &at.width, e))
        return BX_BAD_INPUT;
    if (offset + at.width / 8 > 0x1000)
        return FAIL_AT(e, s, s->w[2], "%u bytes from %.*s lead beyond the 4 KiB of a function",
                       at.width / 8, QUOTED(s->w[2]));
    at.offset = function | offset;
    print_read(d, &at);
    return BX_OK;
}

static int rdmem(bx_dialogue *d, const words *s, bx_error *e)
{
    bx_address at = {.space = BX_SPACE_MMIO};
    if (number(s, s->w[1], UINT64_MAX, "ADDR", &at.offset, e) ||
        access_width(s, s->w[2], &at.width, e))
        return BX_BAD_INPUT;
    print_read(d, &at);
    return BX_OK;
}

/* ---- time ---- */

/* Cycles that can still pass: time stays far from the end of its 64 bits. */
static uint64_t most_cycles(const bx_dialogue *d)
{
    return (UINT64_C(1) << 62) - bx_machine_now(d->m);
}

static void pass(bx_dialogue *d, uint64_t cycles)
{
    bx_machine_idle(d->m, cycles);
    bx_vpmu_catch_up(d->m->vpmu);
}

static int cycles(bx_dialogue *d, const words *s, bx_error *e)
{
    uint64_t n;
    if (number(s, s->w[1], most_cycles(d), "N", &n, e))
        return BX_BAD_INPUT;
    begin(d);
    pass(d, n);
    return BX_OK;
}

static int run(bx_dialogue *d, const words *s, bx_error *e)
{
    bx_str word = s->w[1];
    char *workload = calloc(1, word.n + 1);
    if (!workload)
        return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    memcpy(workload, word.p, word.n);
    int code = bx_machine_load_workload(d->m, workload, e);
    free(workload);
    if (code) {
        bx_error_shift(e, (size_t)(word.p - s->line.p));
        return code;
    }
    begin(d);
    bool done = false;
    while (!code && !done)
        code = bx_machine_run(d->m, BX_NEVER, &done, e);
    bx_machine_unload(d->m);
    bx_vpmu_catch_up(d->m->vpmu);
    return code;
}

static int rest(bx_dialogue *d, const words *s, bool asleep, bx_error *e)
{
    unsigned cpu;
    if (cpu_number(d, s, &cpu, e))
        return BX_BAD_INPUT;
    begin(d);
    bx_vpmu_sleep(d->m->vpmu, cpu, asleep);
    return BX_OK;
}

static int sleep_cpu(bx_dialogue *d, const words *s, bx_error *e)
{
    return rest(d, s, true, e);
}

static int wake_cpu(bx_dialogue *d, const words *s, bx_error *e)
{
    return rest(d, s, false, e);
}

/* ---- signals ---- */

static const bx_cat_cpu *cpu_of(const bx_dialogue *d)
{
    return &bx_cat_cpus(d->m->topology.catalog)[d->m->topology.cpu];
}

static bool all_digits(bx_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return true;
}

static bx_str pmu_name(const bx_dialogue *d, unsigned box)
{
    const struct bx_catalog *c = d->m->topology.catalog;
    return bx_cat_str(c, bx_cat_pmus(c)[cpu_of(d)->pmus.first + box].name);
}

/* The PMU whose name, with or without a number behind it, the word is. */
static int find_box(const bx_dialogue *d, const words *s, bx_str word, unsigned *box, bx_error *e)
{
    unsigned nearest = 0, best = UINT32_MAX;
    bx_str bare = word;
    while (bare.n && all_digits(bx_str_sub(bare, bare.n - 1, 1)))
        bare.n--;
    for (unsigned i = 0; i < cpu_of(d)->pmus.n; i++) {
        bx_str name = pmu_name(d, i);
        unsigned distance = bx_str_distance(bare, name, 63);
        if (bx_str_starts_fold(word, name) && all_digits(bx_str_sub(word, name.n, word.n))) {
            *box = i;
            return BX_OK;
        }
        if (distance < best) {
            best = distance;
            nearest = i;
        }
    }
    FAIL_AT(e, s, word, "this machine has no PMU \"%.*s\"", QUOTED(word));
    bx_hint(e, "the nearest name is \"%.*s\"", QUOTED(pmu_name(d, nearest)));
    return BX_BAD_INPUT;
}

/* The number behind a PMU's name; without one, the only unit. */
static int find_unit(const bx_dialogue *d, const words *s, bx_str word, bx_selection *what,
                     bx_error *e)
{
    bx_str name = pmu_name(d, what->box), digits = bx_str_sub(word, name.n, word.n);
    unsigned units =
        bx_topology_units(&d->m->topology, (uint16_t)(cpu_of(d)->pmus.first + what->box));
    uint64_t unit = 0;
    if (digits.n == 0 && units > 1) {
        FAIL_AT(e, s, word, "\"%.*s\" has %u units", QUOTED(name), units);
        bx_hint(e, "name one of %.*s0 to %.*s%u", QUOTED(name), QUOTED(name), units - 1);
        return BX_BAD_INPUT;
    }
    for (size_t i = 0; i < digits.n && unit < units; i++)
        unit = 10 * unit + (uint64_t)(digits.p[i] - '0');
    if (unit >= units) {
        FAIL_AT(e, s, word, "this machine has no \"%.*s\"", QUOTED(word));
        bx_hint(e, "its last unit is %.*s%u", QUOTED(name), units - 1);
        return BX_BAD_INPUT;
    }
    what->unit = (uint16_t)unit;
    return BX_OK;
}

/* UNIT[@PACKAGE] */
static int find_place(const bx_dialogue *d, const words *s, bx_selection *what, bx_error *e)
{
    bx_str package = s->w[1], word = bx_str_cut(&package, '@');
    uint64_t number_of_package = 0;
    unsigned box;
    if (find_box(d, s, word, &box, e))
        return BX_BAD_INPUT;
    what->box = (uint16_t)box;
    if (find_unit(d, s, word, what, e))
        return BX_BAD_INPUT;
    if (package.p &&
        number(s, package, d->m->topology.packages - 1, "package", &number_of_package, e))
        return BX_BAD_INPUT;
    what->package = (uint16_t)number_of_package;
    return BX_OK;
}

static bool same_signal(const bx_selection *a, const bx_selection *b)
{
    return a->box == b->box && a->unit == b->unit && a->package == b->package &&
           a->code == b->code && a->umask == b->umask;
}

static int signal_words(const bx_dialogue *d, const words *s, bx_selection *what, uint32_t *level,
                        uint64_t *n, bx_error *e)
{
    uint64_t code, umask, value;
    if (find_place(d, s, what, e) || number(s, s->w[2], UINT16_MAX, "CODE", &code, e) ||
        number(s, s->w[3], UINT32_MAX, "UMASK", &umask, e) ||
        number(s, s->w[4], UINT32_MAX, "LEVEL", &value, e) ||
        number(s, s->w[5], most_cycles(d), "CYCLES", n, e))
        return BX_BAD_INPUT;
    if (s->n > 6) {
        bx_str key = s->w[6], name = pmu_name(d, what->box);
        key = bx_str_cut(&(bx_str){key.p, key.n}, '=');
        return FAIL_AT(e, s, key, "\"%.*s\" has no filter \"%.*s\"", QUOTED(name), QUOTED(key));
    }
    what->code = (uint16_t)code;
    what->umask = (uint32_t)umask;
    *level = (uint32_t)value;
    return BX_OK;
}

static int raise_signal(bx_dialogue *d, const words *s, bx_error *e)
{
    bx_selection what = {0};
    uint32_t level;
    uint64_t n;
    if (signal_words(d, s, &what, &level, &n, e))
        return BX_BAD_INPUT;
    if (!same_signal(&what, &d->last))
        begin(d);
    int code = bx_vpmu_inject(d->m->vpmu, &what, level, n, e);
    if (code)
        return code;
    pass(d, n);
    d->last = what;
    d->signalled = true;
    return BX_OK;
}

/* ---- lines ---- */

typedef struct command {
    const char *name;
    const char *takes; /* its arguments, as messages name them */
    size_t least, most;
    int (*play)(bx_dialogue *d, const words *s, bx_error *e);
} command;

static const command commands[] = {
    {"rdmsr", "CPU ADDR", 2, 2, rdmsr},
    {"wrmsr", "CPU ADDR VALUE", 3, 3, wrmsr},
    {"rdpmc", "CPU ECX [cpl=0..3] [pce=0|1] [mode=real|protected|v86]", 2, 5, rdpmc},
    {"rdpci", "B:D.F OFFSET BYTES", 3, 3, rdpci},
    {"rdmem", "ADDR BYTES", 2, 2, rdmem},
    {"cycles", "N", 1, 1, cycles},
    {"run", "WORKLOAD", 1, 1, run},
    {"signal", "UNIT[@PACKAGE] CODE UMASK LEVEL CYCLES [key=value...]", 5, WORDS - 1, raise_signal},
    {"sleep", "CPU", 1, 1, sleep_cpu},
    {"wake", "CPU", 1, 1, wake_cpu},
};
enum { COMMANDS = sizeof(commands) / sizeof(*commands) };

static const command *find_command(const words *s, bx_error *e)
{
    const command *nearest = commands;
    unsigned best = UINT32_MAX;
    for (size_t i = 0; i < COMMANDS; i++) {
        bx_str name = bx_str_of(commands[i].name);
        if (bx_str_eq(s->w[0], name))
            return &commands[i];
        unsigned distance = bx_str_distance(s->w[0], name, 63);
        if (distance < best) {
            best = distance;
            nearest = &commands[i];
        }
    }
    FAIL_AT(e, s, s->w[0], "no command is called \"%.*s\"", QUOTED(s->w[0]));
    bx_hint(e, "the nearest is \"%s %s\"", nearest->name, nearest->takes);
    return NULL;
}

static int play(bx_dialogue *d, const words *s, bx_error *e)
{
    const command *c = find_command(s, e);
    if (!c)
        return BX_BAD_INPUT;
    if (s->n - 1 < c->least || s->n - 1 > c->most) {
        bx_str first = s->w[0], last = s->w[s->n > c->most + 1 ? c->most + 1 : s->n - 1];
        bx_str at =
            s->n - 1 < c->least ? (bx_str){first.p, (size_t)(last.p + last.n - first.p)} : last;
        FAIL_AT(e, s, at, "%s: too %s words", c->name, s->n - 1 < c->least ? "few" : "many");
        bx_hint(e, "%s %s", c->name, c->takes);
        return BX_BAD_INPUT;
    }
    return c->play(d, s, e);
}

int bx_dialogue_line(bx_dialogue *d, bx_str line, bx_buf *out, bx_error *e)
{
    words s;
    int code = split(line, &s, e);
    if (code || s.n == 0)
        return code;
    d->out = out;
    code = play(d, &s, e);
    d->out = NULL;
    if (!code && out->failed)
        return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    return code;
}

bx_dialogue *bx_dialogue_new(bx_machine *m, bx_error *e)
{
    if (!m->vpmu) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "a register dialogue needs a virtual machine");
        bx_hint(e, "--machine virtual:skl");
        return NULL;
    }
    bx_dialogue *d = calloc(1, sizeof(*d));
    if (!d) {
        bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
        return NULL;
    }
    d->m = m;
    bx_vpmu_on_pmi(m->vpmu, print_pmi, d);
    return d;
}

void bx_dialogue_free(bx_dialogue *d)
{
    if (!d)
        return;
    bx_vpmu_on_pmi(d->m->vpmu, NULL, NULL);
    free(d);
}
