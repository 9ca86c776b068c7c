/* docs/reference/libpfm-differences.md against our reader and libpfm4's. Each row shows the answers
 * of both, and every string of a broad space with different answers belongs to a row. */
#include "event_case.h"

#include "event/foreign/libpfm.h"

#include <stdlib.h>

enum { LINE = 1024, ROWS = 32 };

/* ---- the two answers, as words ---- */

typedef struct words {
    bool refused;
    int code; /* libpfm4's error number */
    uint64_t word[BX_PFM_WORDS];
    uint64_t always; /* bits that are not compared: enables, and libpfm4's INT */
    char message[256];
} words;

static words libpfm(const char *text)
{
    bx_pfm_code code;
    words w = {0};
    w.code = bx_pfm_encode(built_in(), -1, bx_str_of(text), 9, &code, NULL);
    w.refused = w.code != BX_PFM_SUCCESS;
    if (w.refused)
        return w;
    memcpy(w.word, code.word, sizeof w.word);
    if (bx_cat_pmus(built_in())[code.pmu].scope == BX_SCOPE_CPU)
        w.always = 0x500000; /* EN and INT */
    return w;
}

/* Our answer: control without its enable, filter 0, filter 1. */
static words own(const char *text)
{
    bx_error e = {0};
    bx_evsel event;
    words w = {.refused = bx_event_parse(built_in(), -1, text, strlen(text), &event, &e) != BX_OK};
    snprintf(w.message, sizeof w.message, "%s", e.message);
    if (w.refused)
        return w;
    w.word[0] = event.control & ~UINT64_C(0x400000);
    for (unsigned i = 0; i < event.extras; i++) {
        const char *reg = bx_cat_z(built_in(), bx_cat_regs(built_in())[event.extra[i].reg].name);
        w.word[strstr(reg, "FILTER0") ? 1 : 2] = event.extra[i].value;
    }
    return w;
}

static bool equal(const words *a, const words *b)
{
    return a->refused == b->refused &&
           (a->refused || ((a->word[0] & ~a->always) == (b->word[0] & ~b->always) &&
                           a->word[1] == b->word[1] && a->word[2] == b->word[2]));
}

/* Formats an answer as in a table, with as many words as the table shows. */
static void show(const words *w, const char *should, char *to, size_t room)
{
    size_t n = 0;
    unsigned shown = 1;
    for (const char *p = should; (p = strchr(p, ' ')) != NULL; p++)
        shown++;
    if (w->refused) {
        snprintf(to, room, "refused");
        return;
    }
    while (shown < BX_PFM_WORDS && w->word[shown])
        shown++;
    for (unsigned i = 0; i < shown && i < BX_PFM_WORDS; i++)
        n += (size_t)snprintf(to + n, room - n, "%s0x%llx", i ? " " : "",
                              (unsigned long long)w->word[i]);
}

/* ---- which row a difference belongs to ---- */

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

static bool is_named(const char *text)
{
    return has(text, "::") && strncmp(text, "::", 2) != 0;
}

static const char *row_of_refusal(const char *message)
{
    if (has(message, "'e' needs 't'"))
        return "edge";
    if (has(message, "out of range 0..7"))
        return "core";
    if (has(message, "OPC_") && has(message, "needs a unit mask that it goes with"))
        return "opcode";
    if (has(message, "needs a unit mask that it goes with"))
        return "match";
    if (has(message, "has no unit mask or modifier '0"))
        return "raw";
    if (has(message, "is not a number"))
        return has(message, "'+") || has(message, "'-") || has(message, "'?") ? "number" : "letter";
    if (has(message, "has two values"))
        return "again";
    return NULL;
}

static const char *row_of_acceptance(const char *text, int code)
{
    static const char *const ours[] = {"umask=", "counter=", "code=", "opc=", "state=", "other="};
    if (has(text, "/") || (!is_named(text) && has(text, "BOX0C")))
        return "tool";
    if (code == BX_PFM_INVAL)
        return "blank";
    for (unsigned i = 0; i < sizeof ours / sizeof *ours; i++)
        if (has(text, ours[i]))
            return "word";
    if (!is_named(text))
        return "unnamed";
    if (code == BX_PFM_FEATCOMB)
        return "thrice";
    /* Whether the unit is in libpfm4's spelling depends on the PMU alone. */
    char pmu[LINE];
    snprintf(pmu, sizeof pmu, "%.*s::%s", (int)(strstr(text, "::") - text), text,
             text[0] == 'i' ? "UNC_C_CLOCKTICKS" : "CPU_CLK_UNHALTED");
    if (libpfm(pmu).refused)
        return "unit";
    return "name";
}

