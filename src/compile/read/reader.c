/* Reads text into a tree: lines, words, items and clauses. notation.c has the allowed clauses of
 * each item. */
#include "compile/read/notation.h"

#include "base/buf.h"
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

struct reader {
    bx_arena *arena;
    const bx_cat_file *file;
    const char *ending;
    bx_error *e;
    bx_str rest;         /* rest of the line */
    bx_syntax_node *top; /* the item that lines continue; at first the file */
};

enum token_kind { END, WORD, TEXT, BAD };

struct token {
    enum token_kind kind;
    bx_str s;   /* the token; of a text, the part between the quotes */
    bx_str all; /* the token with its quotes */
};

static struct token next_token(struct reader *r)
{
    bx_str rest = r->rest;
    while (rest.n && bx_is_blank(*rest.p))
        rest = bx_str_sub(rest, 1, rest.n);
    struct token t = {.kind = END, .s = bx_str_sub(rest, 0, 0)};
    size_t n = 0;
    if (!rest.n || *rest.p == '#') {
        n = rest.n;
    } else if (*rest.p == '"') {
        ptrdiff_t end = bx_str_find(rest, '"', 1);
        n = end < 0 ? rest.n : (size_t)end + 1;
        t.kind = end < 0 ? BAD : TEXT;
        t.s = bx_str_sub(rest, 1, n < 2 ? 0 : n - 2);
        t.all = bx_str_sub(rest, 0, n);
    } else {
        while (n < rest.n && !bx_is_blank(rest.p[n]))
            n++;
        t.kind = WORD;
        t.s = t.all = bx_str_sub(rest, 0, n);
    }
    r->rest = bx_str_sub(rest, n, rest.n);
    return t;
}

/* The rest of the line without a comment, which begins with `#` after a blank. */
static struct token rest_of_line(struct reader *r)
{
    size_t n = 0;
    while (n < r->rest.n && !(r->rest.p[n] == '#' && (n == 0 || bx_is_blank(r->rest.p[n - 1]))))
        n++;
    bx_str s = bx_str_trim(bx_str_sub(r->rest, 0, n));
    r->rest = bx_str_sub(r->rest, r->rest.n, 0);
    return (struct token){.kind = s.n ? WORD : END, .s = s, .all = s};
}

static int complain_token(struct reader *r, const struct token *t, const char *what)
{
    if (t->kind == BAD) {
        bx_complain(r->e, r->file, t->all, "text", "quote is not closed on its line");
        bx_hint(r->e, "a text ends on the line that it begins on, and has no quotes inside");
        return BX_BAD_INPUT;
    }
    if (t->kind == END)
        return bx_complain(r->e, r->file, t->s, "form", "line ends where %s is wanted", what);
    return bx_complain(r->e, r->file, t->all, "form", "'%.*s' is not %s", BX_QUOTED(t->s), what);
}

/* The manuals' spelling of a hexadecimal number: "81H". */
static bool is_manuals_hex(bx_str s)
{
    size_t n = 0;
    while (n < s.n && (bx_is_digit(s.p[n]) || (s.p[n] >= 'a' && s.p[n] <= 'f') ||
                       (s.p[n] >= 'A' && s.p[n] <= 'F')))
        n++;
    return n > 0 && n + 1 == s.n && (s.p[n] == 'h' || s.p[n] == 'H');
}

/* What a word takes: "'field' takes a name, bits such as 7:0, a word". */
static void hint_at_forms(struct reader *r, bx_str word, const char *forms)
{
    bx_buf all = {0};
    for (const char *f = forms; *f; f++)
        if (*f != '+' && *f != '?')
            bx_buf_f(&all, "%s%s%s", f == forms ? "" : ", ", bx_form_what(*f),
                     f[1] == '+'   ? ", and more of these"
                     : f[1] == '?' ? ", which may be missing"
                                   : "");
    bx_hint(r->e, "'%.*s' takes %s", BX_QUOTED(word), bx_buf_text(&all));
    bx_buf_free(&all);
}

/* `key` is the word that the argument belongs to, and `forms` are all that it takes. */
static bool read_arg(struct reader *r, bx_str key, const char *forms, char form, bx_str *arg)
{
    struct token t = form == 'L' ? rest_of_line(r) : next_token(r);
    if (t.kind == (form == 'T' ? TEXT : WORD) && bx_form_fits(form, t.s)) {
        *arg = t.s;
        return true;
    }
    complain_token(r, &t, bx_form_what(form));
    if (strchr("NRA", form) && t.kind == WORD && is_manuals_hex(t.s))
        bx_hint(r->e, "write 0x%.*s", (int)(t.s.n - 1 < 40 ? t.s.n - 1 : 40), t.s.p);
    else if (t.kind != BAD)
        hint_at_forms(r, key, forms);
    return false;
}

