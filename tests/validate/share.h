/* A loop of loops.c: what each of its threads does. */
#ifndef VALIDATE_SHARE_H
#define VALIDATE_SHARE_H

#include <immintrin.h>
#include <pthread.h>
#include <stddef.h>

enum { THREADS = 64 };

struct share {
    pthread_t thread;
    __m128d *a;
    const __m128d *b, *c, *d;
    size_t n, arrays; /* elements of an array; the arrays follow `a` */
    unsigned number, passes;
    void (*loop)(struct share *s);
    __m128d sum;
};

struct loop {
    const char *name;
    void (*loop)(struct share *s);
    unsigned arrays;
};

/* Of threads that fight for a line: contended.c. The last one has no name. */
extern const struct loop contended_loops[];

#endif
