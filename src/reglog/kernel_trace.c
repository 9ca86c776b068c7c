/* Reads the lines of the trace points msr:write_msr and msr:read_msr, as ftrace, trace-cmd and perf
 * script print them: "perf-99 [000] d... 100.0: write_msr: 38f, value 70000000f". Source: Linux,
 * arch/x86/include/asm/msr-trace.h. */
#include "reglog/foreign_internal.h"

/* The index after the name of a trace point; -1: none. */
static ptrdiff_t point_of(bx_str line, bool *write)
{
    ptrdiff_t at = bx_log_behind(line, 0, "write_msr:");
    *write = at >= 0;
    return at >= 0 ? at : bx_log_behind(line, 0, "read_msr:");
}

bool bx_log_is_kernel_trace(bx_str line)
{
    bool write;
    ptrdiff_t at = point_of(line, &write);
    return at >= 0 && bx_log_behind(line, (size_t)at, ", value ") >= 0;
}

/* The CPU, "[003]". */
static bool cpu_of_line(bx_str line, size_t end, uint16_t *cpu)
{
    bx_str rest = bx_str_sub(line, 0, end), word;
    while ((word = bx_log_word(&rest)).n) {
        unsigned number = 0;
        bool digits = word.n >= 3 && word.n <= 7 && word.p[0] == '[' && word.p[word.n - 1] == ']';
        for (size_t i = 1; digits && i + 1 < word.n; i++) {
            digits = bx_is_digit(word.p[i]);
            number = number * 10 + bx_digit_value(word.p[i]);
        }
        if (digits && number <= UINT16_MAX) {
            *cpu = (uint16_t)number;
            return true;
        }
    }
    return false;
}

/* "CPU:0 [LOST 345 EVENTS]" of the kernel, "[12 EVENTS DROPPED]" of trace-cmd,
 * "PERF_RECORD_LOST lost 3" of perf script. */
static bool tells_of_lost(bx_str line)
{
    return bx_log_behind(line, 0, "[LOST ") >= 0 || bx_log_behind(line, 0, "EVENTS DROPPED") >= 0 ||
           bx_log_behind(line, 0, "PERF_RECORD_LOST") >= 0;
}

int bx_log_kernel_trace(bx_log_reader *r, bx_str line, bx_error *e)
{
    static const char hint[] = "… [000] … write_msr: 38f, value 70000000f";
    bx_log_access a = {.access = {.at = {.space = BX_SPACE_MSR, .width = 64}}};
    ptrdiff_t at = point_of(line, &a.access.write);
    if (at < 0) {
        r->others++;
        r->lost += tells_of_lost(line);
        return BX_OK;
    }
    bx_str rest = bx_str_sub(line, (size_t)at, line.n), value = {0};
    bx_str number = bx_str_trim(bx_str_cut(&rest, ','));
    if (!bx_log_hex(number, &a.access.at.offset) || a.access.at.offset > UINT32_MAX)
        return bx_log_refuse(line, number, e, "this is no MSR's number", hint);
    bx_str word = rest.p ? bx_log_word(&rest) : (bx_str){0};
    if (bx_str_eq(word, BX_STR("value")))
        value = bx_log_word(&rest);
    if (!bx_log_hex(value, &a.access.value))
        return bx_log_refuse(line, value, e, "this is no value of a register", hint);
    if (!cpu_of_line(line, (size_t)at, &a.access.at.cpu))
        return bx_log_refuse(line, bx_str_sub(line, 0, 1), e, "the line names no CPU", hint);
    a.access.faulted = bx_log_behind(rest, 0, "#GP") >= 0;
    a.access.err = a.access.faulted ? bx_reglog_find_errno(BX_STR("fault")) : 0;
    bx_log_add(r, &a);
    return BX_OK;
}
