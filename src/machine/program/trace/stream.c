/* Reads the records of one traced process into the tasks of its threads. */
#include "machine/program/trace/stream.h"

#include "machine/program/decode/witness.h"
#include "machine/program/trace/threads.h"
#include "tracer/trace_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum { PATH_BYTES = BX_TRACE_PATH_WORDS * sizeof(uint64_t) };

/* Most bytes that one system call accesses; read() and write() access less than 2 GiB. */
static const uint64_t KERNEL_MOST = UINT64_C(1) << 32;

/* A range that the kernel accesses. */
typedef struct kernel_range {
    unsigned kind;
    uint64_t at, end;
} kernel_range;

typedef struct acquisition {
    bool present;
    unsigned object;
    uint64_t id, time;
} acquisition;

struct bx_trace_stream {
    bx_trace_family *family;
    uint32_t number;
    uint64_t own_number; /* among all streams of the family */
    uint64_t time;
    bx_decoder *decoder; /* NULL: it has not begun */
    bx_address_space *space;
    bx_trace_threads threads;
    bx_trace_life life;

    bx_mapping mapped; /* the last one, which a NAME may follow */

    /* Work that must be done before the next word is read. */
    acquisition acquires;
    kernel_range kernel;
};

bx_trace_stream *bx_trace_stream_new(bx_trace_family *family, uint32_t number, uint64_t time)
{
    bx_trace_stream *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->family = family;
    s->number = number;
    s->own_number = ++family->streams;
    s->time = time;
    return s;
}

bool bx_trace_stream_begin(bx_trace_stream *s, bx_address_space *space, bx_point after)
{
    s->space = space;
    s->decoder = space ? bx_decoder_new(space, s->family->kernel) : NULL;
    if (!s->decoder)
        return bx_trace_family_ran_out(s->family);
    if (s->family->remarks)
        bx_decoder_make_remarks(s->decoder);
    if (s->family->tlb && !bx_decoder_translate(s->decoder, s->family->tlb))
        return bx_trace_family_ran_out(s->family);
    bx_decoder_time(s->decoder, &s->family->core);
    bx_decoder_predict(s->decoder, &s->family->core.predictor);
    if (s->family->prefetch && !bx_decoder_prefetch(s->decoder))
        return bx_trace_family_ran_out(s->family);
    if (!bx_decoder_count(s->decoder, s->family->tasks->retired))
        return bx_trace_family_ran_out(s->family);
    bx_decoder_note_who(s->decoder, s->family->tasks->witness, s->number, s->family->live);
    return bx_trace_threads_begin(&s->threads, s->family, s->decoder, s->number, after);
}

/* What its process executes, as the witness knows it. */
static void set_program(bx_trace_stream *s, uint32_t program)
{
    s->threads.program = program;
    if (program)
        bx_witness_set_program(s->family->tasks->witness, s->number, program);
}

bool bx_trace_stream_begin_child(bx_trace_stream *s, const bx_trace_fork *child)
{
    bool begun = bx_trace_stream_begin(s, child->space, child->at);
    if (s->family->tasks->witness)
        set_program(s, child->program);
    if (s->decoder)
        bx_decoder_take_noted(s->decoder, child->noted);
    else
        bx_decoder_free_noted(child->noted);
    return begun;
}

bool bx_trace_stream_has_begun(const bx_trace_stream *s)
{
    return s->decoder != NULL;
}

/* Adds its counts to those of the family, and says what the machine does not have. */
static void add_up(bx_trace_stream *s)
{
    char text[160];
    bx_trace_counts all = bx_decoder_counts(s->decoder);
    bx_trace_counts_add(&s->family->counts, all, 1);
    if (!all.left_out)
        return;
    snprintf(text, sizeof text,
             "%llu instructions that prefetch or flush lines moved none: the model of this machine "
             "leaves that out",
             (unsigned long long)all.left_out);
    bx_trace_family_note(s->family, BX_TRACE_NOTE_INSTRUCTION, s->number, text);
}

void bx_trace_stream_free(bx_trace_stream *s)
{
    if (!s)
        return;
    if (s->decoder)
        add_up(s);
    bx_trace_threads_free(&s->threads);
    bx_decoder_free(s->decoder);
    bx_address_space_free(s->space);
    free(s);
}

