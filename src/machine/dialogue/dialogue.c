/* Executes the commands of the register dialogue. */
#include "machine/dialogue/dialogue.h"

#include "base/bits.h"
#include "base/nearest.h"
#include "machine/dialogue/access.h"
#include "machine/dialogue/signal_code.h"
#include "machine/dialogue/signal_key.h"
#include "machine/dialogue/unit_name.h"
#include "machine/program/process/host_program.h"

#include <stdlib.h>
#include <string.h>

struct bx_dialogue {
    bx_machine *m;
    bx_vpmu *vpmu;
    bx_buf *out;                 /* output of the current line */
    bool busy;                   /* a line lets time pass */
    bx_selection last;           /* signal of the last command … */
    bool signalled;              /* … if it raised one */
    bool (*stop)(void *context); /* NULL: never */
    void *context;
};

/* ---- what commands share ---- */

/* Call this when the line is known to be valid. A signal continues only if the next command is the
 * same signal. A command that is executed while it passes does not end it. */
static void begin_command(bx_dialogue *d)
{
    if (d->busy)
        return;
    if (d->signalled)
        bx_vpmu_fall(d->vpmu);
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
    begin_command(d);
    if (d->m->bus->read(d->m->bus, at, &value) == 0)
        print(d, value);
    else
        print_fault(d);
}

static void write_register(bx_dialogue *d, const bx_address *at, uint64_t value)
{
    begin_command(d);
    if (d->m->bus->write(d->m->bus, at, value))
        print_fault(d);
}

static void print_pmi(void *context, unsigned cpu)
{
    bx_dialogue *d = context;
    if (d->out)
        bx_buf_f(d->out, "PMI core=%u\n", cpu);
}

/* ---- register accesses ---- */

/* State of the CPU when it executes an instruction. */
typedef struct state {
    unsigned cpl;
    bool pce;
    enum bx_cpu_mode mode;
} state;

static bool state_option(bx_str word, bool takes_pce, state *to)
{
    static const struct option {
        const char *key, *value;
        unsigned number;
    } options[] = {
        {"cpl", "0", 0},
        {"cpl", "1", 1},
        {"cpl", "2", 2},
        {"cpl", "3", 3},
        {"mode", "real", BX_MODE_REAL},
        {"mode", "protected", BX_MODE_PROTECTED},
        {"mode", "v86", BX_MODE_V86},
        {"pce", "0", 0},
        {"pce", "1", 1},
    };
    bx_str value = word, key = bx_str_cut(&value, '=');
    for (size_t i = 0; value.p && i < sizeof(options) / sizeof(*options); i++) {
        const struct option *o = &options[i];
        if (!bx_str_eq(key, bx_str_of(o->key)) || !bx_str_eq(value, bx_str_of(o->value)))
            continue;
        if (o->key[0] == 'p' && !takes_pce)
            return false;
        if (o->key[0] == 'c')
            to->cpl = o->number;
        else if (o->key[0] == 'p')
            to->pce = o->number;
        else
            to->mode = o->number;
        return true;
    }
    return false;
}

/* Reads the state from word `from` on. */
static int read_state(const bx_words *s, size_t from, bool takes_pce, state *now, bx_error *e)
{
    *now = (state){.mode = BX_MODE_PROTECTED};
    for (size_t i = from; i < s->n; i++) {
        if (state_option(s->w[i], takes_pce, now))
            continue;
        BX_FAIL_AT(e, s, s->w[i], "%.*s has no option '%.*s'", BX_QUOTED(s->w[0]),
                   BX_QUOTED(s->w[i]));
        bx_hint(e, "cpl=0 to cpl=3, %smode=real, mode=protected, mode=v86",
                takes_pce ? "pce=0, pce=1, " : "");
        return BX_BAD_INPUT;
    }
    return BX_OK;
}

/* Whether RDMSR and WRMSR are allowed: at privilege level 0, which is that of real mode, and not in
 * virtual-8086 mode. Document 002 section 6.3. */
static bool may_access_msr(const state *now)
{
    return now->mode == BX_MODE_REAL || (now->mode == BX_MODE_PROTECTED && now->cpl == 0);
}

static int rdmsr(bx_dialogue *d, const bx_words *s, bx_error *e)
{
    bx_address at;
    state now;
    if (bx_access_msr(d->m, s, &at, e) || read_state(s, 3, false, &now, e))
        return BX_BAD_INPUT;
    if (may_access_msr(&now)) {
        print_read(d, &at);
    } else {
        begin_command(d);
        print_fault(d);
    }
    return BX_OK;
}

