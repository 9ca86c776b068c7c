/* Takes the calls by which a program chooses CPUs and memory nodes. */
#include "placement.h"

#include "core_calls.h"
#include "core_questions.h"
#include "notes.h"
#include "records.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

Int bx_placement_all_cpus, bx_placement_nodes;
const HChar *bx_placement_cpu_nodes;

typedef struct thread {
    ULong cpus; /* a mask; 0: all */
    UInt mode;  /* of its memory policy */
    ULong nodes;
    Int number; /* the kernel's number of it; 0: not known */
} thread;

enum { PAGE = 4096, MASK_BITS = 64, SET_HOME_NODE = 450 };
enum { DEFAULT, PREFERRED, BIND, INTERLEAVE, LOCAL, PREFERRED_MANY, MODES }; /* MPOL_… */
#define MODE_FLAGS 0xe000                            /* MPOL_F_… of a mode */
enum { MF_MOVE = 2 };                                /* of mbind() */
enum { F_NODE = 1, F_ADDR = 2, F_MEMS_ALLOWED = 4 }; /* of get_mempolicy() */

static thread *threads; /* [VG_N_THREADS] */
static ThreadId newest; /* thread that has been made last */

static thread *of(ThreadId tid)
{
    if (!threads)
        threads = VG_(calloc)("bx.placement", VG_N_THREADS, sizeof *threads);
    return &threads[tid];
}

void bx_placement_start(ThreadId by, ThreadId tid)
{
    if (by != VG_INVALID_THREADID)
        *of(tid) = *of(by);
    of(tid)->number = 0;
    newest = tid;
}

void bx_placement_made(Int number)
{
    if (newest != VG_INVALID_THREADID)
        of(newest)->number = number;
}

void bx_placement_stop(ThreadId tid)
{
    of(tid)->number = 0;
}

void bx_placement_write(ThreadId tid, HChar to[BX_PLACEMENT_OPTION])
{
    const thread *t = of(tid);
    VG_(sprintf)(to, "%llx,%x,%llx", t->cpus, t->mode, t->nodes);
}

Bool bx_placement_read(const HChar *text)
{
    HChar *end;
    thread *t = of(1);
    t->cpus = VG_(strtoull16)(text, &end);
    if (*end != ',')
        return False;
    t->mode = (UInt)VG_(strtoull16)(end + 1, &end);
    if (*end != ',')
        return False;
    t->nodes = VG_(strtoull16)(end + 1, &end);
    return *end == '\0';
}

static Bool readable(UWord at, UWord bytes)
{
    return VG_(am_is_valid_for_client)(at, bytes, VKI_PROT_READ);
}

static Bool writable(UWord at, UWord bytes)
{
    return VG_(am_is_valid_for_client)(at, bytes, VKI_PROT_WRITE);
}

static ULong all_of(Int n)
{
    return n >= MASK_BITS ? ~0ULL : (1ULL << n) - 1;
}

/* The first 64 bits of a mask of so many bytes. */
static ULong mask_at(UWord at, UWord bytes)
{
    ULong mask = 0;
    VG_(memcpy)(&mask, (const void *)at, bytes < sizeof mask ? bytes : sizeof mask);
    return mask;
}

/* ---- CPUs ---- */

ULong bx_placement_cpus(ThreadId tid)
{
    ULong cpus = of(tid)->cpus;
    return cpus ? cpus : ~0ULL;
}

Int bx_placement_node_of(Int cpu)
{
    const HChar *of = bx_placement_cpu_nodes;
    return of && (SizeT)cpu < VG_(strlen)(of) ? of[cpu] - '0' : 0;
}

/* Valgrind knows a thread's number only when the thread has run. */
ThreadId bx_placement_thread(ThreadId tid, Int number)
{
    ThreadId found = number == 0 ? tid : bx_core_thread_of(number);
    for (ThreadId i = 1; found == VG_INVALID_THREADID && i < VG_N_THREADS; i++)
        if (of(i)->number == number)
            found = i;
    return found;
}