static bx_task *running(const bx_trace_stream *s)
{
    return bx_trace_threads_running(&s->threads)->task;
}

uint64_t bx_trace_stream_own_number(const bx_trace_stream *s)
{
    return s->own_number;
}

uint64_t bx_trace_stream_time(const bx_trace_stream *s)
{
    return s->time;
}

void bx_trace_stream_hand_over(bx_trace_stream *s)
{
    bx_task_hand_over(s->family->tasks, running(s));
}

bx_point bx_trace_stream_point(bx_trace_stream *s)
{
    return bx_task_point(s->family->tasks, running(s));
}

void bx_trace_stream_goes_on(bx_trace_stream *s, const bx_trace_stream *before)
{
    if (bx_trace_stream_has_begun(s))
        running(s)->thread = running(before)->thread;
}

uint32_t bx_trace_stream_fullest(const bx_trace_stream *s, bool *wanted)
{
    return bx_trace_threads_fullest(&s->threads, wanted);
}

bx_trace_life *bx_trace_stream_life(bx_trace_stream *s)
{
    return &s->life;
}

void bx_trace_stream_pause(bx_trace_stream *s, bool stopped)
{
    bx_trace_threads_pause(&s->threads, stopped);
}

void bx_trace_stream_end(bx_trace_stream *s)
{
    bx_trace_threads_stop_all(&s->threads);
}

/* ---- system calls ---- */

/* The id of a futex is its address. It becomes the physical address, which processes share. */
static uint64_t id_of(bx_trace_stream *s, unsigned object, uint64_t id)
{
    return object == BX_TRACE_FUTEX ? bx_decoder_physical(s->decoder, id) : id;
}

static void release_object(bx_trace_stream *s, uint64_t time, unsigned object, uint64_t id)
{
    if (object == BX_TRACE_NOTHING)
        return;
    bx_releases_add(s->family->releases, object, id_of(s, object, id), time,
                    bx_trace_stream_point(s));
}

static void enter_call(bx_trace_stream *s, const uint64_t *words)
{
    bx_trace_threads_running(&s->threads)->at_clone = bx_trace_stream_point(s);
    release_object(s, words[0], (unsigned)words[1], words[2]);
    bx_task_call(s->family->tasks, running(s), true);
}

/* Whether a system call returns a child that it made. Such a call acquires nothing. */
static bool makes_process(uint32_t call)
{
    return call == SYS_fork || call == SYS_vfork || call == SYS_clone || call == SYS_clone3;
}

static void return_from_call(bx_trace_stream *s, uint32_t number, const uint64_t *words)
{
    unsigned object = (unsigned)words[1];
    bx_task_call(s->family->tasks, running(s), false);
    if (object != BX_TRACE_NOTHING && !makes_process(number))
        s->acquires = (acquisition){true, object, id_of(s, object, words[2]), words[0]};
}

bool bx_trace_stream_acquires(const bx_trace_stream *s, uint64_t *time)
{
    *time = s->acquires.time;
    return s->acquires.present;
}

void bx_trace_stream_acquire(bx_trace_stream *s)
{
    const acquisition *a = &s->acquires;
    bx_task_wait(s->family->tasks, running(s),
                 bx_releases_before(s->family->releases, a->object, a->id, a->time));
    s->acquires.present = false;
}

/* ---- records ---- */

static bool fork_child(bx_trace_stream *s, uint64_t time)
{
    bx_trace_fork child = {.parent = s->number, .time = time, .program = s->threads.program};
    child.space = bx_address_space_fork(s->space);
    child.noted = bx_decoder_copy_noted(s->decoder, child.space);
    bx_decoder_flush(s->decoder);
    bx_decoder_invalidate(s->decoder, 0, UINT64_MAX);
    child.at = bx_trace_stream_point(s);
    return bx_trace_family_fork(s->family, child);
}

/* Frees the pages before the end is reported, so a process that waits for this end finds them
 * freed. */