static int wrmsr(bx_dialogue *d, const bx_words *s, bx_error *e)
{
    bx_address at;
    uint64_t value;
    state now;
    if (bx_access_msr(d->m, s, &at, e) ||
        bx_words_number(s, s->w[3], UINT64_MAX, "VALUE", &value, e) ||
        read_state(s, 4, false, &now, e))
        return BX_BAD_INPUT;
    if (may_access_msr(&now)) {
        write_register(d, &at, value);
    } else {
        begin_command(d);
        print_fault(d);
    }
    return BX_OK;
}

static int rdpmc(bx_dialogue *d, const bx_words *s, bx_error *e)
{
    state now;
    uint64_t index, value;
    unsigned cpu;
    if (bx_access_cpu(d->m, s, &cpu, e) ||
        bx_words_number(s, s->w[2], UINT32_MAX, "ECX", &index, e) ||
        read_state(s, 3, true, &now, e))
        return BX_BAD_INPUT;
    begin_command(d);
    if (bx_vpmu_rdpmc(d->vpmu, cpu, (uint32_t)index, now.cpl, now.pce, now.mode, &value) == 0)
        print(d, value);
    else
        print_fault(d);
    return BX_OK;
}

/* Writes the value of the last word, which must fit the access. */
static int write_last(bx_dialogue *d, const bx_words *s, const bx_address *at, bx_error *e)
{
    uint64_t value;
    if (bx_words_number(s, s->w[s->n - 1], bx_mask_width(at->width), "VALUE", &value, e))
        return BX_BAD_INPUT;
    write_register(d, at, value);
    return BX_OK;
}

static int rdpci(bx_dialogue *d, const bx_words *s, bx_error *e)
{
    bx_address at;
    int code = bx_access_pci(d->m, s, &at, e);
    if (!code)
        print_read(d, &at);
    return code;
}

static int wrpci(bx_dialogue *d, const bx_words *s, bx_error *e)
{
    bx_address at;
    int code = bx_access_pci(d->m, s, &at, e);
    return code ? code : write_last(d, s, &at, e);
}

static int rdmem(bx_dialogue *d, const bx_words *s, bx_error *e)
{
    bx_address at;
    int code = bx_access_memory(d->m, s, &at, e);
    if (!code)
        print_read(d, &at);
    return code;
}

static int wrmem(bx_dialogue *d, const bx_words *s, bx_error *e)
{
    bx_address at;
    int code = bx_access_memory(d->m, s, &at, e);
    return code ? code : write_last(d, s, &at, e);
}

/* ---- time ---- */

/* The most cycles that may still pass. */
static uint64_t most_cycles(const bx_dialogue *d)
{
    uint64_t now = bx_machine_now(d->m);
    return now < BX_TIME_MOST ? BX_TIME_MOST - now : 0;
}

/* Lets the machine's time advance to `until`. *done: the work ended before. */
typedef int slice(bx_dialogue *d, uint64_t until, bool *done, bx_error *e);

/* Advances in slices of a few milliseconds of host time, so that the command can be stopped, and
 * other clients need not wait for its end. */
static int advance(bx_dialogue *d, slice *next, uint64_t end, bx_error *e)
{
    enum { FIRST = 1 << 13, SHORT = 500000, LONG = 2000000 }; /* cycles, ns, ns */
    bool done = false;
    int code = BX_OK;
    d->busy = true;
    for (uint64_t step = FIRST; !code && !done;) {
        uint64_t began = bx_process_clock(), now = bx_machine_now(d->m);
        code = next(d, end - now < step ? end : now + step, &done, e);
        done |= bx_machine_now(d->m) >= end;
        uint64_t took = bx_process_clock() - began;
        if (took < SHORT && step < end / 4)
            step *= 2;
        else if (took > LONG && step > 1)
            step /= 2;
        if (!code && !done && d->stop && d->stop(d->context))
            code = bx_fail(e, BX_SYSTEM, 0, 0, "the command was stopped");
    }
    d->busy = false;
    return code;
}

static int idle(bx_dialogue *d, uint64_t until, bool *done, bx_error *e)
{
    (void)e;
    (void)done;
    bx_machine_idle(d->m, until - bx_machine_now(d->m));
    bx_vpmu_catch_up(d->vpmu);
    return BX_OK;
}

static int pass(bx_dialogue *d, uint64_t cycles, bx_error *e)
{
    return advance(d, idle, bx_machine_now(d->m) + cycles, e);
}

