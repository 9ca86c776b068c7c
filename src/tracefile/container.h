/* What writer and reader of a trace file agree on; docs/reference/trace.md explains it. */
#ifndef BX_TRACEFILE_CONTAINER_H
#define BX_TRACEFILE_CONTAINER_H

/* Behind the head: chunks. Each has four numbers of 32 bits, the least significant byte first: the
 * lengths of its three columns (codec.h), and of what follows: a frame of zstd with a checksum, the
 * columns one behind the other. A chunk of lengths 0 is the end. */
enum {
    BX_CHUNK_HEAD = 16,       /* bytes */
    BX_CHUNK_BYTES = 4 << 20, /* of all columns: it is complete as soon as it has so many */
    BX_CHUNK_MOST = 8 << 20,  /* of all columns */
    BX_PART_WORDS = 1 << 17,  /* most words of a part */
};

/* Parts are in the column of records: a byte with the kind, then numbers, 7 bits a byte, the least
 * significant first. Processes are numbered in the order of their hellos, from 0. */
enum bx_part {
    BX_PART_HELLO = 1, /* process, parent, time: struct bx_trace_message */
    BX_PART_WORDS_OF,  /* number, words; then these: codec.h */
    BX_PART_GONE,      /* number: it has no more words */
    BX_PART_UNREAD,    /* process, bytes; then the name, in so many: it runs without a trace */
    BX_PART_ROUND, /* what happened before words above the last one of these is above this one */
    BX_PART_END,   /* exit status, signal; the last part of all */
};
enum { BX_PART_NAME_MOST = 4096 };

#endif