static void end_process(bx_trace_stream *s, uint64_t reason, uint64_t time)
{
    if (reason != BX_TRACE_END_EXEC) {
        release_object(s, time, BX_TRACE_PROCESS, s->number);
        bx_address_space_clear(s->space);
        bx_decoder_flush(s->decoder);
    }
    bx_task_call(s->family->tasks, running(s), true);
}

static void stop_thread(bx_trace_stream *s, size_t number, uint64_t time, uint64_t futex)
{
    if (futex)
        release_object(s, time, BX_TRACE_FUTEX, futex);
    bx_trace_threads_stop(&s->threads, number, futex);
}

static void text_of(const uint64_t *from, size_t words, char to[PATH_BYTES + 1])
{
    memcpy(to, from, words * sizeof *from);
    to[words * sizeof *from] = '\0';
}

static bool name_untraced(bx_trace_stream *s, const uint64_t *name, size_t words)
{
    char path[PATH_BYTES + 1];
    text_of(name, words, path);
    return bx_trace_family_name(s->family, &s->family->untraced, path, s->number);
}

static bool add_note(bx_trace_stream *s, uint32_t kind, const uint64_t *from, size_t words)
{
    char text[PATH_BYTES + 1];
    text_of(from, words, text);
    if (kind >= BX_TRACE_NOTES)
        return bx_trace_family_refuse(s->family, "a note of an unknown kind");
    return bx_trace_family_note(s->family, kind, s->number, text);
}

/* Marks a region. The cycles of all earlier instructions go to the accesses before the mark. */
static bool mark_region(bx_trace_stream *s, uint32_t kind, const uint64_t *name, size_t words)
{
    static const enum bx_mark_kind kinds[] = {[BX_TRACE_REGION_ENDS] = BX_MARK_END,
                                              [BX_TRACE_REGION_BEGINS] = BX_MARK_BEGIN,
                                              [BX_TRACE_REGION_IS_RESET] = BX_MARK_RESET};
    char text[PATH_BYTES + 1];
    size_t room;
    bx_access *to = bx_task_room(s->family->tasks, running(s), BX_WC_BUFFERS_MOST, &room);
    if (!to)
        return bx_trace_family_ran_out(s->family);
    if (kind >= sizeof kinds / sizeof *kinds)
        return bx_trace_family_refuse(s->family, "a region neither begins nor ends");
    bx_decoder_retire_to(s->decoder, bx_task_retire_to(running(s)));
    bx_task_add(running(s), bx_decoder_end(s->decoder, to));
    text_of(name, words, text);
    bx_task_mark(s->family->tasks, running(s), kinds[kind], text);
    return true;
}

/* The thread executes RDPMC, after all that it has done so far. In a file, it has faulted. */
static bool ask(bx_trace_stream *s, uint32_t counter, const uint64_t *words)
{
    size_t room;
    if (!s->family->live)
        return true;
    bx_access *to = bx_task_room(s->family->tasks, running(s), 1, &room);
    if (!to)
        return bx_trace_family_ran_out(s->family);
    bx_decoder_retire_to(s->decoder, bx_task_retire_to(running(s)));
    bx_task_add(running(s), bx_decoder_settle(s->decoder, to));
    bx_task_ask(s->family->tasks, running(s),
                (bx_question){.stream = s->own_number,
                              .place = words[0],
                              .number = (uint32_t)words[1],
                              .counter = counter});
    return true;
}

static void map(bx_trace_stream *s, uint32_t flags, const uint64_t *words)
{
    const bx_mapping m = {words[0],
                          words[1],
                          words[2],
                          words[3],
                          words[4],
                          flags & BX_TRACE_MAP_FILE,
                          flags & BX_TRACE_MAP_SHARED,
                          flags & BX_TRACE_MAP_FILLED};
    s->mapped = m;
    if (bx_address_space_map(s->space, m))
        bx_decoder_invalidate(s->decoder, m.address, m.bytes);
    bx_decoder_map_changes(s->decoder, m.address, m.bytes);
    bx_decoder_flush(s->decoder);
}

static void name_file(bx_trace_stream *s, const uint64_t *name, size_t words)
{
    char text[PATH_BYTES + 1];
    if (!s->family->tasks->witness || !s->mapped.file)
        return;
    text_of(name, words, text);
    uint32_t file =
        bx_witness_name(s->family->tasks->witness, s->mapped.device, s->mapped.inode, text);
    if (!s->threads.program) /* a kernel maps the program first */
        set_program(s, file);
    bx_decoder_image(s->decoder, s->mapped.address, s->mapped.device, s->mapped.inode);
}

