/* Journals: a journal that is accepted is written and read again as the same journal. Each input is
 * tried as it is, and with a correct last line, because the checksum would refuse all others. */
#include "catalog/catalog.h"
#include "fuzz/fuzz.h"
#include "guard/journal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool same_op(const bx_journal_op *a, const bx_journal_op *b)
{
    return a->at.space == b->at.space && a->at.width == b->at.width && a->at.cpu == b->at.cpu &&
           a->at.offset == b->at.offset && a->package == b->package && a->core == b->core &&
           a->value == b->value && a->check == b->check && a->verb == b->verb &&
           strcmp(a->name, b->name) == 0;
}

static void check_journal(const bx_journal *j)
{
    bx_arena arena = {0};
    bx_buf text = {0};
    bx_journal again;
    bx_journal_format(j, &text);
    FUZZ_MUST(bx_journal_parse((bx_str){text.p, text.n}, &arena, &again, NULL) == BX_OK);
    FUZZ_MUST(strcmp(j->machine, again.machine) == 0 && strcmp(j->boot, again.boot) == 0);
    FUZZ_MUST(strcmp(j->cpu, again.cpu) == 0 && strcmp(j->counts, again.counts) == 0);
    FUZZ_MUST(j->owner.pid == again.owner.pid && j->owner.start_time == again.owner.start_time);
    FUZZ_MUST(j->n == again.n);
    for (size_t i = 0; i < j->n; i++) {
        FUZZ_MUST(same_op(&j->ops[i], &again.ops[i]));
        FUZZ_MUST(j->ops[i].verb < BX_JOURNAL_VERBS && j->ops[i].at.space <= BX_SPACE_MMIO);
        FUZZ_MUST(j->ops[i].at.width == 32 || j->ops[i].at.width == 64);
    }
    bx_buf_free(&text);
    bx_arena_free(&arena);
}

static void parse(bx_str text)
{
    bx_arena arena = {0};
    bx_journal j;
    bx_error e = {0};
    int code = bx_journal_parse(bx_journal_in_force(text), &arena, &j, &e);
    fuzz_check_error(&e, code, 0);
    if (!code)
        check_journal(&j);
    bx_arena_free(&arena);
}

/* The lines before "end", and a correct last line with their number and checksum. */
static void complete(bx_str text)
{
    bx_buf whole = {0};
    uint64_t lines = 0;
    for (bx_str rest = text; rest.p && rest.n; lines++) {
        bx_str line = bx_str_cut(&rest, '\n');
        if (line.n >= 4 && memcmp(line.p, "end ", 4) == 0)
            break;
        bx_buf_str(&whole, line);
        bx_buf_z(&whole, "\n");
    }
    uint64_t sum = bx_journal_sum(whole.p ? whole.p : "", whole.n);
    bx_buf_f(&whole, "end %" PRIu64 " 0x%016" PRIx64 "\n", lines < 6 ? 0 : lines - 6, sum);
    parse((bx_str){whole.p, whole.n});
    bx_buf_free(&whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_exact(data, size);
    parse((bx_str){text, size});
    complete((bx_str){text, size});
    free(text);
    return 0;
}