static Word set_cpus(ThreadId tid, const UWord *a)
{
    ThreadId whose = bx_placement_thread(tid, (Int)a[0]);
    UWord bytes = a[1] < sizeof(ULong) ? a[1] : sizeof(ULong);
    if (!readable(a[2], a[1]))
        return -VKI_EFAULT;
    ULong asked = mask_at(a[2], bytes), cpus = asked & all_of(bx_placement_all_cpus);
    if (!cpus)
        return -VKI_EINVAL;
    if (whose == VG_INVALID_THREADID) {
        bx_note(tid, BX_TRACE_NOTE_CALL,
                "sets the CPUs of another process, which stay as they are here");
        return 0;
    }
    of(whose)->cpus = cpus;
    BX_RECORD(tid, BX_TRACE_AFFINITY, whose, cpus == all_of(bx_placement_all_cpus) ? 0 : cpus);
    return 0;
}

/* ---- memory policies ---- */

/* Reads a mask of nodes as the kernel does: `bits` includes one more than there are. */
static Word read_nodes(UWord at, UWord bits, ULong *nodes)
{
    *nodes = 0;
    if (at == 0 || bits <= 1)
        return 0;
    UWord n = bits - 1 < MASK_BITS ? bits - 1 : MASK_BITS, bytes = (n + 63) / 64 * 8;
    if (bits - 1 > (UWord)PAGE * 8)
        return -VKI_EINVAL;
    if (!readable(at, bytes))
        return -VKI_EFAULT;
    *nodes = mask_at(at, bytes) & all_of((Int)n);
    return 0;
}

/* The kernel's checks of a policy. */
static Word check_policy(UInt mode, ULong *nodes)
{
    Bool takes_nodes = mode != DEFAULT && mode != LOCAL;
    ULong there = *nodes & all_of(bx_placement_nodes);
    if (mode >= MODES || (!takes_nodes && *nodes))
        return -VKI_EINVAL;
    if (takes_nodes && mode != PREFERRED && !there)
        return -VKI_EINVAL;
    if (mode == PREFERRED && *nodes && !there)
        return -VKI_EINVAL;
    *nodes = there;
    return 0;
}

static Word set_policy(ThreadId tid, const UWord *a)
{
    UInt mode = (UInt)a[0] & ~(UInt)MODE_FLAGS;
    ULong nodes;
    Word error = read_nodes(a[1], a[2], &nodes);
    if (!error)
        error = check_policy(mode, &nodes);
    if (error)
        return error;
    of(tid)->mode = mode;
    of(tid)->nodes = nodes;
    BX_RECORD(tid, BX_TRACE_POLICY, mode, 0, 0, nodes);
    return 0;
}

static Word bind(ThreadId tid, const UWord *a)
{
    UInt mode = (UInt)a[2] & ~(UInt)MODE_FLAGS;
    UWord bytes = (a[1] + PAGE - 1) & ~(UWord)(PAGE - 1);
    ULong nodes;
    if (a[0] % PAGE || a[0] + bytes < a[0])
        return -VKI_EINVAL;
    Word error = read_nodes(a[3], a[4], &nodes);
    if (!error)
        error = check_policy(mode, &nodes);
    if (error || !bytes)
        return error;
    if (!VG_(am_is_valid_for_client)(a[0], bytes, VKI_PROT_NONE))
        return -VKI_EFAULT;
    BX_RECORD(tid, BX_TRACE_POLICY, mode | (a[5] & MF_MOVE ? BX_TRACE_POLICY_MOVES : 0), a[0],
              bytes, nodes);
    return 0;
}

/* ---- where pages are ---- */

/* Without a machine, the kernel's nodes are not those that the program sees. */
Bool bx_placement_ask(ThreadId tid, UInt what, Addr address, ULong *answer)
{
    UInt question = bx_core_next_question(tid);
    if (!question)
        return False;
    BX_RECORD(tid, BX_TRACE_WHERE, what, tid, question, address);
    return bx_core_await_answer(tid, question, answer) == BX_TRACE_IS_READ;
}

static void told_nothing(ThreadId tid, const HChar *call)
{
    bx_note(tid, BX_TRACE_NOTE_CALL, "asks by %s where pages are, and is told node 0", call);
}

static Int node_of(ThreadId tid, Addr address)
{
    ULong nodes;
    if (bx_placement_ask(tid, BX_TRACE_ASKED_TOUCHED, address, &nodes) &&
        (nodes & 0xff) < BX_TRACE_IS_ZERO)
        return (Int)(nodes & 0xff);
    if ((nodes & 0xff) != BX_TRACE_IS_ZERO) /* in which the kernel's page of zeros is, too */
        told_nothing(tid, "get_mempolicy()");
    return 0;
}

