/* Reads perfmon's mapfile.csv. */
#include "perfmon/mapfile.h"

/* "[01234]": hexadecimal digits. */
static uint16_t read_steppings(bx_str s)
{
    uint16_t mask = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned digit = bx_digit_value(s.p[i]);
        mask |= digit < 16 ? (uint16_t)(1U << digit) : 0;
    }
    return mask ? mask : UINT16_MAX;
}

static bool read_part(bx_str s, unsigned base, uint16_t *to)
{
    uint32_t value = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned digit = bx_digit_value(s.p[i]);
        if (digit >= base || value > UINT16_MAX / base)
            return false;
        value = value * base + digit;
    }
    *to = (uint16_t)value;
    return s.n && value < UINT16_MAX;
}

/* "GenuineIntel-6-8F": the family is decimal, the model hexadecimal. */
static bool read_id(bx_str s, bx_perfmon_line *to)
{
    if (!bx_str_eq(bx_str_cut(&s, '-'), BX_STR("GenuineIntel")) || !s.p)
        return false;
    bx_str family = bx_str_cut(&s, '-');
    bx_str model = s.p ? bx_str_cut(&s, '-') : s;
    to->steppings = read_steppings(s.p ? s : (bx_str){"", 0});
    return read_part(family, 10, &to->id.family) && read_part(model, 16, &to->id.model);
}

static bool read_line(bx_str line, bx_perfmon_line *to)
{
    bx_str part[7] = {{0}};
    for (size_t i = 0; i < 7 && line.p; i++)
        part[i] = bx_str_trim(bx_str_cut(&line, ','));
    *to = (bx_perfmon_line){.role = part[6], .path = part[2]};
    if (!read_id(part[0], to) || part[2].n < 3 || *part[2].p != '/')
        return false;
    to->path = bx_str_sub(part[2], 1, part[2].n);
    bx_str rest = to->path;
    to->folder = bx_str_cut(&rest, '/');
    return rest.p && rest.n && to->folder.n > 0;
}

bool bx_perfmon_line_next(bx_str *rest, bx_perfmon_line *to)
{
    while (rest->p)
        if (read_line(bx_str_cut(rest, '\n'), to))
            return true;
    return false;
}
