/* The text of source lines that have code, so that versions of a program can be compared by it
 * when their files have changed. */
#include "measure/recording.h"

#include "base/grow.h"
#include "base/printable.h"
#include "host/system/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SOURCE_MOST = 16 << 20, TEXT_MOST = 400 };

void bx_recording_note_line(bx_recording_run *r, size_t binary, const char *file, unsigned line)
{
    const bx_recorded_line *last = r->lines ? &r->line[r->lines - 1] : NULL;
    if (last && last->file == file && last->line == line)
        return;
    bx_recorded_line *all = bx_grow(r->line, r->lines, &r->lines_room, sizeof *all, 256);
    if (!all) {
        r->witness.failed = true;
        return;
    }
    r->line = all;
    all[r->lines++] = (bx_recorded_line){file, line, binary};
}

static int compare_places(const void *a, const void *b)
{
    const bx_recorded_line *x = a, *y = b;
    int files = strcmp(x->file, y->file);
    return files ? files : (x->line > y->line) - (x->line < y->line);
}

/* A file that was written after the program was built need not be what the program was made of. */
static bool is_source_of(bx_recording_run *r, const bx_recorded_line *place)
{
    struct stat source, program;
    const char *path = r->witness.binary[place->binary].path;
    if (*place->file != '/' || stat(place->file, &source) != 0 || !S_ISREG(source.st_mode) ||
        !path || stat(path, &program) != 0)
        return false;
    const struct timespec *a = &source.st_mtim, *b = &program.st_mtim;
    if (a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec <= b->tv_nsec))
        return true;
    bx_buf_f(&r->code_names.refused, "%s%s: it is newer than %s",
             r->code_names.refused.n ? "\n" : "", place->file, path);
    return false;
}

static void put_line_text(bx_recording_run *r, const bx_recorded_line *place, bx_str text)
{
    char copy[TEXT_MOST + 1];
    text = bx_str_trim(text);
    text = bx_str_sub(text, 0, TEXT_MOST);
    if (text.n)
        memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    bx_printable(copy, text.n);
    const bx_cell row[] = {bx_cell_text(place->file), bx_cell_number(place->line),
                           bx_cell_text(copy)};
    bx_recording_put(r->file, BX_TABLE_SOURCE, ++r->texts, row);
}

/* Writes the lines `place` [n], which are of one file and in order. */
static void write_lines(bx_recording_run *r, const bx_recorded_line *place, size_t n)
{
    bx_buf file = bx_file_read_all("", place->file, SOURCE_MOST);
    bx_str rest = {bx_buf_text(&file), file.n};
    r->witness.failed |= file.failed;
    if (file.failed || file.n > SOURCE_MOST)
        rest = (bx_str){0};
    size_t next = 0;
    for (unsigned number = 1; rest.p && next < n; number++) {
        bx_str line = bx_str_cut(&rest, '\n');
        bool wanted = place[next].line == number;
        if (wanted)
            put_line_text(r, &place[next], line);
        while (next < n && place[next].line <= number)
            next++;
    }
    bx_buf_free(&file);
}

void bx_recording_write_source(bx_recording_run *r)
{
    if (r->lines)
        qsort(r->line, r->lines, sizeof *r->line, compare_places);
    for (size_t i = 0, end; i < r->lines; i = end) {
        for (end = i + 1; end < r->lines && strcmp(r->line[end].file, r->line[i].file) == 0; end++)
            ;
        if (is_source_of(r, &r->line[i]))
            write_lines(r, &r->line[i], end - i);
    }
    r->witness.failed |= r->code_names.refused.failed;
}
