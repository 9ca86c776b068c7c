/* Catalogues in the notation. An input is several files one after the other; each begins with a
 * line "%file NAME". In a catalogue that is accepted, each event has a string from which the same
 * event is read again. */
#include "catalog/catalog.h"
#include "compile/compile.h"
#include "event/event.h"
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 32, TEXT = 1024 };

static size_t split(bx_str text, bx_cat_file *files)
{
    static const char mark[] = "%file ";
    size_t n = 0;
    while (text.p && n < FILES) {
        bx_str before = text, line = bx_str_cut(&text, '\n');
        if (bx_str_starts_fold(line, bx_str_of(mark))) {
            const char *start = text.p ? text.p : line.p + line.n;
            files[n++] = (bx_cat_file){bx_str_sub(line, sizeof mark - 1, line.n), {start, 0}};
        } else if (n) {
            files[n - 1].text.n += before.n - text.n;
        }
    }
    return n;
}

static void check_event(const bx_catalog *c, const bx_cat_event *event)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    char text[TEXT], string[TEXT], again[TEXT];
    bx_evsel first, second;
    bx_error e = {0};
    int n = snprintf(text, sizeof text, "%s::%s", bx_cat_z(c, pmu->name), bx_cat_z(c, event->name));
    if (n >= TEXT)
        return;
    int code = bx_event_parse(c, pmu->cpu, text, (size_t)n, &first, &e);
    fuzz_check_error(&e, code, (size_t)n);
    if (code) /* it needs a unit mask */
        return;
    FUZZ_MUST(bx_event_format(c, &first, string, sizeof string) < sizeof string);
    FUZZ_MUST(bx_event_parse(c, pmu->cpu, string, strlen(string), &second, NULL) == BX_OK);
    FUZZ_MUST(bx_event_format(c, &second, again, sizeof again) < sizeof again);
    FUZZ_MUST(strcmp(string, again) == 0 && first.control == second.control);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bx_cat_file files[FILES];
    char *text = fuzz_exact(data, size);
    bx_error e = {0};
    size_t n = split((bx_str){text, size}, files);
    struct bx_catalog *c = bx_catalog_parse(files, n, &e);
    FUZZ_MUST(!c == (e.code != BX_OK) && !c == (e.message[0] != '\0'));
    FUZZ_MUST(!c || (c->size % 8 == 0 && c->magic == BX_CAT_MAGIC));
    for (unsigned i = 0; c && i < c->events.n; i++)
        check_event(c, &bx_cat_events(c)[i]);
    free(c);
    free(text);
    return 0;
}