static const char *row_of(const char *text, const words *theirs, const words *ours)
{
    if (ours->refused)
        return row_of_refusal(ours->message);
    if (theirs->refused)
        return row_of_acceptance(text, theirs->code);
    return has(text, "MMX_UOPS_EXEC") || has(text, "mmx_uops_exec") ? "uops" : NULL;
}

/* ---- the document ---- */

typedef struct row {
    char name[24], string[128], libpfm[64], own[64];
    unsigned found; /* differences that belong to it */
} row;

typedef struct document {
    row row[ROWS];
    unsigned n;
} document;

/* The text of a table's cell, without the backquotes around it. */
static bool cell(const char **at, char *to, size_t room)
{
    const char *end = strchr(*at, '|');
    if (!end)
        return false;
    const char *from = *at, *to_end = end;
    while (from < to_end && *from == ' ')
        from++;
    while (to_end > from && to_end[-1] == ' ')
        to_end--;
    if (to_end > from + 1 && *from == '`' && to_end[-1] == '`') {
        from++;
        to_end--;
    }
    assert_true((size_t)(to_end - from) < room);
    memcpy(to, from, (size_t)(to_end - from));
    to[to_end - from] = '\0';
    *at = end + 1;
    return true;
}

static document read_document(void)
{
    static document d;
    char path[LINE], line[LINE];
    memset(&d, 0, sizeof d);
    snprintf(path, sizeof path, "%s/docs/reference/libpfm-differences.md", getenv("SOURCE_ROOT"));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, "| `", 3) != 0)
            continue;
        assert_true(d.n < ROWS);
        row *r = &d.row[d.n++];
        const char *at = line + 1;
        assert_true(cell(&at, r->name, sizeof r->name) && cell(&at, r->string, sizeof r->string) &&
                    cell(&at, r->libpfm, sizeof r->libpfm) && cell(&at, r->own, sizeof r->own));
    }
    fclose(f);
    return d;
}

static void rows_are_true(void **state)
{
    (void)state;
    document d = read_document();
    assert_int_equal(d.n, 16);
    for (unsigned i = 0; i < d.n; i++) {
        words theirs = libpfm(d.row[i].string), ours = own(d.row[i].string);
        char is[LINE];
        show(&theirs, d.row[i].libpfm, is, sizeof is);
        if (strcmp(is, d.row[i].libpfm) != 0)
            fail_msg("'%s': libpfm4 has %s, not %s", d.row[i].string, is, d.row[i].libpfm);
        show(&ours, d.row[i].own, is, sizeof is);
        if (strcmp(is, d.row[i].own) != 0)
            fail_msg("'%s': boxscore has %s, not %s", d.row[i].string, is, d.row[i].own);
        const char *name = row_of(d.row[i].string, &theirs, &ours);
        assert_false(equal(&theirs, &ours));
        assert_non_null(name);
        assert_string_equal(name, d.row[i].name);
    }
}

/* ---- a space of strings ---- */

static void try_one(document *d, const char *text)
{
    words theirs = libpfm(text), ours = own(text);
    if (equal(&theirs, &ours))
        return;
    const char *name = row_of(text, &theirs, &ours);
    for (unsigned i = 0; name && i < d->n; i++)
        if (strcmp(d->row[i].name, name) == 0) {
            d->row[i].found++;
            return;
        }
    fail_msg("'%s': libpfm4 %d 0x%llx, boxscore 0x%llx %s, in no row", text, theirs.code,
             (unsigned long long)theirs.word[0], (unsigned long long)ours.word[0], ours.message);
}

static const char *const settings[] = {
    "",         ":e",       ":e=1:t=1",     ":t=0",     ":t=255",   ":t=256",
    ":t=+3",    ":t=0x10",  ":t=010",       ":t=08",    ":t=",      ":t",
    ":tf=0",    ":tf=1",    ":tf=2",        ":cf=0",    ":cf=7",    ":cf=8",
    ":cf=15",   ":cf=16",   ":nf=1",        ":nf=255",  ":nf=256",  ":nf=0",
    ":nc",      ":nc=0",    ":isoc=1",      ":isoc=f",  ":e=t",     ":u",
    ":k",       ":u=0",     ":u:k",         ":e=1",     ":i",       ":i=1",
    ":c=1",     ":c=255",   ":c=256",       ":c=0:e=1", ":0x1",     ":0x",
    ":0x100",   ":t=1:t=1", ":t=1:t=2",     ":e:e:e",   ":umask=1", ":counter=0",
    ":nf=1:nc", ":bogus",   ":bogus=1",     ":tid_en",  ":opc=1",   ":state=1",
    ":other=1", ":code=1",  ":t=1:t=1:t=2", ":e=1=1",   ":",        "::t=1",
    ":=",       ":u=1:u=0", ":k=y",         ":c=-1",
};

