/* What a server of counts does for each scrape, and at each interval, with so many series.
 * usage: bench_scrape prometheus|openmetrics|values|intervals|add SERIES N */
#include "serve/api.h"
#include "serve/exposition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS = 20, EVENTS = 1000, KEPT = 60 /* as boxscore serve keeps */ };

static char event[EVENTS][64];

static void add_interval(bx_series *s, size_t series)
{
    if (!bx_series_begin(s, 1))
        exit(1);
    for (size_t i = 0; i < series; i++) {
        const bx_series_value value = {.event = event[i / UNITS],
                                       .counts = "entries",
                                       .package = (int)(i % UNITS) / 10,
                                       .unit = (int)(i % 10),
                                       .value = 1000003 * i,
                                       .share = 1};
        if (!bx_series_add(s, &value))
            exit(1);
    }
}

int main(int argc, char *argv[])
{
    static const struct {
        const char *name;
        void (*write)(const bx_series *, bx_buf *);
    } formats[] = {{"prometheus", bx_exposition_prometheus},
                   {"openmetrics", bx_exposition_openmetrics},
                   {"values", bx_api_values},
                   {"intervals", bx_api_intervals},
                   {"add", NULL}};
    bx_series s = {.most = SIZE_MAX, .keeps = KEPT, .machine = "virtual:ivbep", .cpu = "ivbep"};
    size_t which = 0, bytes = 0;
    if (argc != 4)
        return 2;
    while (strcmp(formats[which].name, argv[1]) != 0)
        if (++which == sizeof formats / sizeof *formats)
            return 2;
    size_t series = strtoul(argv[2], NULL, 10);
    if (series > UNITS * EVENTS)
        return 2;
    for (size_t i = 0; i < EVENTS; i++)
        snprintf(event[i], sizeof *event, "ivbep_unc_cbo::UNC_C_TOR_INSERTS:OPCODE:opc=%zu", i);
    add_interval(&s, series);
    for (unsigned long n = strtoul(argv[3], NULL, 10); n; n--) {
        bx_buf text = {0};
        if (formats[which].write)
            formats[which].write(&s, &text);
        else
            add_interval(&s, series);
        if (text.failed)
            return 1;
        bytes = text.n;
        bx_buf_free(&text);
    }
    printf("%zu bytes\n", bytes);
    bx_series_free(&s);
    return 0;
}
