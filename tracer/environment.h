/* The environment variable that keeps a program's stack where it is, whatever its environment and
 * its arguments: for who starts the tracer, and for the tracer itself. */
#ifndef BX_TRACE_ENVIRONMENT_H
#define BX_TRACE_ENVIRONMENT_H

/* What is above the stack pointer at the start of a program is this much, or a multiple. */
enum { BX_TRACE_STACK_STEP = 1 << 16 };

/* It is the last variable. Its value is a number of dots, which the program does not see: before it
 * runs, the tracer ends the value before the first one. */
#define BX_TRACE_PADDING_NAME "BOXSCORE_PADDING"
#define BX_TRACE_PADDING      BX_TRACE_PADDING_NAME "="

/* What the program's stack begins with: bytes of texts with their zeros, and how many there are. */
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

/* Dots of the variable, if all else has been added. Valgrind adds a library of its own to
 * LD_PRELOAD, which is one variable more where there was none. program: argv[0], which is there
 * once more; auxiliary: bytes of the kernel's vector, which all processes of a host have. */
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
