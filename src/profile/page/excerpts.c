/* Source lines around those that the tables show. */
#include "base/printable.h"
#include "profile/page/page.h"

#include <stdlib.h>
#include <string.h>

enum {
    AROUND_A_LINE = 6,
    PLACES_MOST = 160,
    FILES_MOST = 40,
    LINES_MOST = 60, /* of an excerpt, and a few more */
    LINE_BYTES_MOST = 200,
    EXCERPTS_BYTES_MOST = 250000, /* of both forms together */
};

typedef struct source_place {
    bx_str file;
    uint64_t line;
} source_place;

typedef struct source_places {
    source_place at[PLACES_MOST];
    size_t n;
} source_places;

/* ---- which files ---- */

/* Paths are the recording's, which may be anybody's, and a page is made to be sent to others: only
 * what is named as a source file is read, and nothing hidden. */
static bool is_source_name(bx_str path)
{
    static const char *const ends[] = {
        "c",   "h",  "cc",    "cpp",  "cxx", "hh",  "hpp", "hxx", "inc", "inl", "ipp", "tcc", "s",
        "asm", "rs", "go",    "f",    "f90", "f95", "for", "d",   "zig", "nim", "adb", "ads", "pas",
        "ml",  "hs", "swift", "java", "kt",  "cs",  "m",   "mm",  "cu",  "y",   "l"};
    const char *slash = memrchr(path.p, '/', path.n);
    const char *name = slash ? slash + 1 : path.p;
    bx_str end = {path.p, path.n};
    for (size_t i = 0; i + 1 < path.n; i++)
        if ((i == 0 || path.p[i - 1] == '/') && path.p[i] == '.' && path.p[i + 1] != '/' &&
            path.p[i + 1] != '.')
            return false;
    const char *dot = memrchr(name, '.', (size_t)(path.p + path.n - name));
    if (!dot) /* a header of C++ */
        return path.n > 17 && strncmp(path.p, "/usr/include/c++/", 17) == 0;
    end = (bx_str){dot + 1, (size_t)(path.p + path.n - dot - 1)};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (bx_str_eq_fold(end, bx_str_of(ends[i])))
            return true;
    return false;
}

static void note_place(source_places *to, const char *place)
{
    const char *colon = place ? strrchr(place, ':') : NULL;
    source_place is;
    if (!colon || to->n == PLACES_MOST || !bx_str_u64(bx_str_of(colon + 1), &is.line) || !is.line)
        return;
    is.file = (bx_str){place, (size_t)(colon - place)};
    if (is_source_name(is.file))
        to->at[to->n++] = is;
}

