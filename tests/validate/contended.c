/* Loops of loops.c in which threads fight for a line, or each has its own. */
#include "share.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    _Alignas(64) long word;
    _Alignas(64) pthread_mutex_t mutex;
    _Alignas(64) long guarded;
    _Alignas(64) long own[8];
    _Alignas(64) long tickets;
    _Alignas(64) long served;
    struct {
        _Alignas(64) long word;
    } apart[THREADS];
} common = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void add_to_shared(struct share *s)
{
    for (size_t i = 0; i < s->n; i++)
        __atomic_fetch_add(&common.word, 1, __ATOMIC_SEQ_CST);
}

static void add_beside(struct share *s)
{
    for (size_t i = 0; i < s->n; i++)
        __atomic_fetch_add(&common.own[s->number % 8], 1, __ATOMIC_SEQ_CST);
}

static void add_under_mutex(struct share *s)
{
    for (size_t i = 0; i < s->n; i += 16) {
        pthread_mutex_lock(&common.mutex);
        common.guarded++;
        pthread_mutex_unlock(&common.mutex);
    }
}

static void swap_words(struct share *s)
{
    for (size_t i = 0; i < s->n; i += 4) {
        long mine;
        do
            mine = s->number;
        while (!__atomic_compare_exchange_n(&common.word, &mine, 1 - mine, 0, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST));
    }
}

static void add_by_swapping(struct share *s)
{
    for (size_t i = 0; i < s->n; i += 4) {
        long was = __atomic_load_n(&common.word, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(&common.word, &was, was + 1, 0, __ATOMIC_SEQ_CST,
                                            __ATOMIC_RELAXED))
            continue;
    }
}

static void add_plainly(struct share *s)
{
    volatile long *word = &common.word;
    for (size_t i = 0; i < s->n; i += 4)
        *word = *word + 1;
}

static int without_waiting(void)
{
    return 0;
}

static int wait_a_little(void)
{
    _mm_pause();
    return 0;
}

static void add_under_spinning(struct share *s, int (*wait)(void))
{
    for (size_t i = 0; i < s->n; i += 4) {
        while (__atomic_exchange_n(&common.word, 1, __ATOMIC_ACQUIRE))
            wait();
        common.guarded++;
        __atomic_store_n(&common.word, 0, __ATOMIC_RELEASE);
    }
}

static void spin_and_add(struct share *s)
{
    add_under_spinning(s, without_waiting);
}

static void pause_and_add(struct share *s)
{
    add_under_spinning(s, wait_a_little);
}

static void yield_and_add(struct share *s)
{
    add_under_spinning(s, sched_yield);
}

static void add_by_ticket(struct share *s, int (*wait)(void))
{
    for (size_t i = 0; i < s->n; i += 4) {
        long ticket = __atomic_fetch_add(&common.tickets, 1, __ATOMIC_RELAXED);
        while (ticket != __atomic_load_n(&common.served, __ATOMIC_ACQUIRE))
            wait();
        common.guarded++;
        __atomic_store_n(&common.served, ticket + 1, __ATOMIC_RELEASE);
    }
}

static void ticket_and_add(struct share *s)
{
    add_by_ticket(s, without_waiting);
}

static void ticket_yield_and_add(struct share *s)
{
    add_by_ticket(s, sched_yield);
}

/* A mutex of one word: 0 free, 1 taken, 2 taken and waited for (U. Drepper, Futexes Are Tricky,
 * mutex3). */
static void futex_and_add(struct share *s)
{
    static int lock;
    for (size_t i = 0; i < s->n; i += 4) {
        int was = 0;
        if (!__atomic_compare_exchange_n(&lock, &was, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            for (was = was == 2 ? 2 : __atomic_exchange_n(&lock, 2, __ATOMIC_ACQUIRE); was;
                 was = __atomic_exchange_n(&lock, 2, __ATOMIC_ACQUIRE))
                syscall(SYS_futex, &lock, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
        common.guarded++;
        if (__atomic_fetch_sub(&lock, 1, __ATOMIC_RELEASE) != 1) {
            __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
            syscall(SYS_futex, &lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
        }
    }
}

static void add_to_own(struct share *s)
{
    volatile long *word = &common.apart[s->number].word;
    for (size_t i = 0; i < s->n; i += 4)
        *word = *word + 1;
}

static void add_apart(struct share *s)
{
    static _Thread_local unsigned at;
    for (size_t i = 0; i < s->n; i += 4)
        for (;; at = (at + 1) % THREADS) {
            long *word = &common.apart[at].word, was = __atomic_load_n(word, __ATOMIC_SEQ_CST);
            if (__atomic_compare_exchange_n(word, &was, was + 1, 0, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST))
                break;
        }
}
const struct loop contended_loops[] = {
    {"shared", add_to_shared, 3},
    {"beside", add_beside, 3},
    {"mutex", add_under_mutex, 3},
    {"swap", swap_words, 3},
    {"swap_add", add_by_swapping, 3},
    {"plain_add", add_plainly, 3},
    {"spin_add", spin_and_add, 3},
    {"pause_add", pause_and_add, 3},
    {"yield_add", yield_and_add, 3},
    {"ticket_add", ticket_and_add, 3},
    {"ticket_yield_add", ticket_yield_and_add, 3},
    {"futex_add", futex_and_add, 3},
    {"own_add", add_to_own, 3},
    {"apart_add", add_apart, 3},
    {NULL, NULL, 0},
};
