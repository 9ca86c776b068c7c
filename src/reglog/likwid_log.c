/* Reads LIKWID's debug lines (likwid-perfctr -V 3): "DEBUG - [function:line] SETUP_CBOX [0]
 * Register 0x700 , Flags: 0x408F34". Source: LIKWID, src/includes/error.h. */
#include "reglog/foreign_internal.h"

static const char opening[] = "DEBUG - [", middle[] = "Register 0x", flags[] = ", Flags: 0x";

bool bx_log_is_likwid(bx_str line)
{
    ptrdiff_t at = bx_log_behind(line, 0, opening);
    at = at < 0 ? at : bx_log_behind(line, (size_t)at, middle);
    return at >= 0 && bx_log_behind(line, (size_t)at, flags) >= 0;
}

/* Whether the action reads: "READ_CBOX", "OVERFLOW_POWER". */
static bool reads(bx_str action)
{
    return bx_log_behind(action, 0, "READ") >= 0 || bx_log_behind(action, 0, "_POWER") >= 0 ||
           bx_str_starts_fold(action, BX_STR("OVERFLOW")) ||
           bx_str_starts_fold(action, BX_STR("SHOW"));
}

/* The CPU, "[3]". */
static bool cpu_of_word(bx_str word, uint16_t *cpu)
{
    uint64_t number;
    bool fits = word.n > 2 && word.p[0] == '[' && word.p[word.n - 1] == ']' &&
                bx_str_u64(bx_str_sub(word, 1, word.n - 2), &number) && number <= UINT16_MAX;
    if (fits)
        *cpu = (uint16_t)number;
    return fits;
}

/* The digits at the begin of s. */
static bx_str hex_digits(bx_str s)
{
    size_t n = 0;
    while (n < s.n && bx_digit_value(s.p[n]) < 16)
        n++;
    return bx_str_sub(s, 0, n);
}

int bx_log_likwid(bx_log_reader *r, bx_str line, bx_error *e)
{
    static const char hint[] =
        "DEBUG - [function:1] SETUP_CBOX [0] Register 0x700 , Flags: 0x408F34";
    bx_log_access a = {.access = {.at = {.space = BX_SPACE_MSR, .width = 64}}};
    ptrdiff_t at = bx_log_is_likwid(line) ? bx_log_behind(line, 0, opening) : -1;
    ptrdiff_t bracket = at < 0 ? -1 : bx_log_behind(line, (size_t)at, "] ");
    if (bracket < 0) {
        r->others++;
        return BX_OK;
    }
    bx_str rest = bx_str_sub(line, (size_t)bracket, line.n);
    bx_str action = bx_log_word(&rest), cpu = bx_log_word(&rest), word = bx_log_word(&rest);
    if (bx_str_eq(word, BX_STR("Device"))) { /* an index of LIKWID's own, not an address */
        r->untold++;
        return BX_OK;
    }
    if (!cpu_of_word(cpu, &a.access.at.cpu))
        return bx_log_refuse(line, cpu, e, "this is no number of a CPU", hint);
    bx_str number =
        hex_digits(bx_str_sub(line, (size_t)bx_log_behind(line, (size_t)bracket, middle), line.n));
    bx_str value =
        hex_digits(bx_str_sub(line, (size_t)bx_log_behind(line, (size_t)bracket, flags), line.n));
    if (!bx_log_hex(number, &a.access.at.offset) || a.access.at.offset > UINT32_MAX)
        return bx_log_refuse(line, number, e, "this is no MSR's number", hint);
    if (!bx_log_hex(value, &a.access.value))
        return bx_log_refuse(line, value, e, "this is no value of a register", hint);
    a.access.write = !reads(action);
    bx_log_add(r, &a);
    return BX_OK;
}
