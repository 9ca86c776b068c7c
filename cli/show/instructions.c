#include "cli/show/instructions.h"

#include "base/error.h"
#include "base/printable.h"
#include "symbols/disassembler.h"
#include "symbols/elf_file.h"

#include <stdlib.h>
#include <string.h>

enum {
    ADDRESS, /* columns of the table */
    BINARY,
    BUILD_ID,
    LINE,
    BEFORE = 3,  /* instructions that are shown around those with counts */
    APART = 256, /* bytes between two parts of code without a symbol */
    LONGEST = 15,
};

typedef struct listing {
    const bx_profile_table *t;
    bx_disassembler *with;
    const bx_profile_row **row; /* [n], by binary and address */
    size_t n;
    bx_buf *to;
} listing;

static const char *text_at(const bx_profile_row *row, unsigned column)
{
    return row->key[column].kind == BX_CELL_TEXT ? row->key[column].text : "";
}

static uint64_t address_at(const bx_profile_row *row)
{
    return (uint64_t)row->key[ADDRESS].number;
}

static bool same_binary(const bx_profile_row *a, const bx_profile_row *b)
{
    return strcmp(text_at(a, BINARY), text_at(b, BINARY)) == 0 &&
           strcmp(text_at(a, BUILD_ID), text_at(b, BUILD_ID)) == 0;
}

static int compare_instructions(const void *a, const void *b)
{
    const bx_profile_row *x = *(const bx_profile_row *const *)a;
    const bx_profile_row *y = *(const bx_profile_row *const *)b;
    int order = strcmp(text_at(x, BINARY), text_at(y, BINARY));
    if (!order)
        order = strcmp(text_at(x, BUILD_ID), text_at(y, BUILD_ID));
    return order ? order : (address_at(x) > address_at(y)) - (address_at(x) < address_at(y));
}

/* row NULL: without counts; text NULL: not known. */
static void add_instruction(const listing *l, const bx_profile_row *row, uint64_t address,
                            const char *text)
{
    const char *line = row ? text_at(row, LINE) : "", *slash = strrchr(line, '/');
    bx_profile_counted(l->t, row, l->to);
    bx_buf_f(l->to, " %8llx  ", (unsigned long long)address);
    bx_buf_name(l->to, text ? text : "(no text)");
    if (*line) {
        bx_buf_z(l->to, "  # ");
        bx_buf_name(l->to, slash ? slash + 1 : line);
    }
    bx_buf_z(l->to, "\n");
}

/* ---- a part of the code ---- */

typedef struct code_part {
    uint64_t begin, end;
    size_t from, to; /* its rows */
} code_part;

/* That of a symbol, or code whose rows are near each other. */
static code_part part_at(const listing *l, const bx_elf_file *elf, size_t from)
{
    code_part part = {.from = from, .to = from + 1};
    uint64_t first = address_at(l->row[from]);
    bool named = bx_elf_function_range(elf, first, &part.begin, &part.end);
    if (!named)
        part.begin = first;
    for (; part.to < l->n && same_binary(l->row[from], l->row[part.to]); part.to++) {
        uint64_t next = address_at(l->row[part.to]);
        if (named ? next >= part.end : next - address_at(l->row[part.to - 1]) > APART)
            break;
    }
    if (!named)
        part.end = address_at(l->row[part.to - 1]) + LONGEST;
    return part;
}

typedef struct shown_text {
    uint64_t address;
    char text[BX_INSTRUCTION_TEXT];
} shown_text;

/* Rows, and some instructions around each. A row in the middle of an instruction has no text. */
static void add_part(const listing *l, const code_part *part, const unsigned char *code,
                     uint64_t bytes)
{
    shown_text last[BEFORE];
    size_t at = part->from, kept = 0;
    unsigned after = 0;
    bool begun = false;
    for (uint64_t done = 0, n; done < bytes && (at < part->to || after); done += n) {
        uint64_t address = part->begin + done;
        shown_text now = {.address = address};
        n = bx_disassembler_text(l->with, code + done, bytes - done, address, now.text);
        if (!n) {
            n = 1;
            strcpy(now.text, "(bad)");
        }
        for (; at < part->to && address_at(l->row[at]) < address; at++)
            add_instruction(l, l->row[at], address_at(l->row[at]), NULL);
        bool counted = at < part->to && address_at(l->row[at]) == address;
        if (!counted && !after) {
            last[kept++ % BEFORE] = now;
            continue;
        }
        bx_buf_z(l->to, counted && begun && kept > BEFORE ? "...\n" : "");
        for (size_t i = kept > BEFORE ? kept - BEFORE : 0; counted && i < kept; i++)
            add_instruction(l, NULL, last[i % BEFORE].address, last[i % BEFORE].text);
        add_instruction(l, counted ? l->row[at] : NULL, address, now.text);
        after = counted ? BEFORE : after - 1;
        at += counted;
        kept = 0;
        begun = true;
    }
    for (; at < part->to; at++)
        add_instruction(l, l->row[at], address_at(l->row[at]), NULL);
}

/* ---- a binary ---- */

static void add_heading(const listing *l, const bx_profile_row *row)
{
    const char *path = text_at(row, BINARY);
    bx_buf_z(l->to, l->to->n ? "\n" : "");
    bx_profile_counted_heading(l->t, bx_str_of(*path ? path : "(no binary)"), l->to);
}

/* Rows from `from` on, of one binary. Returns the first one of the next. */
static size_t add_binary(const listing *l, size_t from)
{
    const bx_profile_row *first = l->row[from];
    const char *why = "it is no code of a binary";
    bx_elf_file *elf = *text_at(first, BINARY)
                           ? bx_elf_open(text_at(first, BINARY), text_at(first, BUILD_ID), &why)
                           : NULL;
    size_t at = from;
    add_heading(l, first);
    if (!elf)
        bx_buf_f(l->to, "# instructions are without their text: %s\n", why);
    while (at < l->n && same_binary(first, l->row[at])) {
        code_part part = {.from = at, .to = at + 1};
        uint64_t bytes = 0;
        unsigned char *code = NULL;
        if (elf) {
            part = part_at(l, elf, at);
            code =
                bx_elf_code(elf, text_at(first, BINARY), part.begin, part.end - part.begin, &bytes);
        }
        bx_buf_z(l->to, elf && at > from ? "...\n" : "");
        add_part(l, &part, code, code ? bytes : 0);
        free(code);
        at = part.to;
    }
    bx_elf_close(elf);
    return at;
}

int bx_show_instructions(const bx_profile_table *t, bx_buf *to, bx_error *e)
{
    listing l = {.t = t, .n = t->rows, .to = to};
    int code = bx_disassembler_open(&l.with, e);
    if (code)
        return code;
    l.row = malloc((l.n + 1) * sizeof(const bx_profile_row *));
    for (size_t i = 0; l.row && i < l.n; i++)
        l.row[i] = &t->row[i];
    if (l.row && l.n)
        qsort(l.row, l.n, sizeof(const bx_profile_row *), compare_instructions);
    for (size_t at = 0; l.row && at < l.n;)
        at = add_binary(&l, at);
    code = l.row ? BX_OK : bx_out_of_memory(e);
    free(l.row);
    bx_disassembler_close(l.with);
    return code;
}
