/* What the tracer and the code that starts it agree on: above all an environment variable that
 * keeps a program's stack at the same address, whatever its environment and arguments are. */
#ifndef BX_TRACE_ENVIRONMENT_H
#define BX_TRACE_ENVIRONMENT_H

enum { BX_TRACE_FUNCTIONS = 64 }; /* most options --function= */

/* The bytes above the stack pointer at the start of a program are a multiple of this. */
enum { BX_TRACE_STACK_STEP = 1 << 16 };

/* The last variable of the environment. Its value is a number of dots. Before the program runs, the
 * tracer makes the value empty, so the program does not see the dots. */
#define BX_TRACE_PADDING_NAME "BOXSCORE_PADDING"
#define BX_TRACE_PADDING      BX_TRACE_PADDING_NAME "="

/* The texts at the beginning of the program's stack: their bytes, with the zeros at their ends, and
 * their number. */
typedef struct bx_trace_stack {
    unsigned long bytes, texts;
    int preloads; /* LD_PRELOAD is among the variables */
} bx_trace_stack;

static inline void bx_trace_stack_add(bx_trace_stack *s, const char *text)
{
    static const char preload[] = "LD_PRELOAD=";
    unsigned long n = 0;
    while (n < sizeof preload - 1 && text[n] == preload[n])
        n++;
    s->preloads |= n == sizeof preload - 1;
    while (text[n])
        n++;
    s->bytes += n + 1;
    s->texts++;
}

static inline int bx_trace_is_padding(const char *text)
{
    static const char name[] = BX_TRACE_PADDING;
    unsigned long n = 0;
    while (n < sizeof name - 1 && text[n] == name[n])
        n++;
    return n == sizeof name - 1;
}

/* The number of dots, when all other texts have been added. Valgrind adds a library of its own to
 * LD_PRELOAD, and adds the variable if it is missing. program: argv[0], which the stack has a
 * second time. auxiliary: bytes of the kernel's auxiliary vector, which is equally large for all
 * processes of a host. */
static inline unsigned long bx_trace_stack_dots(const bx_trace_stack *s, const char *program,
                                                unsigned long auxiliary)
{
    bx_trace_stack all = *s;
    bx_trace_stack_add(&all, program);
    unsigned long texts = all.texts - 1;
    unsigned long used = all.bytes + sizeof BX_TRACE_PADDING + (texts + 1) * sizeof(char *);
    used += auxiliary + (s->preloads ? 1 : sizeof "LD_PRELOAD=" - 1 + sizeof(char *) + 1);
    return BX_TRACE_STACK_STEP - used % BX_TRACE_STACK_STEP;
}

#endif
