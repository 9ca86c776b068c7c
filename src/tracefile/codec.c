/* Encodes the words of a trace as fewer bytes, and decodes them. */
#include "tracefile/codec.h"

#include "tracer/trace_format.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCKS = 1 << 12, SHIFT = 7, MORE = 1 << SHIFT };

/* The beginning of a record: a predicted execution, the same with unchanged addresses, a control
 * record, or the word of another execution plus EXECUTION. */
enum { FORESEEN, SAME, CONTROL, EXECUTION };

/* A byte is a difference of addresses, or shows what the column of longer differences has: nothing,
 * two bytes, or a number. */
enum { NOT_MADE = 253, TWO_BYTES, FAR, IN_TWO_BYTES = NOT_MADE + (1 << 16) };

typedef struct slot {
    uint64_t address; /* address of its last access that was made */
    bool load;
} slot;

typedef struct block_exit {
    uint64_t next; /* the execution that last followed this one */
    uint64_t executions;
    uint32_t words, instructions, loads, stores, modifications; /* words: without the first one */
} block_exit;

typedef struct block {
    uint32_t exits, entries;
    slot *slot; /* in the same allocation, after the exits */
    block_exit exit[];
} block;

struct bx_codec {
    block **block; /* [room] */
    size_t room;
    uint64_t none;             /* the prediction for the first execution */
    uint64_t *next;            /* where the prediction of the next execution is stored */
    bx_codec_counts counts;    /* without the executions of present blocks */
    bx_codec_control *control; /* NULL: nobody watches */
    void *context;
    const char *wrong;
    bool ran_out;
    uint64_t allowed;        /* bytes of memory that further records may take, */
    uint64_t allowed_kernel; /* and bytes that the kernel may access for them */
    bx_codec_memory memory;
    uint64_t threads; /* numbers of threads for which memory was taken */
};

/* A block that is being described. */
typedef struct draft {
    uint32_t exits;
    block_exit now; /* as it would be if it ended here */
    slot slot[BX_TRACE_WORDS];
    block_exit exit[BX_TRACE_EXITS];
} draft;

/* Memory that a record takes in all that read the trace: this codec, and the decoder, address
 * space, tasks and releases of its process. They are estimates from above. */
enum {
    BLOCK_NUMBER = 2 * sizeof(void *),
    BLOCK_BYTES = 256,
    ENTRY_BYTES = 64,
    THREAD_BYTES = 2048,
    FORK_BYTES = 4096,
    MAPPING_BYTES = 128,
    OBJECT_BYTES = 96, /* a release */
    NAME_BYTES = 64,
};

bx_codec *bx_codec_new(void)
{
    bx_codec *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->next = &c->none;
    c->allowed = c->allowed_kernel = UINT64_MAX;
    return c;
}

void bx_codec_allow(bx_codec *c, uint64_t bytes, uint64_t kernel)
{
    c->allowed = bytes;
    c->allowed_kernel = kernel;
}

bx_codec_memory bx_codec_memory_of(const bx_codec *c)
{
    return c->memory;
}

void bx_codec_free(bx_codec *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->room; i++)
        free(c->block[i]);
    free(c->block);
    free(c);
}

const char *bx_codec_wrong(const bx_codec *c)
{
    return c->wrong;
}

bool bx_codec_ran_out(const bx_codec *c)
{
    return c->ran_out;
}

void bx_codec_watch(bx_codec *c, bx_codec_control *control, void *context)
{
    c->control = control;
    c->context = context;
}

static bool refuse_bytes(bx_codec *c, const char *why)
{
    if (!c->wrong)
        c->wrong = why;
    return false;
}

static bool run_out(bx_codec *c)
{
    c->ran_out = true;
    return refuse_bytes(c, "no memory for its blocks");
}

/* part: of c->memory */
static bool take_memory(bx_codec *c, uint64_t *part, uint64_t bytes)
{
    if (bytes > c->allowed)
        return refuse_bytes(c, "more blocks, threads or mappings than a file of its size has");
    c->allowed -= bytes;
    *part += bytes;
    return true;
}

