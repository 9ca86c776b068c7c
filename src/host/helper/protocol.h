/* The protocol of boxscore-helper and its clients, over a SOCK_SEQPACKET socket. A message is a
 * head and records of fixed size, little-endian. The answer to a request is one message with the
 * same serial number and the same records, filled in.
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
    BX_PROTOCOL_MAX_RECORDS = 64, /* in one message */
    BX_PROTOCOL_MAX_BYTES = BX_PROTOCOL_HEAD + BX_PROTOCOL_MAX_RECORDS * BX_PROTOCOL_RECORD,
};

enum bx_protocol_kind {
    /* One record; value: when the client's process started (bx_owner), 0: unknown. Answer: offset
     * is the CPU's family << 16 | model. */
    BX_PROTOCOL_HELLO = 1,
    BX_PROTOCOL_READ,
    BX_PROTOCOL_WRITE, /* in order, up to the first failure; records after it answer ECANCELED */
    /* Claims the packages of these CPUs for this client alone. If one is taken: errno EADDRINUSE,
     * value: its holder's process, offset: when that started, 0: unknown. */
    BX_PROTOCOL_CLAIM,
    BX_PROTOCOL_RELEASE,       /* restores what the client changed there, and releases them */
    BX_PROTOCOL_ANSWER = 0x80, /* added to the kind of the request */
};

typedef struct bx_protocol_record {
    uint8_t space, width;
    uint16_t cpu; /* the kernel's number of the CPU */
    uint32_t error;
    uint64_t offset, value;
} bx_protocol_record;

typedef struct bx_protocol_message {
    uint8_t kind;
    uint32_t serial;
    uint32_t n;
    bx_protocol_record record[BX_PROTOCOL_MAX_RECORDS];
} bx_protocol_message;

/* Writes a message to `to`, which has room for BX_PROTOCOL_MAX_BYTES; returns its length. */
size_t bx_protocol_encode(const bx_protocol_message *w, uint8_t *to);

/* false: malformed, or of another version. */
bool bx_protocol_decode(bx_protocol_message *w, const uint8_t *from, size_t length);

#endif
