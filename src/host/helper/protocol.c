/* Encodes and decodes messages, in the layout that protocol.h describes. */
#include "host/helper/protocol.h"

#define MAGIC UINT32_C(0x68735862) /* "bXsh" */

static void put_bytes(uint8_t **to, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        *(*to)++ = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t **from, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t) * (*from)++ << 8 * i;
    return value;
}

size_t bx_protocol_encode(const bx_protocol_message *w, uint8_t *to)
{
    uint8_t *at = to;
    put_bytes(&at, 4, MAGIC);
    put_bytes(&at, 2, BX_PROTOCOL_VERSION);
    put_bytes(&at, 2, w->kind);
    put_bytes(&at, 4, w->serial);
    put_bytes(&at, 4, w->n);
    for (uint32_t i = 0; i < w->n; i++) {
        const bx_protocol_record *r = &w->record[i];
        put_bytes(&at, 1, r->space);
        put_bytes(&at, 1, r->width);
        put_bytes(&at, 2, r->cpu);
        put_bytes(&at, 4, r->error);
        put_bytes(&at, 8, r->offset);
        put_bytes(&at, 8, r->value);
    }
    return (size_t)(at - to);
}

bool bx_protocol_decode(bx_protocol_message *w, const uint8_t *from, size_t length)
{
    const uint8_t *at = from;
    if (length < BX_PROTOCOL_HEAD || get(&at, 4) != MAGIC || get(&at, 2) != BX_PROTOCOL_VERSION)
        return false;
    uint64_t kind = get(&at, 2), serial = get(&at, 4), n = get(&at, 4);
    if (kind > UINT8_MAX || n > BX_PROTOCOL_MAX_RECORDS ||
        length != BX_PROTOCOL_HEAD + n * BX_PROTOCOL_RECORD)
        return false;
    w->kind = (uint8_t)kind;
    w->serial = (uint32_t)serial;
    w->n = (uint32_t)n;
    for (uint64_t i = 0; i < n; i++) {
        bx_protocol_record *r = &w->record[i];
        r->space = (uint8_t)get(&at, 1);
        r->width = (uint8_t)get(&at, 1);
        r->cpu = (uint16_t)get(&at, 2);
        r->error = (uint32_t)get(&at, 4);
        r->offset = get(&at, 8);
        r->value = get(&at, 8);
    }
    return true;
}