static bool take_kernel(bx_codec *c, uint64_t bytes)
{
    if (bytes > c->allowed_kernel)
        return refuse_bytes(c, "more accesses of the kernel than a file of its size has");
    c->allowed_kernel -= bytes;
    c->memory.kernel += bytes;
    return true;
}

/* ---- counts ---- */

static void add_counts(bx_trace_counts *to, const block *b)
{
    for (uint32_t i = 0; i < b->exits; i++) {
        const block_exit *e = &b->exit[i];
        bx_trace_counts once = {e->instructions, e->loads, e->stores, e->modifications};
        bx_trace_counts_add(to, once, e->executions);
    }
}

bx_codec_counts bx_codec_count(const bx_codec *c)
{
    bx_codec_counts sum = c->counts;
    for (size_t i = 0; i < c->room; i++)
        if (c->block[i])
            add_counts(&sum.made, c->block[i]);
    sum.threads++;
    return sum;
}

/* ---- blocks ---- */

static bool draw_access(bx_codec *c, draft *d, uint64_t entry)
{
    block_exit *now = &d->now;
    bool load = bx_trace_entry_kind(entry) == BX_TRACE_LOAD;
    bool modify = !load && entry & BX_TRACE_MODIFY;
    if (now->words == BX_TRACE_WORDS || (modify && !now->loads))
        return refuse_bytes(c, "a block with accesses that do not fit");
    d->slot[now->words++] = (slot){.load = load};
    now->loads += load;
    now->loads -= modify;
    now->modifications += modify;
    now->stores += !load && !modify;
    return true;
}

static bool draw_entry(bx_codec *c, draft *d, uint64_t entry)
{
    switch (bx_trace_entry_kind(entry)) {
    case BX_TRACE_INSTRUCTION:
        d->now.instructions++;
        return true;
    case BX_TRACE_LOAD:
    case BX_TRACE_STORE:
        return draw_access(c, d, entry);
    case BX_TRACE_STEER:
        if (d->now.words == BX_TRACE_WORDS)
            return refuse_bytes(c, "a block with accesses that do not fit");
        d->slot[d->now.words++] = (slot){0};
        return true;
    case BX_TRACE_EXIT:
        if (d->exits == BX_TRACE_EXITS)
            return refuse_bytes(c, "a block with too many exits");
        d->exit[d->exits++] = d->now;
        return true;
    case BX_TRACE_PORTS:
    case BX_TRACE_DIVIDES:
    case BX_TRACE_PASSES:
        return true;
    default:
        return refuse_bytes(c, "an entry of unknown kind");
    }
}

static bool make_room_for_item(bx_codec *c, uint64_t number)
{
    size_t room = c->room ? c->room : FIRST_BLOCKS;
    while (room <= number)
        room *= 2;
    if (room == c->room)
        return true;
    if (!take_memory(c, &c->memory.held, (room - c->room) * BLOCK_NUMBER))
        return false;
    block **more = calloc(room, sizeof *more); /* the kernel makes no pages of unused numbers */
    if (!more)
        return run_out(c);
    if (c->room)
        memcpy(more, c->block, c->room * sizeof *more);
    free(c->block);
    c->block = more;
    c->room = room;
    return true;
}

static void keep(bx_codec *c, uint64_t number, block *made)
{
    if (c->block[number])
        add_counts(&c->counts.made, c->block[number]);
    free(c->block[number]);
    c->block[number] = made;
    c->next = &c->none; /* the prediction may have been in the replaced block */
}

/* A description takes memory for what it has more than the one that it replaces. */
static bool take_block(bx_codec *c, uint64_t number, size_t entries)
{
    const block *before = c->block[number];
    uint64_t had = before ? before->entries : 0;
    return take_memory(c, &c->memory.held,
                       (before ? 0 : BLOCK_BYTES) +
                           (entries > had ? (entries - had) * ENTRY_BYTES : 0));
}