static int cycles(bx_dialogue *d, const bx_words *s, bx_error *e)
{
    uint64_t n;
    if (bx_words_number(s, s->w[1], most_cycles(d), "N", &n, e))
        return BX_BAD_INPUT;
    begin_command(d);
    return pass(d, n, e);
}

static int work(bx_dialogue *d, uint64_t until, bool *done, bx_error *e)
{
    return bx_machine_run(d->m, until, done, e);
}

static int run_command(bx_dialogue *d, const bx_words *s, bx_error *e)
{
    bx_str word = s->w[1];
    char *workload = calloc(1, word.n + 1);
    if (!workload)
        return bx_out_of_memory(e);
    memcpy(workload, word.p, word.n);
    int code = bx_machine_load_workload(d->m, workload, e);
    free(workload);
    if (code) {
        bx_error_shift(e, (size_t)(word.p - s->line.p));
        return code;
    }
    begin_command(d);
    code = advance(d, work, BX_NEVER, e);
    bx_machine_unload(d->m);
    bx_vpmu_catch_up(d->vpmu);
    return code;
}

static int rest(bx_dialogue *d, const bx_words *s, bool asleep, bx_error *e)
{
    unsigned cpu;
    if (bx_access_cpu(d->m, s, &cpu, e))
        return BX_BAD_INPUT;
    begin_command(d);
    bx_vpmu_sleep(d->vpmu, cpu, asleep);
    return BX_OK;
}

static int sleep_cpu(bx_dialogue *d, const bx_words *s, bx_error *e)
{
    return rest(d, s, true, e);
}

static int wake_cpu(bx_dialogue *d, const bx_words *s, bx_error *e)
{
    return rest(d, s, false, e);
}

/* ---- signals ---- */

static bool same_signal(const bx_selection *a, const bx_selection *b)
{
    for (unsigned i = 0; i < BX_FILTERS; i++)
        if (a->filter[i] != b->filter[i] || a->applies[i] != b->applies[i])
            return false;
    return a->box == b->box && a->unit == b->unit && a->package == b->package &&
           a->counter == b->counter && a->port == b->port && a->code == b->code &&
           a->umask == b->umask && a->levels == b->levels;
}

/* A `signal` command. */
typedef struct signal {
    bx_selection what;
    uint64_t level, cycles;
} signal;

static int signal_words(const bx_dialogue *d, const bx_words *s, signal *to, bx_error *e)
{
    const bx_topology *t = &d->m->topology;
    uint64_t code = 0, umask = 0;
    if (bx_unit_find(t, s, s->w[1], &to->what, e) ||
        bx_signal_code(t, s, to->what.box, &code, &umask, e) ||
        bx_words_number(s, s->w[4], UINT32_MAX, "LEVEL", &to->level, e) ||
        bx_words_number(s, s->w[5], most_cycles(d), "CYCLES", &to->cycles, e))
        return BX_BAD_INPUT;
    to->what.code = (uint16_t)code;
    to->what.umask = (uint32_t)umask;
    for (size_t i = 6; i < s->n; i++)
        if (bx_key_read(t, s, s->w[i], &to->what, e))
            return BX_BAD_INPUT;
    return BX_OK;
}

static int raise_signal(bx_dialogue *d, const bx_words *s, bx_error *e)
{
    signal raised = {0};
    if (signal_words(d, s, &raised, e))
        return BX_BAD_INPUT;
    if (!same_signal(&raised.what, &d->last))
        begin_command(d);
    int code = bx_vpmu_inject(d->vpmu, &raised.what, (uint32_t)raised.level, raised.cycles, e);
    if (code)
        return code;
    d->last = raised.what;
    d->signalled = true;
    code = pass(d, raised.cycles, e);
    if (code)
        bx_vpmu_withdraw(d->vpmu);
    return code;
}

/* ---- lines ---- */

typedef struct command {
    const char *name;
    const char *takes;  /* its arguments, as messages name them */
    size_t least, most; /* number of arguments */
    size_t named;       /* the same if the first one is a register's name; 0: it cannot be */
    bool passes;        /* it lets time pass */
    int (*play)(bx_dialogue *d, const bx_words *s, bx_error *e);
} command;