/* The next word of a list such as "title! note* code", with its mark: '!', '*', '-' or ' '. */
static char next_listed(const char **list, bx_str *word)
{
    *list += strspn(*list, " ");
    *word = (bx_str){*list, strcspn(*list, "!*- ")};
    *list += word->n;
    return **list && **list != ' ' ? *(*list)++ : ' ';
}

/* The mark of a word in such a list; 0 if it is not in it. */
static char listed(const char *list, bx_str word)
{
    while (*list) {
        bx_str at;
        char mark = next_listed(&list, &at);
        if (bx_str_eq(word, at))
            return mark;
    }
    return 0;
}

static bool stands_below(const bx_item_kind *kind, const struct reader *r,
                         const bx_syntax_node *parent)
{
    return strcmp(kind->below, parent->kind ? parent->kind->name : r->ending) == 0;
}

static const bx_item_kind *find_item_kind(const struct reader *r, const bx_syntax_node *parent,
                                          bx_str word)
{
    for (size_t i = 0; i < bx_item_kinds_n; i++) {
        const bx_item_kind *kind = &bx_item_kinds[i];
        if (bx_str_eq(word, bx_str_of(kind->name)) && stands_below(kind, r, parent))
            return kind;
    }
    return NULL;
}

static const bx_clause_kind *find_clause_kind(const bx_syntax_node *node, bx_str word)
{
    if (!node->kind || !listed(node->kind->clauses, word))
        return NULL;
    size_t i = 0;
    while (!bx_str_eq(word, bx_str_of(bx_clause_kinds[i].name)))
        i++;
    return &bx_clause_kinds[i];
}

/* Whether another argument of such a form follows. Names continue up to a word of the item. */
static bool another(struct reader *r, const bx_syntax_node *node, char form)
{
    bx_str rest = r->rest;
    struct token t = next_token(r);
    r->rest = rest;
    return t.kind == WORD && bx_form_begins(form, t.s) &&
           !(strchr("MWD", form) && find_clause_kind(node, t.s));
}

/* Reads one argument for each form. An optional argument may be missing; a repeated one continues
 * up to an argument of the next form. */
static bool read_args(struct reader *r, const bx_syntax_node *node, const char *forms, bx_clause *c)
{
    enum { MOST = 64 }; /* repeated arguments of one clause */
    bx_str args[MOST + sizeof(((bx_clause_kind *)NULL)->forms)];
    for (const char *f = forms; *f; f++) {
        if (*f == '+') {
            while (c->n < MOST && another(r, node, f[-1]) && !(f[1] && another(r, node, f[1])))
                if (!read_arg(r, c->key, forms, f[-1], &args[c->n++]))
                    return false;
        } else if (*f != '?' && (f[1] != '?' || another(r, node, *f))) {
            if (!read_arg(r, c->key, forms, *f, &args[c->n++]))
                return false;
        }
    }
    c->args = bx_arena_get(r->arena, (c->n ? c->n : 1) * sizeof *args);
    if (!c->args)
        return false;
    memcpy(c->args, args, c->n * sizeof *args);
    return true;
}

static bool is_item(const char *keyword)
{
    for (size_t i = 0; i < bx_item_kinds_n; i++)
        if (strcmp(bx_item_kinds[i].name, keyword) == 0)
            return true;
    return false;
}

static void hint_at_place(struct reader *r, const bx_item_kind *kind)
{
    if (is_item(kind->below))
        bx_hint(r->e, "indent it further than the '%s' that it belongs to", kind->below);
    else if (*kind->below == '.')
        bx_hint(r->e, "write it into a file whose name ends in %s", kind->below);
    else
        bx_hint(r->e, "write it into the file '%s' of the folder", kind->below);
}

/* Reports a word that is known, but not allowed here. */
static bool complain_misplaced(struct reader *r, bx_str word)
{
    for (size_t i = 0; i < bx_item_kinds_n; i++) {
        const bx_item_kind *kind = &bx_item_kinds[i];
        if (bx_str_eq(word, bx_str_of(kind->name))) {
            bx_complain(r->e, r->file, word, "place", "'%s' stands below '%s', not here",
                        kind->name, kind->below);
            hint_at_place(r, kind);
            return true;
        }
    }
    for (size_t i = 0; i < bx_clause_kinds_n && !r->top->kind; i++)
        if (bx_str_eq(word, bx_str_of(bx_clause_kinds[i].name))) {
            bx_complain(r->e, r->file, word, "place", "'%s' is a clause of an item above it",
                        bx_clause_kinds[i].name);
            bx_hint(r->e, "indent it further than that item");
            return true;
        }
    return false;
}

