/* /proc/self/numa_maps (numa(7), and show_numa_map() in Linux's fs/proc/task_mmu.c): a line for
 * each part of a mapping that has one policy. What the model does not know is left out: how many
 * processes have a page, which pages of files were changed, heap and stack. */
#include "numa_maps.h"

#include "notes.h"
#include "placement.h"
#include "trace_format.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

enum { NAME = 1024, LINE = NAME + 512, PAGE = 4096, PAGES_MOST = (1 << 24) - 1 };

typedef struct text {
    HChar *all;
    SizeT n, room;
    HChar line[LINE]; /* the present one */
    UInt used;
    Bool blind; /* nobody knows where pages are */
} text;

typedef struct mapping {
    Addr from, to;
    HChar file[NAME]; /* empty: it has none */
} mapping;

#define ADD(...) (t->used += VG_(snprintf)(t->line + t->used, LINE - t->used, __VA_ARGS__))

static void end_line(text *t)
{
    ADD("\n");
    if (t->n + t->used > t->room) {
        t->room = 2 * t->room + LINE;
        t->all = VG_(realloc)("bx.numa", t->all, t->room);
    }
    VG_(memcpy)(t->all + t->n, t->line, t->used);
    t->n += t->used;
    t->used = 0;
}

static void add_nodes(text *t, ULong mask)
{
    const HChar *between = ":";
    for (Int i = 0; i < 64; i++) {
        Int first = i;
        if (!(mask >> i & 1))
            continue;
        while (i < 63 && mask >> (i + 1) & 1)
            i++;
        ADD(first == i ? "%s%d" : "%s%d-%d", between, first, i);
        between = ",";
    }
}

/* As the kernel's mpol_to_str(). */
static void add_policy(text *t, bx_placement_policy p)
{
    static const HChar *const names[] = {"default",    "prefer", "bind",
                                         "interleave", "local",  "prefer (many)"};
    ADD(" %s", p.mode < sizeof names / sizeof *names ? names[p.mode] : "unknown");
    if (p.nodes)
        add_nodes(t, p.nodes);
}

/* The pages of the range that are at the node. */
static ULong pages_at(text *t, ThreadId tid, Addr from, Addr to, Int node)
{
    ULong sum = 0, n;
    for (Addr next; from < to; from = next) {
        UWord pages = (to - from) / PAGE;
        pages = pages < PAGES_MOST ? pages : PAGES_MOST;
        next = from + pages * PAGE;
        if (bx_placement_ask(tid, BX_TRACE_ASKED_NUMBER | (UInt)pages << BX_TRACE_ASKED_OF,
                             from + (UInt)node, &n))
            sum += n;
        else
            t->blind = True;
    }
    return sum;
}

static void add_pages(text *t, ThreadId tid, const mapping *m, Addr from, Addr to)
{
    ULong at[64], sum = 0;
    for (Int i = 0; i < bx_placement_nodes; i++)
        sum += at[i] = pages_at(t, tid, from, to, i);
    if (!sum)
        return;
    if (m->file[0])
        ADD(" mapped=%llu", sum);
    else
        ADD(" anon=%llu dirty=%llu", sum, sum);
    for (Int i = 0; i < bx_placement_nodes; i++)
        if (at[i])
            ADD(" N%d=%llu", i, at[i]);
    ADD(" kernelpagesize_kB=4");
}

static void add_mapping(text *t, ThreadId tid, const mapping *m)
{
    for (Addr from = m->from, to; from < m->to; from = to) {
        bx_placement_policy p = bx_placement_policy_of(tid, from);
        to = p.pages < (m->to - from) / PAGE ? from + p.pages * PAGE : m->to;
        ADD("%08lx", from);
        add_policy(t, p);
        if (m->file[0])
            ADD(" file=%s", m->file);
        add_pages(t, tid, m, from, to);
        end_line(t);
    }
}

/* The mapping that begins there. While a thread waits for an answer, others can change mappings. */
static Bool read_mapping(Addr from, mapping *m)
{
    const NSegment *s = VG_(am_find_nsegment)(from);
    if (!s || s->start != from)
        return False;
    const HChar *file = VG_(am_get_filename)(s);
    m->from = from;
    m->to = s->end + 1;
    VG_(snprintf)(m->file, NAME, "%s", s->kind == SkFileC && file ? file : "");
    return True;
}

HChar *bx_numa_maps_text(ThreadId tid, SizeT *bytes)
{
    const UInt kinds = SkAnonC | SkFileC | SkShmC;
    Addr one;
    Int n = VG_(am_get_segment_starts)(kinds, &one, 1);
    n = n < 0 ? -n : n; /* below 0: so many do not fit */
    Addr *starts = VG_(malloc)("bx.numa", (SizeT)(n + 1) * sizeof *starts);
    mapping *m = VG_(malloc)("bx.numa", sizeof *m);
    text *t = VG_(calloc)("bx.numa", 1, sizeof *t);
    n = VG_(am_get_segment_starts)(kinds, starts, n + 1);
    for (Int i = 0; i < n; i++)
        if (read_mapping(starts[i], m))
            add_mapping(t, tid, m);
    if (t->blind)
        bx_note(tid, BX_TRACE_NOTE_CALL,
                "reads /proc/self/numa_maps, and finds no pages there: no machine has them");
    HChar *all = t->all;
    *bytes = t->n;
    VG_(free)(starts);
    VG_(free)(m);
    VG_(free)(t);
    return all;
}
