/* Runs a register dialogue on the machine, and keeps what the last write printed. */
#include "stage/files/dialogue_file.h"

#include "base/error.h"
#include "machine/dialogue/dialogue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct bx_dialogue_file {
    bx_dialogue *dialogue;
    bx_buf printed;
    bool (*stop)(void *context); /* NULL: never */
    void *context;
    bool stopped; /* the current write has to end with EINTR */
};

/* Most bytes that one write may print: interrupts can print without end. */
enum { MOST_PRINTED = 1 << 24 };

static bool stops(void *context)
{
    bx_dialogue_file *f = context;
    f->stopped = f->stopped || f->printed.n > MOST_PRINTED || (f->stop && f->stop(f->context));
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
    bx_buf_free(&f->printed);
    free(f);
}

static int read_printed(void *context, uint64_t number, uint64_t offset, char *to, size_t n,
                        size_t *done)
{
    const bx_dialogue_file *f = context;
    (void)number;
    bx_str all = {f->printed.p, f->printed.n};
    bx_str part = bx_str_sub(all, offset < all.n ? (size_t)offset : all.n, n);
    if (part.n)
        memcpy(to, part.p, part.n);
    *done = part.n;
    return 0;
}

/* A bad line fails the write with EINVAL. The error message can then be read. The lines before it
 * have been executed. EINTR: the write was stopped. */
static int play(void *context, uint64_t number, uint64_t offset, const char *from, size_t n,
                size_t *done)
{
    bx_dialogue_file *f = context;
    (void)number;
    (void)offset;
    bx_buf_free(&f->printed);
    f->stopped = false;
    for (bx_str rest = {from, n}; rest.p;) {
        bx_error e = {0};
        bx_str line = bx_str_cut(&rest, '\n');
        if (bx_dialogue_line(f->dialogue, line, &f->printed, &e) != BX_OK) {
            bx_buf_f(&f->printed, "%s\n", e.message);
            return f->stopped ? EINTR : EINVAL;
        }
        if (rest.p && stops(f))
            return EINTR;
    }
    *done = n;
    return 0;
}

const bx_device bx_device_dialogue = {read_printed, play};
