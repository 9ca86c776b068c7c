#include <stdlib.h>

enum { N = 1 << 14 };

struct node {
    struct node *next;
    long value[7];
};

/* Links all nodes in an order that looks random. */
static void link_nodes(struct node *all)
{
    for (long i = 0; i < N; i++) {
        all[i].next = &all[(i * 40505 + 1) % N];
        all[i].value[0] = i;
    }
}

static long add_in_order(const struct node *all)
{
    long sum = 0;
    for (long i = 0; i < N; i++)
        sum += all[i].value[0];
    return sum;
}

static const struct node *find_last(const struct node *at)
{
    for (long i = 0; i < N; i++)
        at = at->next;
    return at;
}

int main(void)
{
    struct node *all = malloc(N * sizeof *all);
    if (!all)
        return 1;
    link_nodes(all);
    return add_in_order(all) + find_last(all)->value[0] == 0;
}