/* from: bx_address_space_unmap() or _discard() */
static void drop_range(bx_trace_stream *s, const uint64_t *words,
                       bool (*from)(bx_address_space *, uint64_t, uint64_t))
{
    if (from(s->space, words[0], words[1]))
        bx_decoder_invalidate(s->decoder, words[0], words[1]);
    bx_decoder_map_changes(s->decoder, words[0], words[1]);
    bx_decoder_flush(s->decoder);
}

static void move(bx_trace_stream *s, const uint64_t *words)
{
    bx_address_space_move(s->space, words[0], words[1], words[2], words[3]);
    bx_decoder_map_changes(s->decoder, words[0], words[1]);
    bx_decoder_map_changes(s->decoder, words[2], words[3]);
    bx_decoder_invalidate(s->decoder, words[0], words[1]);
    bx_decoder_invalidate(s->decoder, words[2], words[3]);
    bx_decoder_flush(s->decoder);
}

/* ---- where threads and pages are ---- */

static bool choose_cores(bx_trace_stream *s, size_t thread, uint64_t cores)
{
    bx_task *t = bx_trace_threads_task(&s->threads, thread);
    bx_tasks *tasks = s->family->tasks;
    if (!t || bx_task_allow(tasks, t, cores))
        return true;
    return bx_trace_family_note(
        s->family, BX_TRACE_NOTE_CALL, s->number,
        tasks->fixed
            ? "chooses its CPUs, but --threads says where its threads run"
            : "chooses CPUs that the machine does not have: its threads stay where they are");
}

static bool choose_nodes(bx_trace_stream *s, uint32_t value, const uint64_t *words)
{
    const bx_memory_policy p = {value & BX_TRACE_POLICY_MODE, words[2]};
    unsigned nodes = bx_physical_memory_nodes(s->family->memory);
    if (p.mode >= BX_POLICY_MODES)
        return bx_trace_family_refuse(s->family, "a memory policy that there is not");
    if (words[1] == 0)
        running(s)->policy = p;
    else
        bx_address_space_bind(s->space, words[0], words[1], p);
    if (words[1] && value & BX_TRACE_POLICY_MOVES)
        bx_decoder_migrate_range(s->decoder, words[0], words[1]);
    if (p.nodes >> nodes == 0)
        return true;
    return bx_trace_family_note(s->family, BX_TRACE_NOTE_CALL, s->number,
                                "chooses memory nodes that the machine does not have");
}

static uint64_t nodes_at(const bx_trace_stream *s, uint64_t address)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < BX_TRACE_ASKED_PAGES; i++) {
        unsigned node;
        bool zero;
        bool there = bx_address_space_node(s->space, (address >> BX_PAGE_SHIFT) + i, &node, &zero);
        all |= (uint64_t)(!there ? BX_TRACE_NOT_THERE : zero ? BX_TRACE_IS_ZERO : node) << 8 * i;
    }
    return all;
}

static uint64_t policy_at(const bx_trace_stream *s, uint64_t page)
{
    bx_memory_policy p = bx_address_space_policy(s->space, page);
    uint64_t pages = bx_address_space_policy_pages(s->space, page);
    return p.mode | (p.nodes & 0xffffff) << 8 |
           (pages < UINT32_MAX ? pages : (uint64_t)UINT32_MAX) << 32;
}

/* The pages of a range at a node; the lowest bits of the address are the node. */
static uint64_t number_at(bx_trace_stream *s, uint64_t address, uint64_t pages)
{
    uint64_t n = 0, page = address >> BX_PAGE_SHIFT;
    const uint64_t end = (page + pages) << BX_PAGE_SHIFT;
    for (uint64_t found; (found = bx_address_space_next(s->space, &page, end));) {
        unsigned node;
        bool zero;
        n += bx_address_space_node(s->space, found - 1, &node, &zero) && !zero &&
             node == address % (1 << BX_PAGE_SHIFT);
    }
    return n;
}