static int compare_source_places(const void *a, const void *b)
{
    const source_place *x = a, *y = b;
    size_t n = x->file.n < y->file.n ? x->file.n : y->file.n;
    int order = memcmp(x->file.p, y->file.p, n);
    if (order || x->file.n != y->file.n)
        return order ? order : x->file.n < y->file.n ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* ---- their text ---- */

static void add_source_line(bx_str line, bx_buf *to)
{
    bool cut = line.n > LINE_BYTES_MOST;
    for (bx_str rest = bx_str_sub(line, 0, LINE_BYTES_MOST); rest.n;) {
        if (*rest.p == '\t' || *rest.p == '\r') {
            bx_buf_z(to, *rest.p == '\t' ? "    " : "");
            rest = bx_str_sub(rest, 1, rest.n);
        } else {
            bx_buf_str(to, bx_next_printable(&rest));
        }
    }
    bx_buf_z(to, cut ? "\xe2\x80\xa6\n" : "\n");
}

/* The lines of a file from `from` to `to_line`. */
static bool cut_excerpt(bx_str text, uint64_t from, uint64_t to_line, bx_buf *to)
{
    uint64_t number = 0;
    for (bx_str rest = text; rest.p && rest.n && number < to_line;) {
        bx_str line = bx_str_cut(&rest, '\n');
        if (++number >= from)
            add_source_line(line, to);
    }
    return to->n > 0;
}

static void add_excerpt(bx_str file, uint64_t from, bx_str text, bx_buf *html, bx_buf *json)
{
    bx_buf name = {.whole = &html->failed};
    bx_buf_str(&name, file);
    bx_buf_z(html, "<details><summary>");
    bx_html_text(html, bx_buf_text(&name));
    bx_buf_f(html, ", from line %llu</summary><pre>", (unsigned long long)from);
    uint64_t number = from;
    for (bx_str rest = text; rest.p && rest.n; number++) {
        bx_buf_f(html, "%5llu  ", (unsigned long long)number);
        bx_xml_text(html, bx_str_cut(&rest, '\n'));
        bx_buf_z(html, "\n");
    }
    bx_buf_z(html, "</pre></details>\n");
    bx_buf_z(json, json->p && json->p[json->n - 1] == ']' ? ",\n[" : "[");
    bx_html_string(json, bx_buf_text(&name));
    bx_buf_f(json, ",%llu,", (unsigned long long)from);
    bx_html_json(json, text);
    bx_buf_z(json, "]");
    bx_buf_free(&name);
}

static uint64_t first_around(uint64_t line)
{
    return line > AROUND_A_LINE ? line - AROUND_A_LINE : 1;
}

/* The excerpts of one file: places [from, end). */
static void add_file(const source_places *places, size_t from, size_t end, bx_str text, size_t most,
                     bx_buf *html, bx_buf *json)
{
    while (from < end && html->n + json->n < most) {
        uint64_t first = first_around(places->at[from].line), last = 0;
        for (; from < end && (!last || (first_around(places->at[from].line) <= last + 1 &&
                                        places->at[from].line < first + LINES_MOST));
             from++)
            last = places->at[from].line + AROUND_A_LINE;
        bx_buf excerpt = {.whole = &html->failed};
        if (cut_excerpt(text, first, last, &excerpt))
            add_excerpt(places->at[from - 1].file, first, (bx_str){excerpt.p, excerpt.n}, html,
                        json);
        bx_buf_free(&excerpt);
    }
}

static void note_table(const bx_profile_table *lines, const bx_profile_table *shared,
                       source_places *to)
{
    for (uint32_t i = 0; i < lines->rows && i < PLACES_MOST / 2; i++)
        if (lines->row[i].key[1].kind == BX_CELL_TEXT)
            note_place(to, lines->row[i].key[1].text);
    for (uint32_t i = 0; i < shared->sides; i++)
        note_place(to, shared->side[i].line);
}

void bx_html_excerpts(const bx_html *page, const bx_profile_table *lines,
                      const bx_profile_table *shared, const bx_html_sources *sources, bx_buf *html,
                      bx_buf *json)
{
    source_places places = {.n = 0};
    size_t most = html->n + json->n + EXCERPTS_BYTES_MOST, files = 0;
    (void)page;
    note_table(lines, shared, &places);
    if (places.n)
        qsort(places.at, places.n, sizeof *places.at, compare_source_places);
    bx_buf_z(json, "\"sources\":[");
    for (size_t from = 0, end; from < places.n && files < FILES_MOST; from = end) {
        bx_buf path = {.whole = &html->failed}, text = {.whole = &html->failed};
        for (end = from; end < places.n && bx_str_eq(places.at[end].file, places.at[from].file);)
            end++;
        bx_buf_str(&path, places.at[from].file);
        /* those of the C library, which are on few machines, leave room for the program's */
        if (sources->read && sources->read(sources->context, bx_buf_text(&path), &text)) {
            add_file(&places, from, end, (bx_str){bx_buf_text(&text), text.n}, most, html, json);
            files++;
        }
        bx_buf_free(&path);
        bx_buf_free(&text);
    }
    bx_buf_z(json, "],\n");
}
