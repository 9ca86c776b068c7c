/* Options as data: one table a command. Parsing, `--help`, the manual page and the completion of
 * the shells all come from it. */
#ifndef BX_CLI_COMMON_OPTIONS_H
#define BX_CLI_COMMON_OPTIONS_H

#include "base/arena.h"
#include "base/error.h"

/* What an option takes, and the type of the member that it is stored in. */
enum bx_option_kind {
    BX_OPTION_FLAG,   /* bool: takes nothing */
    BX_OPTION_TEXT,   /* const char *: NULL when not given */
    BX_OPTION_TEXTS,  /* bx_texts: may be given several times */
    BX_OPTION_NUMBER, /* uint64_t, in C notation, within lo … hi */
    BX_OPTION_SIZE,   /* uint64_t: a number with an optional K, M or G, within lo … hi */
    BX_OPTION_TIME,   /* uint64_t, ns: a number with ns, us, ms (meant when none is given) or s */
    BX_OPTION_CHOICE, /* unsigned: index among the words of metavar, "rotate|repeat" */
};

/* Words in the order in which they were given; those of an argv, so that they can be one again. */
typedef struct bx_texts {
    char **text;
    size_t n;
    bool apart; /* of operands: "--" stood before the first */
} bx_texts;

typedef struct bx_option {
    const char *name;     /* long name, without dashes */
    const char *old_name; /* an earlier long name: accepted, shown nowhere; NULL: none */
    char letter;          /* 0: has no short name */
    uint8_t kind;         /* enum bx_option_kind */
    const char
        *metavar;     /* "FILE"; NULL for a flag. FILE, MACHINE, CPU, WORKLOAD, EVENTS complete */
    const char *help; /* one line, lower case, no full stop */
    size_t offset;    /* of the member in the command's values */
    uint64_t lo, hi;  /* range of a number, size or time; hi 0: any */
} bx_option;

/* An option that other tools have for the same work, and what is written here instead. */
typedef struct bx_habit {
    const char *name; /* long name; "" */
    char letter;      /* 0: none */
    const char *hint;
} bx_habit;

struct bx_cli;

/* A command: everything that is to be known about it. */
typedef struct bx_command {
    const char *name;
    const char *help;     /* one line, lower case, no full stop */
    const char *operands; /* "EVENT..."; "" if it takes none */
    const char *text;     /* sentences below the usage, lines of at most 80 characters; may be "" */
    const bx_option *options;
    size_t options_n;
    const bx_habit *habits; /* up to one without a hint; may be NULL */
    size_t operands_least, operands_most;
    bool stops;           /* options end at the first operand: what follows is another command's */
    const void *defaults; /* values to begin with */
    size_t values_size;   /* sizeof of the values that the options are stored in */
    /* values: of the type that the offsets are of. Returns the exit status. */
    int (*run)(struct bx_cli *cli, const void *values, const bx_texts *operands);
} bx_command;

/* Options that several commands have. */
#define BX_OPTION_MACHINE(type)                                                                    \
    {                                                                                              \
        .name = "machine", .kind = BX_OPTION_TEXT, .metavar = "MACHINE",                           \
        .help = "'host' or a virtual machine: 'virtual:skl,cores=4,llc=8M'",                       \
        .offset = offsetof(type, machine)                                                          \
    }
/* What goes on on a machine while a program is on stage. */
#define BX_OPTION_MEANWHILE(type)                                                                  \
    {                                                                                              \
        .name = "workload", .letter = 'w', .kind = BX_OPTION_TEXT, .metavar = "WORKLOAD",          \
        .help = "what the machine runs meanwhile, again and again: 'stream,size=64M,cores=2'",     \
        .offset = offsetof(type, workload)                                                         \
    }
#define BX_OPTION_PACE(type)                                                                       \
    {                                                                                              \
        .name = "pace", .kind = BX_OPTION_NUMBER, .metavar = "CYCLES",                             \
        .help = "virtual cycles that pass in a second, as far as the model keeps up; 0: none",     \
        .lo = 0, .hi = 8000000000, .offset = offsetof(type, pace)                                  \
    }
#define BX_OPTION_ROOT(type, member)                                                               \
    {                                                                                              \
        .name = "root", .kind = BX_OPTION_TEXT, .metavar = "DIRECTORY",                            \
        .help =                                                                                    \
            "the host is the machine whose /dev, /proc and /sys are there, or that was gathered",  \
        .offset = offsetof(type, member)                                                           \
    }
#define BX_OPTION_JOURNAL(type, member)                                                            \
    {                                                                                              \
        .name = "journal", .kind = BX_OPTION_TEXT, .metavar = "FILE",                              \
        .help = "where what a host's registers held is kept until they are put back",              \
        .offset = offsetof(type, member)                                                           \
    }
#define BX_OPTION_HELPER(type, member)                                                             \
    {                                                                                              \
        .name = "helper", .kind = BX_OPTION_TEXT, .metavar = "SOCKET",                             \
        .help = "reach the host's registers through the boxscore-helper that listens there",       \
        .offset = offsetof(type, member)                                                           \
    }
#define BX_OPTION_CPU(type)                                                                        \
    {                                                                                              \
        .name = "cpu", .kind = BX_OPTION_TEXT, .metavar = "CPU",                                   \
        .help = "CPU model of the catalogue, such as 'skl'", .offset = offsetof(type, cpu)         \
    }
#define BX_OPTION_JSON(type)                                                                       \
    {                                                                                              \
        .name = "json", .letter = 'j', .kind = BX_OPTION_FLAG, .help = "write JSON",               \
        .offset = offsetof(type, json)                                                             \
    }

/* The options of a command one by one, -h, --help last; NULL beyond. */
const bx_option *bx_command_option(const bx_command *command, size_t i);

typedef struct bx_arguments {
    bool help;         /* asked for: nothing behind it was looked at */
    bx_texts operands; /* what is not an option; ends in a NULL, as an argv does */
} bx_arguments;

/* Parses what follows the command's name, up to the NULL that ends argv. `values` is filled from
 * the defaults first. Texts point into argv, lists live in the arena. An error is one of usage. */
int bx_options_parse(const bx_command *command, char *const argv[], void *values,
                     bx_arguments *arguments, bx_arena *arena, bx_error *e);

#endif
