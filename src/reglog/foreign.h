/* Register accesses in other tools' words: kernel traces, LIKWID's debug lines, strace, and shell
 * scripts of wrmsr and setpci (docs/reference/explain.md). */
#ifndef BX_REGLOG_FOREIGN_H
#define BX_REGLOG_FOREIGN_H

#include "reglog/reglog.h"

enum bx_log_kind {
    BX_LOG_OWN, /* a register log: bx_reglog_parse() */
    BX_LOG_KERNEL_TRACE,
    BX_LOG_LIKWID,
    BX_LOG_STRACE,
    BX_LOG_SCRIPT,
};

/* The kind of a text: that of its first line with an access. BX_LOG_OWN if no line has one. */
enum bx_log_kind bx_log_kind_of(bx_str text);
const char *bx_log_kind_name(enum bx_log_kind kind); /* "shell script" */

enum { BX_LOG_ACCESSES = 32, BX_LOG_FILES = 64, BX_LOG_VARIABLES = 64 };

typedef struct bx_log_access {
    bx_reglog_access access;
    bool every_cpu; /* of a script: it is made on each CPU */
} bx_log_access;

/* An open device file of an strace. */
typedef struct bx_log_file {
    uint64_t fd, position;
    bx_address at; /* without the register's offset */
} bx_log_file;

/* A variable of a script. The slices point into the text. */
typedef struct bx_log_variable {
    bx_str name, value;
    bool unknown; /* its value is not known here */
} bx_log_variable;

/* Reads a text line by line. The lines must stay in memory. Zero it, and set the kind. */
typedef struct bx_log_reader {
    enum bx_log_kind kind;
    bx_log_access access[BX_LOG_ACCESSES]; /* those of the last line, … */
    size_t n;                              /* … and their number */
    bx_log_file file[BX_LOG_FILES];
    unsigned files;
    bx_log_variable variable[BX_LOG_VARIABLES];
    unsigned variables;
    unsigned depth; /* of a script's loops and conditions */
    bx_str until;   /* the word that ends a script's here-document; empty: in none */
    bool exited;    /* the script has ended before this line */
    /* Lines that tell no access, and those whose access the tool does not tell in full: a read
     * without its value, a device without its address, a call without its end. */
    unsigned long others, untold;
    unsigned long lost;         /* lines that tell of lost events */
    unsigned long kernel_calls; /* perf_event_open(): the kernel writes the registers */
} bx_log_reader;

/* Reads a line without its line feed into access[]. BX_BAD_INPUT with the span in the line. */
int bx_log_line(bx_log_reader *r, bx_str line, bx_error *e);

#endif
