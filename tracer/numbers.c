/* Gives numbers to blocks, and frees them for reuse. */
#include "numbers.h"

#include "trace_format.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_mallocfree.h"

/* A number in use. All parts of a translation have its address as their key in the table. */
typedef struct number {
    struct number *next; /* these two as in VgHashNode; `next` also links free numbers */
    UWord address;
    UInt number;
    ULong translation; /* running number of the translation */
} number;

static VgHashTable *in_use;
static number *unused;
static UInt made;

static number *make(void)
{
    number *n = VG_(malloc)("bx.number", sizeof *n);
    n->number = made++;
    tl_assert(made < BX_TRACE_BLOCKS);
    return n;
}

UInt bx_number_take(Addr address, ULong translation)
{
    if (!in_use)
        in_use = VG_(HT_construct)("bx.numbers");
    number *n = unused;
    if (n)
        unused = n->next;
    else
        n = make();
    n->address = address;
    n->translation = translation;
    VG_(HT_add_node)(in_use, n);
    return n->number;
}

/* Removes all numbers of this address from the table, and returns them linked. *same: they belong
 * to one translation. */
static number *take_out(Addr address, Bool *same)
{
    number *all = NULL;
    *same = True;
    for (number *n; (n = VG_(HT_remove)(in_use, address)); all = n) {
        *same = *same && (!all || all->translation == n->translation);
        n->next = all;
    }
    return all;
}

/* Two translations can begin at one address: with and without a redirection of Valgrind's. Valgrind
 * does not say which of them is discarded, so their numbers are not used again. */
void bx_number_free(Addr address)
{
    Bool same = True;
    number *n = in_use ? take_out(address, &same) : NULL;
    for (number *next; n; n = next) {
        next = n->next;
        if (same) {
            n->next = unused;
            unused = n;
        } else {
            VG_(HT_add_node)(in_use, n);
        }
    }
}