/* Adds a hint with the words that the item still allows. An unknown word in place of a title may be
 * a title without quotes. */
static void hint_at_words(struct reader *r, const bx_syntax_node *node)
{
    bx_buf all = {0};
    for (const char *list = node->kind->clauses; *list;) {
        bx_str at;
        char mark = next_listed(&list, &at);
        bool given = false;
        for (const bx_clause *c = node->clauses; c && !given; c = c->next)
            given = bx_str_eq(at, bx_str_of(c->word)) && mark != '*';
        if (bx_str_eq(at, BX_STR("title"))) {
            if (!given)
                bx_buf_z(&all, " a title in quotes, or");
        } else if (!given) {
            bx_buf_f(&all, " %.*s", (int)at.n, at.p);
        }
    }
    bx_hint(r->e, "allowed here:%s", bx_buf_text(&all));
    bx_buf_free(&all);
}

/* Reports an unknown word, with the nearest allowed word as the hint. */
static void complain_word(struct reader *r, const bx_syntax_node *node, bx_str word)
{
    if (complain_misplaced(r, word))
        return;
    bx_nearest nearest = bx_nearest_to(word);
    for (size_t i = 0; i < bx_item_kinds_n; i++)
        if (stands_below(&bx_item_kinds[i], r, node))
            bx_nearest_offer(&nearest, bx_item_kinds[i].name);
    for (size_t i = 0; i < bx_clause_kinds_n; i++)
        if (find_clause_kind(node, bx_str_of(bx_clause_kinds[i].name)))
            bx_nearest_offer(&nearest, bx_clause_kinds[i].name);
    bx_complain(r->e, r->file, word, "word", "unknown word '%.*s'", BX_QUOTED(word));
    if (!*nearest.name && node->kind)
        hint_at_words(r, node);
    else
        bx_nearest_hint(r->e, &nearest);
}

static bool add_clause(struct reader *r, bx_syntax_node *node, const bx_clause_kind *word,
                       bx_str key)
{
    bx_clause *c = bx_arena_get(r->arena, sizeof *c);
    if (!c)
        return false;
    char mark = listed(node->kind->clauses, bx_str_of(word->name));
    if (bx_clause_find(node->clauses, word->name) && mark != '*') {
        bx_complain(r->e, r->file, key, "twice", "'%s' is given twice", word->name);
        return false;
    }
    c->word = word->name;
    c->key = key;
    bx_clause **end = &node->clauses;
    while (*end)
        end = &(*end)->next;
    *end = c;
    return read_args(r, node, mark == '-' ? "" : word->forms, c);
}

static bool read_clauses(struct reader *r, bx_syntax_node *node)
{
    for (;;) {
        bx_str before = r->rest;
        struct token t = next_token(r);
        if (t.kind == END)
            return true;
        bool title = t.kind == TEXT; /* a text on its own is the title */
        const bx_clause_kind *word = find_clause_kind(node, title ? BX_STR("title") : t.s);
        if (t.kind == BAD || (title && !word)) {
            complain_token(r, &t, "a word that may stand here");
            return false;
        }
        if (!word) {
            complain_word(r, node, t.s);
            return false;
        }
        if (title)
            r->rest = before;
        if (!add_clause(r, node, word, t.all))
            return false;
    }
}

static bool add_item(struct reader *r, bx_syntax_node *parent, const bx_item_kind *kind, bx_str key,
                     size_t indent)
{
    bx_syntax_node *node = bx_arena_get(r->arena, sizeof *node);
    if (!node)
        return false;
    *node = (bx_syntax_node){.kind = kind, .file = r->file, .parent = parent, .indent = indent};
    node->head.key = key;
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
    r->top = node;
    return read_args(r, node, kind->forms, &node->head) && read_clauses(r, node);
}