/* Reads a record of BX_TRACE_BLOCK: the number, then entries. */
static bool describe(bx_codec *c, const uint64_t *words, size_t entries)
{
    draft d;
    d.exits = 0;
    d.now = (block_exit){0};
    if (words[0] >= BX_TRACE_BLOCKS)
        return refuse_bytes(c, "a block number that is too large");
    for (size_t i = 1; i <= entries; i++)
        if (!draw_entry(c, &d, words[i]))
            return false;
    if (!make_room_for_item(c, words[0]) || !take_block(c, words[0], entries))
        return false;
    size_t head = sizeof(block) + d.exits * sizeof(block_exit);
    block *made = malloc(head + d.now.words * sizeof(slot));
    if (!made)
        return run_out(c);
    made->exits = d.exits;
    made->entries = (uint32_t)entries;
    made->slot = (slot *)(void *)((char *)made + head);
    memcpy(made->exit, d.exit, d.exits * sizeof(block_exit));
    memcpy(made->slot, d.slot, d.now.words * sizeof(slot));
    keep(c, words[0], made);
    return true;
}

static block *block_of(const bx_codec *c, uint64_t word)
{
    uint64_t number = word >> BX_TRACE_EXIT_BITS;
    block *b = number < c->room ? c->block[number] : NULL;
    return b && word % BX_TRACE_EXITS < b->exits ? b : NULL;
}

/* ---- control records ---- */

/* The number of words of the control record at *words. 0: it is not complete, or it is SKIP. */
static size_t words_of(const uint64_t *words, size_t n)
{
    int all = bx_trace_record_words(words, n);
    return all > 0 && bx_trace_control_kind(words[0]) != BX_TRACE_SKIP ? (size_t)all : 0;
}

/* Threads of all numbers up to this one: a record may name one that has not started. */
static bool take_threads(bx_codec *c, uint64_t number)
{
    uint64_t more = number < c->threads ? 0 : number + 1 - c->threads;
    if (!take_memory(c, &c->memory.held, more * THREAD_BYTES))
        return false;
    c->threads += more;
    return true;
}

/* Notes what later words depend on, and the memory that a reader needs. */
static bool note(bx_codec *c, const uint64_t *words, size_t n)
{
    bx_codec_memory *m = &c->memory;
    switch (bx_trace_control_kind(words[0])) {
    case BX_TRACE_BLOCK:
        return describe(c, words + 1, n - 2);
    case BX_TRACE_START:
        c->counts.threads++;
        return take_memory(c, &m->kept, THREAD_BYTES) && take_threads(c, (uint32_t)words[0]);
    case BX_TRACE_THREAD:
        return take_threads(c, (uint32_t)words[0]);
    case BX_TRACE_FORK:
        return take_memory(c, &m->kept, FORK_BYTES);
    case BX_TRACE_MAP:
    case BX_TRACE_UNMAP:
    case BX_TRACE_MOVE:
    case BX_TRACE_POLICY:
        return take_memory(c, &m->held, MAPPING_BYTES);
    case BX_TRACE_CALL:
    case BX_TRACE_RELEASE:
        return words[2] == BX_TRACE_NOTHING || take_memory(c, &m->kept, OBJECT_BYTES);
    case BX_TRACE_KERNEL_READ:
    case BX_TRACE_KERNEL_WRITE:
        return take_kernel(c, words[2]);
    case BX_TRACE_PAIR:
        return take_memory(c, &m->kept, 2 * OBJECT_BYTES);
    case BX_TRACE_UNTRACED:
    case BX_TRACE_NOTE:
    case BX_TRACE_NAME:
        return take_memory(c, &m->kept, NAME_BYTES);
    default:
        return true;
    }
}

/* ---- numbers ---- */

static inline uint8_t *put_number(uint8_t *to, uint64_t value)
{
    for (; value >= MORE; value >>= SHIFT)
        *to++ = (uint8_t)(value | MORE);
    *to++ = (uint8_t)value;
    return to;
}

