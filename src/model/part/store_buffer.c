/* Finds the stores that have to wait for an entry of the store buffer. */
#include "model/part/store_buffer.h"

#include <stddef.h>

static bool is_store(bx_access a)
{
    return (a & 3) == BX_STORE;
}

static struct bx_late_store *late_at(struct bx_store_buffer *b, unsigned i)
{
    return &b->late[i % BX_FILL_BUFFERS_MOST];
}

static void count_up_to(struct bx_store_buffer *b, const bx_access *end)
{
    for (; b->counted < end; b->counted++)
        b->stores += is_store(*b->counted);
}

static void find_waiter(struct bx_store_buffer *b, const bx_access *batch_end)
{
    b->waiter = NULL;
    for (; b->first != b->end && b->searched < batch_end; b->searched++) {
        bool store = is_store(*b->searched);
        if (store && b->stores_searched == late_at(b, b->first)->waiter) {
            b->waiter = b->searched;
            return;
        }
        b->stores_searched += store;
    }
}

/* If all earlier stores have committed, numbering starts again at `at`, unless the search has
 * already passed `at`. So no access is searched or counted twice. The ring has room: each late
 * store has held a fill buffer, and this store has just taken a free one. */
void bx_store_buffer_add(struct bx_store_buffer *b, const bx_access *at, const bx_access *batch_end,
                         uint64_t t, uint64_t completion)
{
    uint64_t commit = completion;

    while (b->first != b->end && late_at(b, b->first)->commit <= t)
        b->first++;
    if (b->first != b->end) {
        if (late_at(b, b->end - 1)->commit > commit)
            commit = late_at(b, b->end - 1)->commit;
    } else if (b->searched <= at) {
        b->counted = b->searched = at;
        b->stores = b->stores_searched = 0;
    }
    count_up_to(b, at);
    *late_at(b, b->end++) = (struct bx_late_store){b->stores + b->entries, commit};
    find_waiter(b, batch_end);
}

uint64_t bx_store_buffer_pass(struct bx_store_buffer *b, const bx_access *batch_end)
{
    uint64_t commit = late_at(b, b->first++)->commit;

    find_waiter(b, batch_end);
    return commit;
}

void bx_store_buffer_end_batch(struct bx_store_buffer *b, const bx_access *batch_end)
{
    if (b->first != b->end)
        count_up_to(b, batch_end);
}

void bx_store_buffer_begin_batch(struct bx_store_buffer *b, const bx_access *next,
                                 const bx_access *batch_end)
{
    b->counted = b->searched = next;
    find_waiter(b, batch_end);
}

void bx_store_buffer_clear(struct bx_store_buffer *b)
{
    b->first = b->end;
    b->counted = b->searched = b->waiter = NULL;
}
