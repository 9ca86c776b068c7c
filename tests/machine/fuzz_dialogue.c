/* Register dialogues, on the machine that the first byte chooses. Each line is executed, or refused
 * with a span. The output of a line has one of three forms. A line that lets much time pass is
 * stopped. */
#include "fuzz/fuzz.h"
#include "machine/dialogue/dialogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const machines[] = {
    "virtual:skl,part=plain,cores=2,llc=1M", "virtual:ivbep,part=plain,cores=2,packages=1",
    "virtual:p6,part=plain", "virtual:nhmex,part=plain,cores=2,packages=1"};

static void check_printed(const char *text, unsigned cpus)
{
    for (const char *end; *text; text = end + 1) {
        unsigned long long value;
        unsigned core;
        end = strchr(text, '\n');
        FUZZ_MUST(end);
        FUZZ_MUST(sscanf(text, "0x%llx\n", &value) == 1 || strncmp(text, "#GP\n", 4) == 0 ||
                  (sscanf(text, "PMI core=%u\n", &core) == 1 && core < cpus));
    }
}

static bool stop(void *context)
{
    (void)context;
    return true;
}

static void play(bx_dialogue *d, bx_str line, unsigned cpus)
{
    bx_buf out = {0};
    bx_error e = {0};
    int code = bx_dialogue_line(d, line, &out, &e);
    fuzz_check_error(&e, code, line.n);
    FUZZ_MUST(!code || code == BX_SYSTEM || !out.n);
    if (out.p)
        check_printed(out.p, cpus);
    bx_buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LINES = 60 };
    if (!size)
        return 0;
    char *text = fuzz_exact(data + 1, size - 1);
    bx_machine *m = NULL;
    bx_error e = {0};
    FUZZ_MUST(bx_machine_open(bx_catalog_builtin(), machines[data[0] % 4], &m, &e) == BX_OK);
    bx_dialogue *d = bx_dialogue_new(m, &e);
    FUZZ_MUST(d);
    bx_dialogue_stop_if(d, stop, NULL);
    bx_str rest = {text, size - 1};
    for (unsigned i = 0; i < LINES && rest.p; i++)
        play(d, bx_str_cut(&rest, '\n'), bx_machine_packages(m) * bx_machine_cores(m));
    bx_dialogue_free(d);
    bx_machine_close(m);
    free(text);
    return 0;
}
