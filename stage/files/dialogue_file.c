/* Runs a register dialogue on the machine, and keeps what the last write printed.
 *
 * A write executes its lines at once. Commands that let time pass take turns: while one is
 * executed, a write of another process waits before such a command; all other lines do not wait. */
#include "stage/files/dialogue_file.h"

#include "base/error.h"
#include "machine/dialogue/dialogue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a write printed. Readers keep it. */
typedef struct printed {
    bx_buf text;
    size_t users;
} printed;

/* An open file. */
typedef struct opened {
    printed *shown;  /* what reading returns; NULL: nothing */
    printed *output; /* of its write that is executed, or waits; NULL: none */
    size_t position; /* of the next line of a write that waits */
    bool wrote;      /* it shows what it wrote itself */
} opened;

struct bx_dialogue_file {
    bx_dialogue *dialogue; /* NULL: lines go to `player` */
    bx_line_player *player;
    void *player_context;
    printed *last;               /* of the last write that has ended; NULL: none */
    bool (*stop)(void *context); /* NULL: never */
    void *context;
    const opened *current; /* whose command lets time pass */
    bool stopped;          /* the current write has to end with EINTR */
};

/* Most bytes that one write may print: interrupts can print without end. */
enum { MOST_PRINTED = 1 << 24 };

static void leave(printed *p)
{
    if (!p || --p->users)
        return;
    bx_buf_free(&p->text);
    free(p);
}

static void show_answer(printed **at, printed *p)
{
    if (p)
        p->users++;
    leave(*at);
    *at = p;
}

static bool stops(void *context)
{
    bx_dialogue_file *f = context;
    f->stopped =
        f->stopped || f->current->output->text.n > MOST_PRINTED || (f->stop && f->stop(f->context));
    return f->stopped;
}

int bx_dialogue_file_new(bx_machine *m, bx_dialogue_file **f, bx_error *e)
{
    bx_dialogue_file *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    made->dialogue = bx_dialogue_new(m, e);
    if (!made->dialogue) {
        bx_dialogue_file_free(made);
        return e ? e->code : BX_NO_MEMORY;
    }
    bx_dialogue_stop_if(made->dialogue, stops, made);
    *f = made;
    return BX_OK;
}

int bx_dialogue_file_of(bx_line_player *play, void *context, bx_dialogue_file **f, bx_error *e)
{
    bx_dialogue_file *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    made->player = play;
    made->player_context = context;
    *f = made;
    return BX_OK;
}

void bx_dialogue_file_stop_if(bx_dialogue_file *f, bool (*stop)(void *context), void *context)
{
    f->stop = stop;
    f->context = context;
}

void bx_dialogue_file_free(bx_dialogue_file *f)
{
    if (!f)
        return;
    bx_dialogue_free(f->dialogue);
    leave(f->last);
    free(f);
}

/* ---- an open file ---- */

static opened *opened_of(uint64_t number)
{
    return (opened *)(uintptr_t)number;
}

static int open_file(void *context, uint64_t *number, pid_t by)
{
    opened *o = calloc(1, sizeof *o);
    (void)context;
    (void)by;
    *number = (uintptr_t)o;
    return o ? 0 : ENOMEM;
}

static void close_file(void *context, uint64_t number)
{
    opened *o = opened_of(number);
    (void)context;
    leave(o->shown);
    leave(o->output);
    free(o);
}

/* A reader at the file's begin gets what the last write printed, and keeps it to its end. */
static int read_printed(void *context, uint64_t number, uint64_t offset, char *to, size_t n,
                        size_t *done)
{
    const bx_dialogue_file *f = context;
    opened *o = opened_of(number);
    if (!o->wrote && offset == 0)
        show_answer(&o->shown, f->last);
    bx_str all = o->shown ? (bx_str){o->shown->text.p, o->shown->text.n} : (bx_str){0};
    bx_str part = bx_str_sub(all, offset < all.n ? (size_t)offset : all.n, n);
    if (part.n)
        memcpy(to, part.p, part.n);
    *done = part.n;
    return 0;
}

/* ---- writing ---- */

static bool begin_write(opened *o)
{
    if (o->output) /* it has waited */
        return true;
    o->output = calloc(1, sizeof *o->output);
    if (!o->output)
        return false;
    o->output->users = 1;
    o->position = 0;
    return true;
}

static int end_write(bx_dialogue_file *f, opened *o, int err)
{
    o->wrote = true;
    show_answer(&o->shown, o->output);
    show_answer(&f->last, o->output);
    leave(o->output);
    o->output = NULL;
    return err;
}

static bool is_busy(const bx_dialogue_file *f)
{
    return f->dialogue && bx_dialogue_is_busy(f->dialogue);
}

static int play_line(bx_dialogue_file *f, opened *o, bx_str line, bx_error *e)
{
    return f->dialogue ? bx_dialogue_line(f->dialogue, line, &o->output->text, e)
                       : f->player(f->player_context, line, e);
}

/* Executes the lines from o->position on. A bad line fails the write with EINVAL. The error message
 * can then be read. The lines before it have been executed. EINTR: the write was stopped. */
static int play_lines(bx_dialogue_file *f, opened *o, bx_str all)
{
    bool busy = is_busy(f);
    const opened *outer = f->current;
    int err = 0;
    if (!busy) {
        f->current = o;
        f->stopped = false;
    }
    for (bx_str rest = bx_str_sub(all, o->position, all.n); !err && rest.p;) {
        bx_error e = {0};
        o->position = (size_t)(rest.p - all.p);
        bx_str line = bx_str_cut(&rest, '\n');
        if (busy && bx_dialogue_takes_time(line))
            return BX_DEVICE_WAITS;
        if (play_line(f, o, line, &e) != BX_OK) {
            bx_buf_f(&o->output->text, "%s\n", e.message);
            err = !busy && f->stopped ? EINTR : EINVAL;
        } else if (rest.p && (busy ? o->output->text.n > MOST_PRINTED : stops(f))) {
            err = EINTR;
        }
    }
    f->current = outer;
    return err;
}

static int play(void *context, uint64_t number, uint64_t offset, const char *from, size_t n,
                size_t *done)
{
    bx_dialogue_file *f = context;
    opened *o = opened_of(number);
    (void)offset;
    *done = 0;
    if (o->output && n && is_busy(f))
        return BX_DEVICE_WAITS; /* a second write to the same open file */
    if (!begin_write(o))
        return ENOMEM;
    int err = n ? play_lines(f, o, (bx_str){from, n}) : EINTR;
    if (err == BX_DEVICE_WAITS)
        return err;
    *done = err ? 0 : n;
    return end_write(f, o, err);
}

const bx_device bx_device_dialogue = {
    .read = read_printed, .write = play, .waits = true, .open = open_file, .release = close_file};
