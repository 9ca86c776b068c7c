/* What a client and the helper say to each other, over a socket that keeps messages apart: a head
 * and records of fixed size, little-endian. A request is answered by one message with the same
 * serial number and the same records, filled in.
 *
 *   head    magic 4, version 2, kind 1, 0 1, serial 4, number of records 4
 *   record  space 1, width 1, logical CPU 2, errno 4, offset 8, value 8 */
#ifndef BX_HOST_HELPER_PROTOCOL_H
#define BX_HOST_HELPER_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BX_PROTOCOL_VERSION = 1,
    BX_PROTOCOL_HEAD = 16,
    BX_PROTOCOL_RECORD = 24,
    BX_PROTOCOL_MAX_RECORDS = 64, /* records of a message */
    BX_PROTOCOL_MAX_BYTES = BX_PROTOCOL_HEAD + BX_PROTOCOL_MAX_RECORDS * BX_PROTOCOL_RECORD,
};

enum bx_protocol_kind {
    BX_PROTOCOL_HELLO = 1, /* one record; answer: offset is the CPU's family << 16 | model */
    BX_PROTOCOL_READ,
    BX_PROTOCOL_WRITE,   /* in order, up to the first that fails: those after it have ECANCELED */
    BX_PROTOCOL_CLAIM,   /* the packages of these CPUs for this client alone; where one is taken:
                        errno   EADDRINUSE, value: the process that has it */
    BX_PROTOCOL_RELEASE, /* puts back what the client changed there, and gives them up */
    BX_PROTOCOL_ANSWER = 0x80, /* added to the kind of the request */
};

typedef struct bx_protocol_record {
    uint8_t space, width;
    uint16_t cpu; /* the kernel's number of a CPU of the package */
    uint32_t error;
    uint64_t offset, value;
} bx_protocol_record;

typedef struct bx_protocol_message {
    uint8_t kind;
    uint32_t serial;
    uint32_t n;
    bx_protocol_record record[BX_PROTOCOL_MAX_RECORDS];
} bx_protocol_message;

/* Writes a message to `to`, which has BX_PROTOCOL_MAX_BYTES bytes; returns its length. */
size_t bx_protocol_encode(const bx_protocol_message *w, uint8_t *to);

/* false: this is no message, or one of another version. */
bool bx_protocol_decode(bx_protocol_message *w, const uint8_t *from, size_t length);

#endif