/* Reads a number. NULL: it does not end, or has more than 64 bits. */
static inline const uint8_t *get(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    uint64_t sum = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += SHIFT) {
        uint8_t byte = *at++;
        sum |= (uint64_t)(byte & (MORE - 1)) << shift;
        if (byte < MORE) {
            *value = sum;
            return shift == 63 && byte > 1 ? NULL : at;
        }
    }
    return NULL;
}

/* Makes small numbers of differences of either sign. */
static inline uint64_t fold(uint64_t difference)
{
    return difference << 1 ^ (uint64_t) - (int64_t)(difference >> 63);
}

static inline uint64_t unfold(uint64_t folded)
{
    return folded >> 1 ^ (uint64_t) - (int64_t)(folded & 1);
}

/* ---- executions ---- */

static inline void follow(bx_codec *c, uint64_t word, block_exit *e)
{
    *c->next = word;
    c->next = &e->next;
    e->executions++;
}

static inline bool is_same(const slot *s, const uint64_t *addresses, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (s[i].address != addresses[i])
            return false;
    return true;
}

/* Handles an access that was not made: it does not change the slot, and does not count. */
static inline void leave_out(bx_codec *c, const slot *s)
{
    *(s->load ? &c->counts.made.loads : &c->counts.made.stores) -= 1;
}

static inline void encode_access(bx_codec *c, slot *s, uint64_t address, bx_codec_columns *to)
{
    uint64_t folded = fold(address - s->address);
    if (address == BX_TRACE_NO_ACCESS) {
        *to->near++ = NOT_MADE;
        leave_out(c, s);
        return;
    }
    s->address = address;
    if (folded < NOT_MADE) {
        *to->near++ = (uint8_t)folded;
    } else if (folded < IN_TWO_BYTES) {
        *to->near++ = TWO_BYTES;
        *to->far++ = (uint8_t)(folded - NOT_MADE);
        *to->far++ = (uint8_t)((folded - NOT_MADE) >> 8);
    } else {
        *to->near++ = FAR;
        to->far = put_number(to->far, folded - IN_TWO_BYTES);
    }
}

static inline void encode_execution(bx_codec *c, block *b, const uint64_t *words,
                                    bx_codec_columns *to)
{
    block_exit *e = &b->exit[words[0] % BX_TRACE_EXITS];
    bool foreseen = words[0] == *c->next, same = foreseen && is_same(b->slot, words + 1, e->words);
    to->records = put_number(to->records, same ? SAME : foreseen ? FORESEEN : words[0] + EXECUTION);
    follow(c, words[0], e);
    for (uint32_t i = 0; i < e->words && !same; i++)
        encode_access(c, &b->slot[i], words[i + 1], to);
}

/* ---- encoding ---- */

static size_t encode_control(bx_codec *c, const uint64_t *words, size_t n, bx_codec_columns *to)
{
    size_t all = words_of(words, n);
    if (all == 0 || !note(c, words, all)) {
        refuse_bytes(c, "a record of unknown kind, or without an end");
        return 0;
    }
    if (c->control)
        c->control(c->context, words);
    to->records = put_number(to->records, CONTROL);
    to->records = put_number(to->records, words[0] & ~BX_TRACE_CONTROL);
    for (size_t i = 1; i < all; i++)
        to->records = put_number(to->records, words[i]);
    return all;
}

static inline size_t encode_record(bx_codec *c, const uint64_t *words, size_t n,
                                   bx_codec_columns *to)
{
    if (words[0] & BX_TRACE_CONTROL)
        return encode_control(c, words, n, to);
    block *b = block_of(c, words[0]);
    size_t all = b ? 1 + b->exit[words[0] % BX_TRACE_EXITS].words : 0;
    if (!b || all > n) {
        refuse_bytes(c, b ? "an execution that is not whole" : "a block that was not described");
        return 0;
    }
    encode_execution(c, b, words, to);
    return all;
}

size_t bx_codec_encode(bx_codec *c, const uint64_t *words, size_t n, bx_codec_columns *to)
{
    const uint64_t skip = bx_trace_control_word(BX_TRACE_SKIP, 0);
    size_t i = 0;
    for (size_t all; i < n && words[i] != skip && !c->wrong; i += all)
        all = encode_record(c, words + i, n - i, to);
    return i;
}

