/* A ring of nodes, each in a line of its own, and loops over it. usage: traced_pointers NODES LOOP
 * NODES: a power of two. LOOP: none, next, between, value, or array; test_pointers.c has what each
 * takes. */
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20000, MOST = 1 << 18, APART = 77 };

typedef struct node {
    struct node *next;
    long value;
} node;

static _Alignas(64) struct {
    node is;
    char rest[64 - sizeof(node)];
} ring[MOST];

static node *array[ROUNDS];

/* 1: the ring, step by step. */
static void go(const node *at)
{
    long rounds = ROUNDS;
    __asm__ volatile("1: mov (%0), %0\n"
                     "   dec %1\n"
                     "   jnz 1b\n"
                     : "+r"(at), "+r"(rounds)
                     :
                     : "memory", "cc");
}

/* 2: the same, with a branch that is taken in each round, so that another block is between. */
static void go_between(const node *at)
{
    long rounds = ROUNDS;
    __asm__ volatile("1: test %1, %1\n"
                     "   jnz 2f\n"
                     "   ud2\n"
                     "2: mov (%0), %0\n"
                     "   dec %1\n"
                     "   jnz 1b\n"
                     : "+r"(at), "+r"(rounds)
                     :
                     : "memory", "cc");
}

/* 3: the ring, with the sum of its values: each value is read before the pointer beside it. */
static void go_and_add(const node *at)
{
    long rounds = ROUNDS, sum = 0;
    __asm__ volatile("1: add 8(%0), %2\n"
                     "   mov (%0), %0\n"
                     "   dec %1\n"
                     "   jnz 1b\n"
                     : "+r"(at), "+r"(rounds), "+r"(sum)
                     :
                     : "memory", "cc");
}

/* 4: the nodes that an array points to: no node is needed to find the next one. */
static void go_through(node *const *from)
{
    long rounds = ROUNDS, sum = 0;
    const node *at;
    __asm__ volatile("1: mov (%2), %0\n"
                     "   add $8, %2\n"
                     "   test %1, %1\n"
                     "   jnz 2f\n"
                     "   ud2\n"
                     "2: add 8(%0), %3\n"
                     "   dec %1\n"
                     "   jnz 1b\n"
                     : "=&r"(at), "+r"(rounds), "+r"(from), "+r"(sum)
                     :
                     : "memory", "cc");
}

int main(int argc, char **argv)
{
    size_t nodes = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
    if (nodes == 0 || nodes > MOST)
        return 2;
    for (size_t i = 0; i < nodes; i++)
        ring[i].is.next = &ring[(i + APART) % nodes].is;
    for (size_t i = 0; i < ROUNDS; i++)
        array[i] = &ring[i * APART % nodes].is;
    if (strcmp(argv[2], "next") == 0)
        go(&ring[0].is);
    else if (strcmp(argv[2], "between") == 0)
        go_between(&ring[0].is);
    else if (strcmp(argv[2], "value") == 0)
        go_and_add(&ring[0].is);
    else if (strcmp(argv[2], "array") == 0)
        go_through(array);
    return 0;
}
