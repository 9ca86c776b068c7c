/* The format of a trace file, for writer and reader. docs/reference/trace.md explains it. */
#ifndef BX_TRACEFILE_CONTAINER_H
#define BX_TRACEFILE_CONTAINER_H

/* Chunks follow the head. Each begins with four numbers of 32 bits, the least significant byte
 * first: the lengths of its three columns (codec.h) and the length of the frame that follows. The
 * frame is a zstd frame with a checksum. It contains the columns one after the other. A chunk with
 * lengths 0 is the end. */
enum {
    BX_CHUNK_HEAD = 16,       /* bytes of the head of a chunk */
    BX_CHUNK_BYTES = 4 << 20, /* a chunk with this many bytes in all columns is complete */
    BX_CHUNK_MOST = 8 << 20,  /* most bytes of all columns together */
    BX_PART_WORDS = 1 << 17,  /* most words of a part */
};

/* Parts are in the column of records. A part is a byte with its kind, then numbers with 7 bits in
 * each byte, the least significant first. Processes are numbered from 0 in the order of their HELLO
 * parts. */
enum bx_part {
    BX_PART_HELLO = 1, /* process, parent, time: struct bx_trace_message */
    BX_PART_WORDS_OF,  /* number, count of words; then the words: codec.h */
    BX_PART_GONE,      /* number: it has no more words */
    BX_PART_UNREAD,    /* process, length of its name, name: it runs without a trace */
    BX_PART_ROUND, /* all that happened before the words above the previous ROUND is above this one
                    */
    BX_PART_END,   /* exit status, signal; the last part */
    /* These have the numbers of UNREAD: */
    BX_PART_CUT,  /* the process was not counted to its end; in place of the name: a text that says
                     so */
    BX_PART_LEFT, /* the process still ran when the program ended; its name */
    BX_PART_FACT, /* another fact that belongs beside the counts; a text */
};
enum { BX_PART_NAME_MOST = 4096 };

#endif
