/* Fills in the tables of replacement policies for sets of four ways. */
#include "model/engine/policy4.h"

#include "model/engine/plru.h"

enum { WAYS = 4, OLDEST = 3, NEW = 1 };

void bx_policy4_make_plru(bx_policy4 *p)
{
    *p = (bx_policy4){.first = 0};
    for (unsigned bits = 0; bits < 256; bits++) {
        for (unsigned way = 0; way < WAYS; way++)
            p->hit[way][bits] = p->fill[way][bits] = bx_plru4_touch((uint8_t)bits, way);
        p->victim[bits] = (uint8_t)bx_plru4_victim(bits & 7);
    }
    for (unsigned ways = 1; ways < 1 << WAYS; ways++)
        p->empty[ways] = (uint8_t)__builtin_ctz(ways);
}

/* ---- QLRU ---- */

static unsigned age(unsigned bits, unsigned way)
{
    return bits >> 2 * way & 3;
}

static unsigned with_age(unsigned bits, unsigned way, unsigned is)
{
    return (bits & ~(3u << 2 * way)) | is << 2 * way;
}

/* U1: the other ways age by the same amount, until one of them has the largest age. */
static unsigned update(unsigned bits, unsigned used)
{
    unsigned most = 0;
    for (unsigned way = 0; way < WAYS; way++)
        if (way != used && age(bits, way) > most)
            most = age(bits, way);
    for (unsigned way = 0; way < WAYS; way++)
        if (way != used)
            bits = with_age(bits, way, age(bits, way) + OLDEST - most);
    return bits;
}

/* R2: the lowest way of the largest age. After an update there is one. */
static unsigned victim(unsigned bits)
{
    for (unsigned way = 0; way < WAYS; way++)
        if (age(bits, way) == OLDEST)
            return way;
    return 0;
}

void bx_policy4_make_qlru(bx_policy4 *p)
{
    *p = (bx_policy4){.first = 0xff}; /* all ways have the largest age */
    for (unsigned bits = 0; bits < 256; bits++) {
        for (unsigned way = 0; way < WAYS; way++) {
            p->hit[way][bits] = (uint8_t)update(with_age(bits, way, 0), way);    /* H00 */
            p->fill[way][bits] = (uint8_t)update(with_age(bits, way, NEW), way); /* M1 */
        }
        p->victim[bits] = (uint8_t)victim(bits);
    }
    for (unsigned ways = 1; ways < 1 << WAYS; ways++) /* R2: the highest empty way */
        p->empty[ways] = (uint8_t)(31 - __builtin_clz(ways));
}
