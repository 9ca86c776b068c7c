/* Our answers against libpfm4's: tests/event/libpfm.txt has 2,300 of release 4.13.0-1. If Debian's
 * library is installed, tens of thousands more are compared with it. */
#include "event_case.h"

#include "event/foreign/libpfm.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

enum { LINE = 512 };

/* "0x4135 0x0 0x18000001", or libpfm4's error number. */
static const char *answer(const char *text, char to[LINE])
{
    bx_error e = {0};
    bx_pfm_code code;
    int status =
        bx_pfm_encode(built_in(), -1, bx_str_of(text), BX_PFM_PLM0 | BX_PFM_PLM3, &code, &e);
    if (status) {
        assert_true(e.code != BX_OK && e.message[0]);
        snprintf(to, LINE, "%d", status);
        return to;
    }
    size_t n = 0;
    for (unsigned i = 0; i < code.words; i++)
        n += (size_t)snprintf(to + n, LINE - n, "%s0x%llx", i ? " " : "",
                              (unsigned long long)code.word[i]);
    return to;
}

static void stored_answers(void **state)
{
    (void)state;
    char path[1024], line[LINE], is[LINE];
    unsigned n = 0;
    snprintf(path, sizeof path, "%s/tests/event/libpfm.txt", getenv("SOURCE_ROOT"));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (*line == '#')
            continue;
        line[strcspn(line, "\n")] = '\0';
        char *should = strchr(line, '|');
        assert_non_null(should);
        *should++ = '\0';
        if (strcmp(answer(line, is), should) != 0)
            fail_msg("'%s': %s instead of %s", line, is, should);
        n++;
    }
    fclose(f);
    assert_true(n > 2300);
}

/* PMUs are active only if their CPU model is named. */
static void active_pmus(void **state)
{
    (void)state;
    bx_error e = {0};
    bx_pfm_code code;
    int p6 = bx_cat_find_cpu(built_in(), BX_STR("p6"));
    int ivbep = bx_cat_find_cpu(built_in(), BX_STR("ivbep"));
    assert_int_equal(bx_pfm_encode(built_in(), p6, BX_STR("L2_LD:M:E"), 9, &code, &e),
                     BX_PFM_SUCCESS);
    assert_true(code.words == 1 && code.word[0] == 0x530c29);
    assert_string_equal(code.fstr, "p6::L2_LD:E:M:k=1:u=1:e=0:i=0:c=0");
    assert_int_equal(bx_pfm_encode(built_in(), ivbep, BX_STR("UNC_C_CLOCKTICKS"), 9, &code, &e),
                     BX_PFM_SUCCESS);
    assert_string_equal(code.fstr, "ivbep_unc_cbo0::UNC_C_CLOCKTICKS");
    assert_int_equal(bx_pfm_encode(built_in(), ivbep, BX_STR("L2_LD:M"), 9, &code, &e),
                     BX_PFM_NOTFOUND);
}

/* Privilege levels other than 0 and 3 do not exist: USR and OS stay 0. */
static void levels(void **state)
{
    (void)state;
    static const struct {
        unsigned plm;
        uint64_t word;
    } rows[] = {{0, 0x500079}, {1, 0x520079}, {8, 0x510079},
                {9, 0x530079}, {2, 0x500079}, {16, 0x500079}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        bx_pfm_code code;
        assert_int_equal(
            bx_pfm_encode(built_in(), -1, BX_STR("p6::CPU_CLK_UNHALTED"), rows[i].plm, &code, NULL),
            BX_PFM_SUCCESS);
        assert_true(code.word[0] == rows[i].word);
    }
}

/* ---- the library itself ---- */

/* As in perfmon/pfmlib.h. */
typedef struct pfm_pmu_encode_arg {
    uint64_t *codes;
    char **fstr;
    size_t size;
    int count, idx;
} pfm_pmu_encode_arg;

typedef int encode_function(const char *text, int plm, int os, void *arg);

typedef struct library {
    encode_function *encode;
    unsigned long asked, encoded;
} library;

static void ask(library *l, const char *text)
{
    char is[LINE], should[LINE];
    pfm_pmu_encode_arg arg = {.size = sizeof arg};
    int status = l->encode(text, BX_PFM_PLM0 | BX_PFM_PLM3, 0, &arg);
    snprintf(should, sizeof should, "%d", status);
    size_t n = 0;
    for (int i = 0; !status && i < arg.count; i++)
        n += (size_t)snprintf(should + n, sizeof should - n, "%s0x%llx", i ? " " : "",
                              (unsigned long long)arg.codes[i]);
    if (!status)
        free(arg.codes);
    if (strcmp(answer(text, is), should) != 0)
        fail_msg("'%s': %s, libpfm4 has %s", text, is, should);
    l->asked++;
    l->encoded += !status;
}

static uint32_t next(uint32_t *random) /* xorshift */
{
    *random ^= *random << 13;
    *random ^= *random >> 17;
    *random ^= *random << 5;
    return *random;
}

