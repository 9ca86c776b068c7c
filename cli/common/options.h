/* Options as data: one table per command. Parsing, `--help`, the manual page and shell completion
 * all use it. */
#ifndef BX_CLI_COMMON_OPTIONS_H
#define BX_CLI_COMMON_OPTIONS_H

#include "base/arena.h"
#include "base/error.h"

/* The value of an option, and the type of the member that stores it. */
enum bx_option_kind {
    BX_OPTION_FLAG,   /* bool: takes nothing */
    BX_OPTION_COUNT,  /* unsigned: how many times it was given; takes nothing */
    BX_OPTION_TEXT,   /* const char *: NULL if not given */
    BX_OPTION_TEXTS,  /* bx_texts: may be given several times */
    BX_OPTION_NUMBER, /* uint64_t, in C notation, within lo … hi */
    BX_OPTION_SIZE,   /* uint64_t: a number with an optional K, M or G, within lo … hi */
    BX_OPTION_TIME,   /* uint64_t, ns: a number with ns, us, ms (the default) or s */
    BX_OPTION_CHOICE, /* unsigned: index among the words of metavar, "rotate|repeat" */
};

static inline bool bx_option_takes_nothing(uint8_t kind)
{
    return kind == BX_OPTION_FLAG || kind == BX_OPTION_COUNT;
}

/* Texts in the order of the command line. They point into argv, so they can be passed on as an
 * argv. */
typedef struct bx_texts {
    char **text;
    size_t n;
    bool apart; /* operands only: "--" was before the first */
} bx_texts;

typedef struct bx_option {
    const char *name;     /* long name, without dashes */
    const char *old_name; /* earlier long name, accepted but not shown; NULL: none */
    char letter;          /* 0: has no short name */
    uint8_t kind;         /* enum bx_option_kind */
    const char *metavar;  /* "FILE"; NULL for a flag. FILE, CPU, EVENTS … are completed */
    const char *help;     /* one line, lower case, no full stop */
    size_t offset;        /* offset of the member in the command's values */
    uint64_t lo, hi;      /* range of a number, size or time; hi 0: any */
} bx_option;

/* An option that other tools have for the same purpose, and its replacement here. */
typedef struct bx_habit {
    const char *name; /* long name; "" */
    char letter;      /* 0: none */
    const char *hint;
} bx_habit;

/* Options that do not go together. The words of a text are separated by blanks: "until" an option
 * that was given, "passes=repeat" one with that value, "workload+" one that was given more than
 * once, "PROGRAM" an operand. */
typedef struct bx_exclusion {
    const char *these;   /* if one of these was given, "" in any case, */
    const char *with;    /* and one of these; NULL: whatever else was given, */
    const char *without; /* and none of these; NULL: without a further condition, */
    const char *why;     /* the command line is refused, because of this. NULL: end of the list */
    const char *hint;
} bx_exclusion;

/* A line that can be pasted into a shell. A test runs all lines of a command in order, in an empty
 * folder. */
typedef struct bx_example {
    const char *line;
    const char *does; /* one line, lower case, no full stop */
} bx_example;

struct bx_cli;

/* Everything about a command. */
typedef struct bx_command {
    const char *name;
    const char *help;     /* one line, lower case, no full stop */
    const char *operands; /* "EVENT..."; "" if it has none */
    const char *text;     /* text below the usage, lines of at most 80 characters; may be "" */
    const bx_example *examples; /* ends with one that has no line */
    const bx_option *options;
    size_t options_n;
    const bx_habit *habits;         /* ends with one that has no hint; may be NULL */
    const bx_exclusion *exclusions; /* the first that applies is reported; may be NULL */
    size_t operands_least, operands_most;
    bool stops;           /* options end at the first operand: the rest is another command's */
    const void *defaults; /* initial values */
    size_t values_size;   /* size of the type with the options' values */
    /* Runs the command. values has the type of the offsets. Returns the exit status. */
    int (*run)(struct bx_cli *cli, const void *values, const bx_texts *operands);
} bx_command;

/* Options of several commands. */
#define BX_OPTION_MACHINE(type, member)                                                            \
    {                                                                                              \
        .name = "machine", .kind = BX_OPTION_TEXT, .metavar = "MACHINE",                           \
        .help = "'host' or a virtual machine: 'virtual:skl,cores=4,llc=8M'",                       \
        .offset = offsetof(type, member)                                                           \
    }
/* The work of a virtual machine. */
#define BX_OPTION_WORK(type, member)                                                               \
    {                                                                                              \
        .name = "workload", .letter = 'w', .kind = BX_OPTION_TEXTS, .metavar = "WORKLOAD",         \
        .help = "the work of a virtual machine: 'stream,size=64M,cores=2'",                        \
        .offset = offsetof(type, member)                                                           \
    }
#define BX_OPTION_TRACE(type, member)                                                              \
    {                                                                                              \
        .name = "trace", .kind = BX_OPTION_TEXT, .metavar = "FILE",                                \
        .help = "the work of a virtual machine: a program recorded by 'boxscore trace -o'",        \
        .offset = offsetof(type, member)                                                           \
    }
