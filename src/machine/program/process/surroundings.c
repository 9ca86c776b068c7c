/* The environment that the tracer shows to a program, and the place of its stack. */
#include "machine/program/process/surroundings.h"

#include "tracer/environment.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool bx_host_has_features(const bx_surroundings *shown)
{
    const char *name = shown->features ? shown->features : "sse2";
#ifdef __x86_64__
    if (!strcmp(name, "avx2"))
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
    if (!strcmp(name, "avx"))
        return __builtin_cpu_supports("avx");
    if (!strcmp(name, "sse4.2"))
        return __builtin_cpu_supports("sse4.2");
#endif
    return !strcmp(name, "sse2");
}

/* The size of the auxiliary vector that the kernel gives to new programs. */
static unsigned long auxiliary_bytes(void)
{
    char bytes[4096];
    int vector = open("/proc/self/auxv", O_RDONLY | O_CLOEXEC);
    ssize_t n = vector >= 0 ? read(vector, bytes, sizeof bytes) : 0;
    if (vector >= 0)
        close(vector);
    return n > 0 ? (unsigned long)n : 0;
}

char *bx_stack_padding(char *const argv[], char *const environment[])
{
    bx_trace_stack stack = {0};
    for (char *const *word = argv; *word; word++)
        bx_trace_stack_add(&stack, *word);
    for (char *const *word = environment; *word; word++)
        bx_trace_stack_add(&stack, *word);
    size_t dots = bx_trace_stack_dots(&stack, argv[0], auxiliary_bytes());
    char *text = malloc(sizeof BX_TRACE_PADDING + dots);
    if (!text)
        return NULL;
    memcpy(text, BX_TRACE_PADDING, sizeof BX_TRACE_PADDING);
    memset(text + sizeof BX_TRACE_PADDING - 1, '.', dots);
    text[sizeof BX_TRACE_PADDING - 1 + dots] = '\0';
    return text;
}

const char *bx_region_function(const char *region)
{
    static const char prefix[] = "func:";
    return strncmp(region, prefix, strlen(prefix)) == 0 ? region + strlen(prefix) : NULL;
}