static const command commands[] = {
    {"rdmsr", "CPU ADDR|NAME [cpl=0..3] [mode=real|protected|v86]", 2, 4, 0, false, rdmsr},
    {"wrmsr", "CPU ADDR|NAME VALUE [cpl=0..3] [mode=real|protected|v86]", 3, 5, 0, false, wrmsr},
    {"rdpmc", "CPU ECX [cpl=0..3] [pce=0|1] [mode=real|protected|v86]", 2, 5, 0, false, rdpmc},
    {"rdpci", "B:D.F OFFSET BYTES, or rdpci NAME", 3, 3, 1, false, rdpci},
    {"wrpci", "B:D.F OFFSET BYTES VALUE, or wrpci NAME VALUE", 4, 4, 2, false, wrpci},
    {"rdmem", "ADDR BYTES, or rdmem NAME", 2, 2, 1, false, rdmem},
    {"wrmem", "ADDR BYTES VALUE, or wrmem NAME VALUE", 3, 3, 2, false, wrmem},
    {"cycles", "N", 1, 1, 0, true, cycles},
    {"run", "WORKLOAD", 1, 1, 0, true, run_command},
    {"signal", "UNIT[@PACKAGE] CODE|EVENT UMASK LEVEL CYCLES [key=value...]", 5, BX_WORDS - 1, 0,
     true, raise_signal},
    {"sleep", "CPU", 1, 1, 0, false, sleep_cpu},
    {"wake", "CPU", 1, 1, 0, false, wake_cpu},
};

static const command *find_command(const bx_words *s, bx_error *e)
{
    bx_nearest nearest = bx_nearest_to(s->w[0]);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (bx_str_eq(s->w[0], bx_str_of(commands[i].name)))
            return &commands[i];
        bx_nearest_offer(&nearest, commands[i].name);
    }
    BX_FAIL_AT(e, s, s->w[0], "no command is called '%.*s'", BX_QUOTED(s->w[0]));
    bx_hint(e, "there are rdmsr, wrmsr, rdpmc, rdpci, wrpci, rdmem, wrmem, cycles, run, signal, "
               "sleep, wake");
    bx_nearest_hint(e, &nearest);
    return NULL;
}

static int play(bx_dialogue *d, const bx_words *s, bx_error *e)
{
    const command *c = find_command(s, e);
    if (!c)
        return BX_BAD_INPUT;
    bx_str first = s->w[0], last = s->w[s->n - 1];
    size_t given = s->n - 1, least = c->least, most = c->most;
    if (c->named && given && bx_access_is_name(s->w[1]))
        least = most = c->named;
    if (given < least)
        BX_FAIL_AT(e, s, ((bx_str){first.p, (size_t)(last.p - first.p) + last.n}),
                   "'%s' takes more words", c->name);
    else if (given > most)
        BX_FAIL_AT(e, s, s->w[most + 1], "'%s' takes fewer words", c->name);
    else
        return c->play(d, s, e);
    bx_hint(e, "%s %s", c->name, c->takes);
    return BX_BAD_INPUT;
}

int bx_dialogue_line(bx_dialogue *d, bx_str line, bx_buf *out, bx_error *e)
{
    bx_words s;
    int code = bx_words_split(line, &s, e);
    if (code || s.n == 0)
        return code;
    bx_buf *outer = d->out;
    d->out = out;
    code = play(d, &s, e);
    d->out = outer;
    if (!code && out->failed)
        return bx_out_of_memory(e);
    return code;
}

bool bx_dialogue_takes_time(bx_str line)
{
    bx_words s;
    if (bx_words_split(line, &s, NULL) != BX_OK || s.n == 0)
        return false;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (bx_str_eq(s.w[0], bx_str_of(commands[i].name)))
            return commands[i].passes;
    return false;
}

bool bx_dialogue_is_busy(const bx_dialogue *d)
{
    return d->busy;
}

bx_dialogue *bx_dialogue_new(bx_machine *m, bx_error *e)
{
    bx_vpmu *vpmu = bx_machine_vpmu(m);
    if (!vpmu) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "a register dialogue needs a virtual machine");
        bx_hint(e, "name one: virtual:CPU");
        return NULL;
    }
    bx_dialogue *d = calloc(1, sizeof(*d));
    if (!d) {
        bx_out_of_memory(e);
        return NULL;
    }
    d->m = m;
    d->vpmu = vpmu;
    bx_vpmu_on_pmi(vpmu, print_pmi, d);
    return d;
}

void bx_dialogue_stop_if(bx_dialogue *d, bool (*stop)(void *context), void *context)
{
    d->stop = stop;
    d->context = context;
}

void bx_dialogue_free(bx_dialogue *d)
{
    if (!d)
        return;
    bx_vpmu_on_pmi(d->vpmu, NULL, NULL);
    free(d);
}