/* How a virtual machine executes a program. */
#define BX_OPTION_THREADS(type, member)                                                            \
    {                                                                                              \
        .name = "threads", .kind = BX_OPTION_TEXT, .metavar = "LIST|spread|compact",               \
        .help = "cores of a virtual machine for the threads of a program: 0-3,8; packages in "     \
                "turn; in order",                                                                  \
        .offset = offsetof(type, member)                                                           \
    }
#define BX_OPTION_KERNEL_ACCESSES(type, member)                                                    \
    {                                                                                              \
        .name = "kernel-accesses", .kind = BX_OPTION_CHOICE, .metavar = "on|off",                  \
        .help = "whether a virtual machine also makes the accesses of a kernel for the program",   \
        .offset = offsetof(type, member)                                                           \
    }
#define BX_OPTION_TURN(type, member)                                                               \
    {                                                                                              \
        .name = "turn", .kind = BX_OPTION_NUMBER, .metavar = "BLOCKS",                             \
        .help = "blocks of code that a traced thread executes before the next has its turn; 1000", \
        .lo = 1, .hi = 100000, .offset = offsetof(type, member)                                    \
    }
#define BX_OPTION_FEATURES(type, member)                                                           \
    {                                                                                              \
        .name = "features", .kind = BX_OPTION_CHOICE, .metavar = "fixed|host",                     \
        .help =                                                                                    \
            "CPU features that a program finds on a virtual machine: those of the modelled CPU, "  \
            "or all of the host",                                                                  \
        .offset = offsetof(type, member)                                                           \
    }
/* The work of a machine while a program runs on a stage. */
#define BX_OPTION_MEANWHILE(type)                                                                  \
    {                                                                                              \
        .name = "workload", .letter = 'w', .kind = BX_OPTION_TEXT, .metavar = "WORKLOAD",          \
        .help = "the work that the machine runs repeatedly in the meantime: "                      \
                "'stream,size=64M,cores=2'",                                                       \
        .offset = offsetof(type, workload)                                                         \
    }
#define BX_OPTION_PACE(type)                                                                       \
    {                                                                                              \
        .name = "pace", .kind = BX_OPTION_NUMBER, .metavar = "CYCLES",                             \
        .help = "virtual cycles per second, if the model is fast enough; 0: none", .lo = 0,        \
        .hi = 8000000000, .offset = offsetof(type, pace)                                           \
    }
#define BX_OPTION_WORKLOADS(type)                                                                  \
    {                                                                                              \
        .name = "workloads", .kind = BX_OPTION_FLAG,                                               \
        .help = "run the built-in workloads on a virtual machine, and tell which of them make an " \
                "event count",                                                                     \
        .offset = offsetof(type, workloads)                                                        \
    }
#define BX_OPTION_ROOT(type, member)                                                               \
    {                                                                                              \
        .name = "root", .kind = BX_OPTION_TEXT, .metavar = "DIRECTORY",                            \
        .help = "use the machine whose /dev, /proc and /sys are in this folder, or a gathered "    \
                "machine, as the host",                                                            \
        .offset = offsetof(type, member)                                                           \
    }
#define BX_OPTION_JOURNAL(type, member)                                                            \
    {                                                                                              \
        .name = "journal", .kind = BX_OPTION_TEXT, .metavar = "FILE",                              \
        .help = "the file that saves the contents of a host's registers until they are put back",  \
        .offset = offsetof(type, member)                                                           \
    }
#define BX_OPTION_HELPER(type, member)                                                             \
    {                                                                                              \
        .name = "helper", .kind = BX_OPTION_TEXT, .metavar = "SOCKET",                             \
        .help = "access the host's registers through the boxscore-helper at this socket",          \
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

/* Of commands that write one object a line. */
#define BX_OPTION_JSON_LINES(type)                                                                 \
    {.name = "json",                                                                               \
     .letter = 'j',                                                                                \
     .kind = BX_OPTION_FLAG,                                                                       \
     .help = "write JSON lines: one object a line",                                                \
     .offset = offsetof(type, json)},                                                              \
    {                                                                                              \
        .name = "json-array", .kind = BX_OPTION_FLAG,                                              \
        .help = "write the same objects as one JSON array", .offset = offsetof(type, json_array)   \
    }

/* The i-th option of a command, with -h, --help last; NULL after that. */
const bx_option *bx_command_option(const bx_command *command, size_t i);

typedef struct bx_arguments {
    bool help;         /* --help was given; arguments after it were not parsed */
    bx_texts operands; /* the other arguments; ends with NULL, as an argv does */
} bx_arguments;

/* The option of a word of an exclusion; NULL: it is an operand, or the command has no such option.
 * *rest: what follows its name: "", "+" or "=VALUE". */
const bx_option *bx_exclusion_option(const bx_command *command, bx_str word, bx_str *rest);

/* Parses the arguments after the command's name, up to argv's NULL. `values` starts as the
 * defaults. Texts point into argv, lists live in the arena. An error is an error of usage. */
int bx_options_parse(const bx_command *command, char *const argv[], void *values,
                     bx_arguments *arguments, bx_arena *arena, bx_error *e);

#endif