static bool read_line(struct reader *r, bx_str line)
{
    r->rest = line;
    struct token t = next_token(r);
    if (t.kind == END)
        return true;
    size_t indent = (size_t)(t.all.p - line.p);
    while (r->top->kind && r->top->indent >= indent)
        r->top = r->top->parent;
    const bx_item_kind *kind = t.kind == WORD ? find_item_kind(r, r->top, t.s) : NULL;
    if (kind)
        return add_item(r, r->top, kind, t.s, indent);
    if (!r->top->kind) {
        if (t.kind == WORD)
            complain_word(r, r->top, t.s);
        else
            complain_token(r, &t, "the keyword of an item");
        return false;
    }
    r->rest = (bx_str){t.all.p, (size_t)(line.p + line.n - t.all.p)};
    return read_clauses(r, r->top);
}

static bool has_clause(const bx_syntax_node *node, bx_str word)
{
    const bx_clause *c = node->clauses;
    while (c && !bx_str_eq(word, bx_str_of(c->word)))
        c = c->next;
    return c != NULL;
}

static void hint_at_missing(struct reader *r, bx_str word)
{
    size_t i = 0;
    while (!bx_str_eq(word, bx_str_of(bx_clause_kinds[i].name)))
        i++;
    if (bx_str_eq(word, BX_STR("title")))
        bx_hint(r->e, "add a text in quotes that says what it is, in your own words");
    else
        bx_hint(r->e, "add `%s` and %s, on its line or indented below", bx_clause_kinds[i].name,
                bx_form_what(*bx_clause_kinds[i].forms));
}

/* Checks that every clause marked `!` is there, in the item and in those below it. */
static bool check_complete(struct reader *r, const bx_syntax_node *node)
{
    for (const char *list = node->kind ? node->kind->clauses : ""; *list;) {
        bx_str word;
        if (next_listed(&list, &word) == '!' && !has_clause(node, word)) {
            bx_complain(r->e, r->file, node->head.key, "missing", "this %s has no %.*s",
                        node->kind->name, BX_QUOTED(word));
            hint_at_missing(r, word);
            return false;
        }
    }
    for (const bx_syntax_node *below = node->first; below; below = below->next)
        if (!check_complete(r, below))
            return false;
    return true;
}

static bool refuse_bytes(struct reader *r, size_t at, size_t n, const char *cause, const char *hint)
{
    bx_complain(r->e, r->file, bx_str_sub(r->file->text, at, n), "text", "%s", cause);
    bx_hint(r->e, "%s", hint);
    return false;
}

/* Refuses control characters, above all NUL in a text, and tabs that indent: editors disagree about
 * their width, so items would belong to different items. */
static bool check_bytes(struct reader *r)
{
    const bx_str text = r->file->text, mark = BX_STR("\xef\xbb\xbf");
    bool indents = true; /* the line up to here is all blanks */
    if (text.n >= mark.n && bx_str_eq(bx_str_sub(text, 0, mark.n), mark))
        return refuse_bytes(r, 0, mark.n, "byte order mark", "save the file as UTF-8 without it");
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        char cause[32];
        snprintf(cause, sizeof cause, "control character 0x%02x", c);
        if (c == '\r')
            return refuse_bytes(r, i, 1, "carriage return",
                                "save the file with the line ends of Unix; sed -i 's/\\r$//' FILE");
        if (c == '\t' && indents)
            return refuse_bytes(r, i, 1, "tab before the first word of a line",
                                "indent with blanks; expand FILE shows how far tabs reach");
        if ((c < ' ' && !strchr("\t\n", c)) || c == 0 || c == 0x7f)
            return refuse_bytes(r, i, 1, cause, "the file is not all text: take this byte out");
        indents = c == '\n' || (indents && c == ' ');
    }
    return true;
}

bx_syntax_node *bx_notation_read(bx_arena *a, const bx_cat_file *file, bx_error *e)
{
    struct reader r = {.arena = a, .file = file, .e = e, .ending = bx_file_ending(file)};
    bx_syntax_node *root = r.top = bx_arena_get(a, sizeof *root);
    if (!root) {
        bx_out_of_memory(e);
        return NULL;
    }
    root->file = file;
    if (!r.ending) {
        bx_complain(e, file, bx_str_sub(file->text, 0, 0), "place",
                    "a file of the catalogue ends in .cpu, .pmu or .metric, or is named passive");
        bx_hint(e, "rename it, or move it out of the folder");
        return NULL;
    }
    bool fine = check_bytes(&r);
    for (bx_str text = file->text; fine && text.p && text.n;)
        fine = read_line(&r, bx_str_cut(&text, '\n'));
    fine = fine && check_complete(&r, root);
    if (a->failed)
        bx_out_of_memory(e);
    return fine ? root : NULL;
}
