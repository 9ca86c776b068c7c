/* The rules are in the order of what costs most. A threshold is where the cost is at least half of
 * the time, or where docs/tutorial shows it as a fault of the program. */
#include "report/advice.h"

#include "report/screen.h"

#include <string.h>

/* Loads of lines that another core has modified, per 1,000 instructions. Each waits for a snoop:
 * some 100 cycles of the core, so 5 of them are half a cycle for each instruction. */
enum { HITM_MANY = 5, INSTRUCTIONS = 1000 };

enum { MOST = 50, REMOTE_MANY = 30 /* % */ };

/* Fewer instructions than these are mostly those with which a program begins and ends. */
enum { LITTLE_WORK = 100000 };

static bool shares_lines(const bx_report *r)
{
    double hitm, instructions;
    return bx_screen_metric(r, "hitm", &hitm) &&
           bx_screen_count(r, "instructions", &instructions) &&
           hitm * INSTRUCTIONS >= HITM_MANY * instructions;
}

static bool is_above(const bx_report *r, const char *metric, double least)
{
    double value;
    return bx_screen_metric(r, metric, &value) && value >= least;
}

/* In percent of the cores' cycles. */
static unsigned part_of_stack(const bx_report *r, const char *name)
{
    bx_screen_part part[BX_SCREEN_PARTS];
    size_t n = bx_screen_stack(r, part);
    for (size_t i = 0; i < n; i++)
        if (strcmp(part[i].name, name) == 0)
            return part[i].percent;
    return 0;
}

bool bx_advice(const bx_report *r, bx_buf *to)
{
    double instructions = 0, share = 0;
    if (!bx_screen_count(r, "instructions", &instructions) || instructions < LITTLE_WORK)
        return false;
    if (shares_lines(r)) {
        bx_buf_z(to, "Cores write to lines that others use.  Which: boxscore record -- PROGRAM");
        return true;
    }
    if (is_above(r, "remote_share", REMOTE_MANY) && is_above(r, "load_stall_share", MOST)) {
        bx_screen_metric(r, "remote_share", &share);
        bx_buf_f(to, "Most cycles wait, and %u %% of the requests are remote.  More: -M NUMA",
                 (unsigned)(share + 0.5));
        return true;
    }
    if (is_above(r, "memory_stall_share", MOST) || part_of_stack(r, "memory") >= MOST) {
        bx_buf_z(to, "Most cycles wait for memory.  Which lines: boxscore record -- PROGRAM");
        return true;
    }
    if (is_above(r, "load_stall_share", MOST)) {
        bx_buf_z(to, "Most cycles wait for lines that L2 does not have.  Where from: -M L3CACHE");
        return true;
    }
    if (part_of_stack(r, "other cores") >= MOST) {
        bx_buf_z(to, "Most cycles wait for other cores.  Which lines: boxscore record -- PROGRAM");
        return true;
    }
    if (part_of_stack(r, "TLB") >= MOST) {
        bx_buf_z(to, "Most cycles wait for translations of addresses.  More: -M TLB_DATA");
        return true;
    }
    if (is_above(r, "bus_utilization", MOST)) {
        bx_buf_z(to, "The bus is busy most of the time.  With what: -M BUS,MEM");
        return true;
    }
    return false;
}