/* Pages get their frames where they are read in the trace, so the answer is known here. A recorded
 * trace has the questions, too: what they touch is touched. */
static bool tell_where(bx_trace_stream *s, uint32_t value, const uint64_t *words)
{
    const uint64_t address = words[2], page = address >> BX_PAGE_SHIFT;
    const unsigned what = value % (1 << BX_TRACE_ASKED_OF);
    if (what > BX_TRACE_ASKED_NUMBER)
        return bx_trace_family_refuse(s->family, "a question that there is not");
    if (what == BX_TRACE_ASKED_TOUCHED)
        bx_decoder_touch(s->decoder, address);
    if (!s->family->live)
        return true;
    bx_question q = {.stream = s->own_number, .place = words[0], .number = (uint32_t)words[1]};
    q.value = what == BX_TRACE_ASKED_POLICY   ? policy_at(s, page)
              : what == BX_TRACE_ASKED_NUMBER ? number_at(s, address, value >> BX_TRACE_ASKED_OF)
                                              : nodes_at(s, address);
    bx_tasks_answer(s->family->tasks, q);
    return true;
}

static bool access_by_kernel(bx_trace_stream *s, unsigned kind, const uint64_t *words)
{
    uint64_t at = words[0], bytes = words[1];
    if (bytes > KERNEL_MOST)
        return bx_trace_family_refuse(s->family, "more than a system call can access");
    if (s->family->kernel && at < UINT64_MAX - bytes)
        s->kernel = (kernel_range){kind, at, at + bytes};
    return true;
}

/* Handles a record. words: those after the record's first one. Records that a decoder reads, or
 * that we do not use, are ignored. */
static bool take_record(bx_trace_stream *s, unsigned kind, uint32_t value, const uint64_t *words)
{
    switch (kind) {
    case BX_TRACE_THREAD:
        return bx_trace_threads_run(&s->threads, value);
    case BX_TRACE_START:
        return bx_trace_threads_start(&s->threads, value, words[0]);
    case BX_TRACE_STOP:
        stop_thread(s, value, words[0], words[1]);
        return true;
    case BX_TRACE_FORK:
        return fork_child(s, words[0]);
    case BX_TRACE_END:
        end_process(s, value, words[0]);
        return true;
    case BX_TRACE_UNTRACED:
        return name_untraced(s, words + 1, words[0]);
    case BX_TRACE_NOTE:
        return add_note(s, value, words + 1, words[0]);
    case BX_TRACE_REGION:
        return mark_region(s, value, words + 1, words[0]);
    case BX_TRACE_RDPMC:
        return ask(s, value, words);
    case BX_TRACE_CALL:
        enter_call(s, words);
        return true;
    case BX_TRACE_RETURN:
        return_from_call(s, value, words);
        return true;
    case BX_TRACE_RELEASE:
        release_object(s, words[0], (unsigned)words[1], words[2]);
        return true;
    case BX_TRACE_PAIR:
        bx_releases_pair(s->family->releases, BX_TRACE_SOCKET, words[0], words[1]);
        return true;
    case BX_TRACE_MAP:
        map(s, value, words);
        return true;
    case BX_TRACE_NAME:
        name_file(s, words + 1, words[0]);
        return true;
    case BX_TRACE_ALLOCATE:
        bx_decoder_allocate(s->decoder, words[0], words[1]);
        return true;
    case BX_TRACE_FREE:
        bx_decoder_release(s->decoder, words[0]);
        return true;
    case BX_TRACE_UNMAP:
        drop_range(s, words, bx_address_space_unmap);
        return true;
    case BX_TRACE_MOVE:
        move(s, words);
        return true;
    case BX_TRACE_DISCARD:
        drop_range(s, words, bx_address_space_discard);
        return true;
    case BX_TRACE_ADVISE:
        bx_address_space_advise(s->space, words[0], words[1], value == 1);
        return true;
    case BX_TRACE_AFFINITY:
        return choose_cores(s, value, words[0]);
    case BX_TRACE_POLICY:
        return choose_nodes(s, value, words);
    case BX_TRACE_MIGRATE:
        bx_decoder_migrate(s->decoder, words[0] >> BX_PAGE_SHIFT, value);
        return true;
    case BX_TRACE_MIGRATE_NODE:
        bx_decoder_migrate_node(s->decoder, value, (unsigned)words[0]);
        return true;
    case BX_TRACE_WHERE:
        return tell_where(s, value, words);
    case BX_TRACE_KERNEL_READ:
        return access_by_kernel(s, BX_LOAD, words);
    case BX_TRACE_KERNEL_WRITE:
        return access_by_kernel(s, BX_STORE, words);
    default:
        return true;
    }
}

