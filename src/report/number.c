/* Digits are made from integers: printf() would use the locale's decimal point. */
#include "report/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMALS = 9 };

/* Inserts ',' between groups of three of the first n characters, which are digits. */
static void group(char *digits, size_t n)
{
    size_t commas = n ? (n - 1) / 3 : 0;
    memmove(digits + n + commas, digits + n, strlen(digits + n) + 1);
    for (size_t from = n, to = n + commas, done = 0; done < n; done++) {
        if (done && done % 3 == 0)
            digits[--to] = ',';
        digits[--to] = digits[--from];
    }
}

const char *bx_number_whole(uint64_t value, char to[BX_NUMBER])
{
    int n = snprintf(to, BX_NUMBER, "%llu", (unsigned long long)value);
    group(to, (size_t)n);
    return to;
}

static uint64_t power_of_ten(unsigned n)
{
    uint64_t power = 1;
    while (n-- > 0)
        power *= 10;
    return power;
}

/* A value from 0 to 10^18 with its decimals. Returns the number of digits before the point. */
static size_t fixed(double value, unsigned decimals, char *to, size_t room)
{
    uint64_t unit = power_of_ten(decimals);
    uint64_t whole = (uint64_t)value;
    uint64_t rest = (uint64_t)((value - (double)whole) * (double)unit + 0.5);
    whole += rest / unit;
    rest %= unit;
    int n = snprintf(to, room, "%llu", (unsigned long long)whole);
    if (decimals)
        snprintf(to + n, room - (size_t)n, ".%0*llu", (int)decimals, (unsigned long long)rest);
    return (size_t)n;
}

/* Three digits and a power of ten: "1.23e-05". value > 0; what is not finite is "inf" or "nan". */
static void scientific(double value, char *to, size_t room)
{
    int power = 0;
    if (!isfinite(value)) {
        snprintf(to, room, isnan(value) ? "nan" : "inf");
        return;
    }
    for (; value >= 10; power++)
        value /= 10;
    for (; value < 1; power--)
        value *= 10;
    unsigned digits = (unsigned)(value * 100 + 0.5);
    if (digits == 1000) {
        digits = 100;
        power++;
    }
    snprintf(to, room, "%u.%02ue%+03d", digits / 100, digits % 100, power);
}

/* Writes a minus if needed; returns its length. *value becomes positive. */
static size_t sign(double *value, char *to)
{
    to[0] = '-';
    bool negative = *value < 0;
    if (negative)
        *value = -*value;
    return negative;
}

const char *bx_number_plain(double value, unsigned decimals, char to[BX_NUMBER])
{
    size_t at = sign(&value, to);
    if (!(value < 1e18))
        scientific(value, to + at, BX_NUMBER - at);
    else
        fixed(value, decimals < DECIMALS ? decimals : DECIMALS, to + at, BX_NUMBER - at);
    return to;
}

const char *bx_number_exact(double value, char to[BX_NUMBER])
{
    if (!isfinite(value))
        return memcpy(to, "null", sizeof "null");
    int digits = 15;
    do
        snprintf(to, BX_NUMBER, "%.*g", digits, value);
    while (strtod(to, NULL) != value && digits++ < 17);
    char *point = strpbrk(to, ",");
    if (point) /* the locale's */
        *point = '.';
    return to;
}

const char *bx_number_figure(double value, char to[BX_NUMBER])
{
    size_t at = sign(&value, to);
    if (!(value < 1e15) || (value > 0 && value < 0.0001)) {
        scientific(value, to + at, BX_NUMBER - at);
    } else {
        unsigned decimals = value >= 1000 ? 0 : value >= 1 || value == 0 ? 2 : 4;
        group(to + at, fixed(value, decimals, to + at, BX_NUMBER - at));
    }
    return to;
}
