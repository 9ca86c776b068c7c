/* Nominal cycles, and the lines that threads use by turns. */
#include "clock.h"

#include "recurrence.h"
#include "turn_lock.h"

#include "pub_tool_libcbase.h"

UInt bx_clock_cycles(UInt instructions, bx_trace_recurrence r)
{
    UInt width = (instructions + BX_CLOCK_WIDTH - 1) / BX_CLOCK_WIDTH;
    UInt chain = bx_recurrence_nominal(r);
    return chain > width ? chain : width;
}

/* ---- lines ---- */

enum { LINES = 4096, LINE_SHIFT = 6 };

/* A line that locked operations have used. */
typedef struct line {
    Addr number; /* plus 1; 0: none */
    UInt owner;  /* the thread that has it: bx_turn_lock_me() */
    Bool shared; /* it has had another owner */
    ULong free;  /* when it can go to the next thread */
} line;

static line lines[LINES];

void bx_clock_forget_lines(void)
{
    VG_(memset)(lines, 0, sizeof lines);
}

/* An entry that another line needs is lost. That line then seems to be nobody's. */
static line *fought_line(Addr address)
{
    Addr number = (address >> LINE_SHIFT) + 1;
    line *l = &lines[(number ^ number >> 12) % LINES];
    if (l->number != number)
        *l = (line){.number = number, .owner = bx_turn_lock_me()};
    return l;
}

Bool bx_clock_meets(Addr address)
{
    line *l = fought_line(address);
    UInt me = bx_turn_lock_me();
    if ((l->shared || l->owner != me) && bx_turn_lock_first() < bx_turn_lock_now)
        return True;
    if (l->owner != me) {
        l->shared = True;
        l->owner = me;
        bx_turn_lock_now =
            (l->free > bx_turn_lock_now ? l->free : bx_turn_lock_now) + BX_CLOCK_MOVE;
        l->free = bx_turn_lock_now;
    }
    bx_turn_lock_now += BX_CLOCK_LOCKED;
    return False;
}