static void try_event(document *d, const bx_cat_pmu *pmu, const bx_cat_event *event,
                      bx_cat_text name)
{
    char text[LINE];
    const char *number = pmu->unit_max > 1 ? "3" : "";
    size_t n = (size_t)snprintf(text, sizeof text, "%s%s::%s", bx_cat_z(built_in(), pmu->name),
                                number, bx_cat_z(built_in(), name));
    const bx_cat_umask *all = &bx_cat_umasks(built_in())[event->umasks.first];
    for (unsigned s = 0; s < sizeof settings / sizeof *settings; s++) {
        snprintf(text + n, sizeof text - n, "%s", settings[s]);
        try_one(d, text);
        for (unsigned u = 0; u < event->umasks.n; u++) {
            const char *umask = bx_cat_z(built_in(), all[u].name);
            snprintf(text + n, sizeof text - n, ":%s%s", umask, settings[s]);
            try_one(d, text);
            snprintf(text + n, sizeof text - n, ":%s:%s%s", umask, umask, settings[s]);
            try_one(d, text);
            for (unsigned v = 0; s < 21 && v < event->umasks.n; v++) {
                snprintf(text + n, sizeof text - n, ":%s:%s%s", umask,
                         bx_cat_z(built_in(), all[v].name), settings[s]);
                try_one(d, text);
            }
        }
    }
}

static void try_pmu(document *d, const char *name)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(built_in())[bx_cat_find_pmu(built_in(), bx_str_of(name))];
    for (unsigned i = 0; i < pmu->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(built_in())[pmu->events.first + i];
        try_event(d, pmu, event, event->name);
        for (unsigned a = 0; a < event->aliases.n; a++)
            try_event(d, pmu, event, bx_cat_aliases(built_in())[event->aliases.first + a].name);
    }
}

static void try_stored(document *d)
{
    char path[LINE], line[LINE];
    snprintf(path, sizeof path, "%s/tests/event/libpfm.txt", getenv("SOURCE_ROOT"));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "|\n")] = '\0';
        if (*line != '#' && strncmp(line, "skl_", 4) != 0)
            try_one(d, line);
    }
    fclose(f);
}

static void rows_are_all(void **state)
{
    (void)state;
    static const char *const pmus[] = {"ivbep_unc_cbo", "ppro", "pii", "p6", "pm"};
    static const char *const more[] = {
        "ivbep_unc_cbo::UNC_C_CLOCKTICKS",
        "ivbep_unc_cbo03::UNC_C_CLOCKTICKS",
        "ivbep_unc_cbo3@1::UNC_C_CLOCKTICKS",
        "p60::CPU_CLK_UNHALTED",
        "ivbep_unc_cbo15::UNC_C_CLOCKTICKS",
        "piii::CPU_CLK_UNHALTED",
        "UNC_C_CLOCKTICKS",
        "UNC_C_MISC.STARTED",
        " ivbep_unc_cbo0::UNC_C_CLOCKTICKS",
        "ivbep_unc_cbo0::UNC_C_CLOCKTICKS\n",
        "uncore_cbox_0/event=0x39,umask=0x4/",
        "LLC_LOOKUP_ANY:CBOX0C0",
        "ivbep_unc_cbo0::RAW:code=0x39:umask=0x4",
        "p6::RAW:code=0x79",
    };
    document d = read_document();
    for (unsigned i = 0; i < sizeof pmus / sizeof *pmus; i++)
        try_pmu(&d, pmus[i]);
    try_stored(&d);
    for (unsigned i = 0; i < sizeof more / sizeof *more; i++)
        try_one(&d, more[i]);
    for (unsigned i = 0; i < d.n; i++)
        if (!d.row[i].found)
            fail_msg("row '%s': no string of the space shows it", d.row[i].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_true),
        cmocka_unit_test(rows_are_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