bx_placement_policy bx_placement_policy_of(ThreadId tid, Addr address)
{
    ULong range;
    bx_placement_policy p = {of(1)->mode, of(1)->nodes, ~0ULL};
    if (!bx_placement_ask(tid, BX_TRACE_ASKED_POLICY, address, &range))
        return p;
    if (range >> 32 < 0xffffffff)
        p.pages = range >> 32;
    if ((range & 0xff) != DEFAULT) {
        p.mode = (UInt)range & 0xff;
        p.nodes = (UInt)range >> 8;
    }
    return p;
}

/* The policy that get_mempolicy() tells with these flags. */
static Word policy_for(ThreadId tid, const UWord *a, UInt *mode, ULong *nodes)
{
    const UWord flags = a[4];
    ULong range = 0;
    *mode = of(tid)->mode;
    *nodes = of(tid)->nodes;
    if (flags & ~(UWord)(F_NODE | F_ADDR | F_MEMS_ALLOWED) ||
        (flags & F_MEMS_ALLOWED && flags & (F_NODE | F_ADDR)) || (a[3] && !(flags & F_ADDR)))
        return -VKI_EINVAL;
    if (flags & F_MEMS_ALLOWED) {
        *mode = DEFAULT;
        *nodes = all_of(bx_placement_nodes);
        return 0;
    }
    if (flags & F_ADDR) {
        if (!VG_(am_is_valid_for_client)(a[3], 1, VKI_PROT_NONE))
            return -VKI_EFAULT;
        (void)bx_placement_ask(tid, BX_TRACE_ASKED_POLICY, a[3], &range);
        *mode = (UInt)range & 0xff;
        *nodes = (UInt)range >> 8;
    }
    if (!(flags & F_NODE))
        return 0;
    if (!(flags & F_ADDR) && *mode != INTERLEAVE)
        return -VKI_EINVAL;
    /* Pages come from the nodes in turn by their numbers, so no node is the next one. */
    *mode = flags & F_ADDR ? (UInt)node_of(tid, a[3]) : (UInt)__builtin_ctzll(*nodes);
    return 0;
}

static Word get_policy(ThreadId tid, const UWord *a)
{
    UInt mode;
    ULong nodes;
    UWord bytes = a[2] ? (a[2] - 1 + 63) / 64 * 8 : 0; /* `a[2]` includes one more than there are */
    if (a[1] && a[2] < (UWord)bx_placement_nodes)
        return -VKI_EINVAL;
    Word error = policy_for(tid, a, &mode, &nodes);
    if (error)
        return error;
    if ((a[0] && !writable(a[0], sizeof(Int))) || (a[1] && !writable(a[1], bytes)))
        return -VKI_EFAULT;
    if (a[0])
        *(Int *)a[0] = (Int)mode;
    if (a[1] && bytes) {
        VG_(memset)((void *)a[1], 0, bytes);
        VG_(memcpy)((void *)a[1], &nodes, sizeof nodes);
    }
    return 0;
}

/* Of a node that the answer has, what the kernel says in move_pages(). */
static Int status_of(UInt node)
{
    return node == BX_TRACE_NOT_THERE ? -VKI_ENOENT
           : node == BX_TRACE_IS_ZERO ? -VKI_EFAULT
                                      : (Int)node;
}

/* How many of the pages, from the first on, are one after the other, so that one answer has them.
 */
static UWord in_a_row(const UWord *page, UWord n)
{
    UWord i = 1;
    while (i < n && i < BX_TRACE_ASKED_PAGES && page[i] / PAGE == page[0] / PAGE + i)
        i++;
    return i;
}

static void tell_nodes(ThreadId tid, const UWord *page, UWord n, Int *status)
{
    for (UWord i = 0, row; i < n; i += row) {
        ULong nodes = 0;
        row = in_a_row(page + i, n - i);
        if (!bx_placement_ask(tid, BX_TRACE_ASKED_NODES, page[i], &nodes))
            told_nothing(tid, "move_pages()");
        for (UWord k = 0; k < row; k++)
            status[i + k] = VG_(am_is_valid_for_client)(page[i + k], 1, VKI_PROT_NONE)
                                ? status_of(nodes >> 8 * k & 0xff)
                                : -VKI_EFAULT;
    }
}