static bool has_time(unsigned kind)
{
    return kind == BX_TRACE_END || kind == BX_TRACE_CALL || kind == BX_TRACE_RETURN ||
           kind == BX_TRACE_RELEASE || kind == BX_TRACE_STOP || kind == BX_TRACE_FORK;
}

/* Reads the control record at which the decoder stopped. Returns its number of words; 0: an error.
 */
static size_t read_record(bx_trace_stream *s, const uint64_t *words, size_t n)
{
    unsigned kind = bx_trace_control_kind(*words);
    int length = bx_trace_record_words(words, n);
    if (kind == BX_TRACE_SKIP)
        return n;
    if (length <= 0) {
        bx_trace_family_refuse(s->family, length < 0 ? "a record that there cannot be"
                                                     : "a record that has no end");
        return 0;
    }
    if (has_time(kind))
        s->time = words[1];
    if (s->family->live)
        bx_trace_ledger_record(&s->family->ledger, &s->life, s->number, words);
    return take_record(s, kind, (uint32_t)*words, words + 1) ? (size_t)length : 0;
}

/* ---- reading ---- */

/* Makes accesses of the kernel for a part of the range. false: no memory. */
static bool take_kernel_range(bx_trace_stream *s)
{
    size_t room;
    bx_access *to = bx_task_room(s->family->tasks, running(s), BX_DECODER_BURST, &room);
    if (!to)
        return bx_trace_family_ran_out(s->family);
    bx_decoder_retire_to(s->decoder, bx_task_retire_to(running(s)));
    bx_task_add(running(s), bx_decoder_kernel(s->decoder, s->kernel.kind, &s->kernel.at,
                                              s->kernel.end, to, room));
    bx_task_fault(running(s), bx_decoder_take_page_faults(s->decoder));
    return true;
}

/* Says which core's thread touches pages now. */
static void name_toucher(bx_trace_stream *s)
{
    bx_task *t = running(s);
    bx_address_space_touched_by(s->space, bx_task_package(s->family->tasks, t), t->policy);
}

static bool read_words(bx_trace_stream *s, const uint64_t *words, size_t n, size_t *read)
{
    bx_trace_family *f = s->family;
    size_t room, made;
    bx_access *to = bx_task_room(f->tasks, running(s), BX_DECODER_BURST, &room);
    if (!to)
        return bx_trace_family_ran_out(f);
    bx_decoder_order(s->decoder, s->threads.writers, bx_trace_threads_running(&s->threads)->writer,
                     running(s)->made);
    bx_decoder_retire_to(s->decoder, bx_task_retire_to(running(s)));
    *read = bx_decoder_read(s->decoder, words, n, to, room, &made);
    bx_task_retire(running(s), bx_decoder_retired_end(s->decoder));
    bx_task_fault(running(s), bx_decoder_take_page_faults(s->decoder));
    bx_trace_threads_add(&s->threads, to, made);
    const char *wrong = bx_decoder_malformed(s->decoder);
    if (wrong) {
        f->no_memory |= bx_decoder_out_of_memory(s->decoder);
        return bx_trace_family_refuse(f, wrong);
    }
    if (*read == n || room - made < BX_DECODER_BURST || bx_decoder_retired_is_full(s->decoder))
        return true;
    size_t more = read_record(s, words + *read, n - *read);
    *read += more;
    return more > 0;
}

bool bx_trace_stream_read(bx_trace_stream *s, const uint64_t *words, size_t n, size_t *read)
{
    *read = 0;
    if (!s->decoder || s->acquires.present)
        return false;
    name_toucher(s);
    if (s->kernel.at < s->kernel.end)
        return take_kernel_range(s);
    return n > 0 && read_words(s, words, n, read);
}