static const char *const settings[] = {
    "e",      "e=0",     "e=Y",    "e=yes",  "t=0",    "t=1",     "t=255", "t=256", "t=0x1f",
    "t=010",  "t=",      "t",      "tf=0",   "tf=1",   "tf=2",    "cf=0",  "cf=5",  "cf=15",
    "cf=16",  "nf=0",    "nf=1",   "nf=255", "nf=256", "nc",      "nc=0",  "nc=1",  "isoc",
    "isoc=f", "i",       "u=1",    "0x0",    "0x41",   "0xff",    "0x100", "0x",    "0X3",
    "opc=1",  "state=1", "tid_en", "t=-1",   "",       "umask=1", "ANY",   "t=+3",  "other=1",
    "code=1", "OPC_RFO", "NID",    "=",      "e=1=1",
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static const bx_cat_pmu *c_box(void)
{
    return &bx_cat_pmus(built_in())[bx_cat_find_pmu(built_in(), BX_STR("ivbep_unc_cbo"))];
}

static const char *event_name(const bx_cat_event *event)
{
    return bx_cat_z(built_in(), event->libpfm ? event->libpfm : event->name);
}

/* Each event with each pair of its unit masks, and each with each setting. */
static void ask_all(library *l)
{
    char text[LINE];
    for (unsigned i = 0; i < c_box()->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(built_in())[c_box()->events.first + i];
        const bx_cat_umask *all = &bx_cat_umasks(built_in())[event->umasks.first];
        size_t n =
            (size_t)snprintf(text, sizeof text, "ivbep_unc_cbo%u::%s", i % 15, event_name(event));
        ask(l, text);
        for (unsigned s = 0; s < SETTINGS; s++) {
            snprintf(text + n, sizeof text - n, ":%s", settings[s]);
            ask(l, text);
        }
        for (unsigned a = 0; a < event->umasks.n; a++) {
            size_t m = n + (size_t)snprintf(text + n, sizeof text - n, ":%s",
                                            bx_cat_z(built_in(), all[a].name));
            ask(l, text);
            for (unsigned s = 0; s < SETTINGS; s++) {
                snprintf(text + m, sizeof text - m, ":%s", settings[s]);
                ask(l, text);
            }
            for (unsigned b = 0; b < event->umasks.n; b++) {
                snprintf(text + m, sizeof text - m, ":%s:nf=3", bx_cat_z(built_in(), all[b].name));
                ask(l, text);
                text[strlen(text) - strlen(":nf=3")] = '\0';
                ask(l, text);
            }
        }
    }
}

/* Attributes at random, some of them twice or more, in either case and with either separator. */
static void ask_random(library *l, unsigned runs)
{
    uint32_t random = 0x5eed;
    char text[LINE];
    for (unsigned run = 0; run < runs; run++) {
        bx_span events = c_box()->events;
        const bx_cat_event *event =
            &bx_cat_events(built_in())[events.first + next(&random) % events.n];
        size_t n = (size_t)snprintf(text, sizeof text, "ivbep_unc_cbo%u::%s", next(&random) % 16,
                                    event_name(event));
        const char *last = "e";
        for (unsigned i = next(&random) % 7; i; i--) {
            unsigned kind = next(&random) % 8;
            if (kind < 3 && event->umasks.n)
                last = bx_cat_z(
                    built_in(),
                    bx_cat_umasks(built_in())[event->umasks.first + next(&random) % event->umasks.n]
                        .name);
            else if (kind < 7)
                last = settings[next(&random) % SETTINGS];
            n += (size_t)snprintf(text + n, sizeof text - n, "%c%s", next(&random) % 4 ? ':' : '.',
                                  last);
        }
        for (size_t i = 0; next(&random) % 2 && i < n; i++)
            if (text[i] >= 'A' && text[i] <= 'Z' && next(&random) % 2)
                text[i] = (char)(text[i] + ('a' - 'A'));
        ask(l, text);
    }
}

static void installed_library(void **state)
{
    (void)state;
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    void *handle = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
    library l = {0};
    int (*initialize)(void) = NULL;
    char path[PATH_MAX] = "";
    Dl_info info;
    if (handle) {
        *(void **)&initialize = dlsym(handle, "pfm_initialize");
        *(void **)&l.encode = dlsym(handle, "pfm_get_os_event_encoding");
        /* The library's own version is 4.0 in all releases; the file's name has the release. */
        if (initialize && dladdr(*(void **)&initialize, &info) && !realpath(info.dli_fname, path))
            path[0] = '\0';
    }
    if (!strstr(path, "libpfm.so.4.13") || !l.encode || initialize()) {
        print_message("skipped: libpfm4 4.13 is not installed\n");
        skip();
        return;
    }
    ask_all(&l);
    ask_random(&l, 30000);
    print_message("%lu strings, of which libpfm4 encodes %lu\n", l.asked, l.encoded);
    assert_true(l.encoded > 5000);
    dlclose(handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_answers),
        cmocka_unit_test(active_pmus),
        cmocka_unit_test(levels),
        cmocka_unit_test(installed_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