static Word move_pages(ThreadId tid, const UWord *a)
{
    const UWord n = a[1], *page = (const UWord *)a[2];
    const Int *node = (const Int *)a[3];
    Int *status = (Int *)a[4];
    if ((Int)a[0] != 0 && (Int)a[0] != VG_(getpid)()) {
        bx_note(tid, BX_TRACE_NOTE_CALL, "moves pages of another process, which stay here");
        return 0;
    }
    if (n > PAGE * (UWord)PAGE || !readable(a[2], n * sizeof *page) ||
        (node && !readable(a[3], n * sizeof *node)) || !writable(a[4], n * sizeof *status))
        return -VKI_EFAULT;
    for (UWord i = 0; node && i < n; i++) {
        if (node[i] < 0 || node[i] >= bx_placement_nodes)
            return -VKI_ENODEV;
        BX_RECORD(tid, BX_TRACE_MIGRATE, (UInt)node[i], page[i]);
    }
    tell_nodes(tid, page, n, status);
    for (UWord i = 0; node && i < n; i++)
        if (status[i] >= 0 && status[i] != node[i])
            status[i] = -VKI_EACCES; /* another process has the page, too */
    return 0;
}

/* ---- pages of nodes ---- */

/* The node to which pages of one node go: the kernel's node_remap(). If there are fewer to go to,
 * it begins with the first one again. */
static Int goes_to(Int node, ULong from, ULong to)
{
    Int n = __builtin_popcountll(from & ((1ULL << node) - 1)) % __builtin_popcountll(to);
    while (n--)
        to &= to - 1;
    return __builtin_ctzll(to);
}

/* The next node whose pages move, as do_migrate_pages() of mm/mempolicy.c chooses it: one whose new
 * node has no pages that have yet to move, if there is one. -1: there is none. */
static Int next_to_move(ULong left, ULong from, ULong to)
{
    Bool as_many = __builtin_popcountll(from) == __builtin_popcountll(to);
    Int chosen = -1;
    for (Int node = 0; node < bx_placement_nodes; node++) {
        if (!(left >> node & 1) || (!as_many && to >> node & 1) || goes_to(node, from, to) == node)
            continue;
        chosen = node;
        if (!(left >> goes_to(node, from, to) & 1))
            break;
    }
    return chosen;
}

static Word migrate_pages(ThreadId tid, const UWord *a)
{
    const ULong all = all_of(bx_placement_nodes);
    ULong from, to;
    Word error = read_nodes(a[2], a[1], &from);
    if (!error)
        error = read_nodes(a[3], a[1], &to);
    if (error)
        return error;
    if ((Int)a[0] != 0 && (Int)a[0] != VG_(getpid)()) {
        bx_note(tid, BX_TRACE_NOTE_CALL, "moves pages of another process, which stay here");
        return 0;
    }
    if (to & ~all)
        return -VKI_EPERM;
    if (!to)
        return -VKI_EINVAL;
    ULong left = from;
    for (Int node; (node = next_to_move(left, from, to)) >= 0; left &= ~(1ULL << node))
        BX_RECORD(tid, BX_TRACE_MIGRATE_NODE, (UInt)node, (ULong)goes_to(node, from, to));
    return 0;
}

/* ---- all ---- */

static void done(bx_core_answer *to, Word result)
{
    to->way = BX_CORE_DONE;
    to->result = result;
}

void bx_placement_take(ThreadId tid, const bx_core_call *call, bx_core_answer *to)
{
    const UWord *a = call->argument;
    if (call->number == __NR_sched_setaffinity && bx_placement_all_cpus)
        done(to, set_cpus(tid, a));
    if (!bx_placement_nodes)
        return;
    switch (call->number) {
    case __NR_mbind:
        done(to, bind(tid, a));
        break;
    case __NR_set_mempolicy:
        done(to, set_policy(tid, a));
        break;
    case __NR_get_mempolicy:
        done(to, get_policy(tid, a));
        break;
    case __NR_move_pages:
        done(to, move_pages(tid, a));
        break;
    case __NR_migrate_pages:
        done(to, migrate_pages(tid, a));
        break;
    case SET_HOME_NODE:
        bx_note(tid, BX_TRACE_NOTE_CALL,
                "calls set_mempolicy_home_node(), which changes nothing here");
        done(to, 0);
        break;
    default:
        break;
    }
}