/* ---- decoding ---- */

static inline bool take_number(bx_codec *c, bx_codec_input *in, uint64_t *value)
{
    if (in->at < in->end && *in->at < MORE) {
        *value = *in->at++;
        return true;
    }
    const uint8_t *next = get(in->at, in->end, value);
    if (next)
        in->at = next;
    return next || refuse_bytes(c, "a number without an end");
}

static size_t decode_control(bx_codec *c, bx_codec_input *in, uint64_t *to, size_t room)
{
    size_t have = 1, all;
    if (!take_number(c, in, &to[0]))
        return 0;
    to[0] |= BX_TRACE_CONTROL;
    unsigned kind = bx_trace_control_kind(to[0]);
    bool named = bx_trace_has_text(kind);
    if (named && room > 1 && !take_number(c, in, &to[have++]))
        return 0;
    all = named && have < 2 ? 0 : words_of(to, room);
    for (; have < all; have++)
        if (!take_number(c, in, &to[have]))
            return 0;
    if (all == 0 || !note(c, to, all)) {
        refuse_bytes(c, "a record of unknown kind, or without an end");
        return 0;
    }
    if (c->control)
        c->control(c->context, to);
    return all;
}

/* kind: NOT_MADE or more. */
static inline bool decode_longer(bx_codec *c, bx_codec_input *far, uint64_t kind, uint64_t *folded)
{
    if (kind == FAR) {
        bool good = take_number(c, far, folded);
        *folded += IN_TWO_BYTES;
        return good;
    }
    if (far->end - far->at < 2)
        return refuse_bytes(c, "a number without an end");
    *folded = NOT_MADE + (uint64_t)far->at[0] + ((uint64_t)far->at[1] << 8);
    far->at += 2;
    return true;
}

/* The column `near` must not be at its end. */
static inline bool decode_access(bx_codec *c, slot *s, bx_codec_inputs *in, uint64_t *to)
{
    uint64_t folded = *in->near.at++;
    if (folded == NOT_MADE) {
        *to = BX_TRACE_NO_ACCESS;
        leave_out(c, s);
        return true;
    }
    if (folded > NOT_MADE && !decode_longer(c, &in->far, folded, &folded))
        return false;
    *to = s->address += unfold(folded);
    return true;
}

static inline bool decode_accesses(bx_codec *c, block *b, uint32_t n, bx_codec_inputs *in,
                                   uint64_t *to)
{
    if ((size_t)(in->near.end - in->near.at) < n)
        return refuse_bytes(c, "an address is missing");
    for (uint32_t i = 0; i < n; i++)
        if (!decode_access(c, &b->slot[i], in, &to[i]))
            return false;
    return true;
}

static inline size_t decode_record(bx_codec *c, bx_codec_inputs *in, uint64_t *to, size_t room)
{
    uint64_t first;
    if (!take_number(c, &in->records, &first))
        return 0;
    if (first == CONTROL)
        return decode_control(c, &in->records, to, room);
    uint64_t word = first < CONTROL ? *c->next : first - EXECUTION;
    block *b = block_of(c, word);
    block_exit *e = b ? &b->exit[word % BX_TRACE_EXITS] : NULL;
    if (!b || e->words >= room) {
        refuse_bytes(c, b ? "an execution that is not whole" : "a block that was not described");
        return 0;
    }
    to[0] = word;
    follow(c, word, e);
    if (first == SAME)
        for (uint32_t i = 0; i < e->words; i++)
            to[i + 1] = b->slot[i].address;
    else if (!decode_accesses(c, b, e->words, in, to + 1))
        return 0;
    return 1 + e->words;
}

bool bx_codec_decode(bx_codec *c, bx_codec_inputs *in, uint64_t *to, size_t words)
{
    for (size_t i = 0, all; i < words && !c->wrong; i += all)
        all = decode_record(c, in, to + i, words - i);
    return !c->wrong;
}
