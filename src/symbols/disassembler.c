/* Loads capstone 4 or 5. It stays loaded to the end of the process. */
#include "symbols/disassembler.h"

#include "base/error.h"

#if BX_HAS_CAPSTONE
#include <capstone/capstone.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bx_disassembler {
    cs_err (*open)(cs_arch, cs_mode, csh *);
    cs_err (*close)(csh *);
    cs_err (*option)(csh, cs_opt_type, size_t);
    cs_insn *(*malloc)(csh);
    void (*free)(cs_insn *, size_t);
    bool (*iterate)(csh, const uint8_t **, size_t *, uint64_t *, cs_insn *);
    csh handle;
    cs_insn *one;
};

static bool find_all(void *in, bx_disassembler *to)
{
    const struct {
        const char *name;
        void *to;
    } wanted[] = {{"cs_open", &to->open},     {"cs_close", &to->close},
                  {"cs_option", &to->option}, {"cs_malloc", &to->malloc},
                  {"cs_free", &to->free},     {"cs_disasm_iter", &to->iterate}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        /* dlsym() returns an object's address, which POSIX lets stand for a function's. */
        void *found = dlsym(in, wanted[i].name);
        memcpy(wanted[i].to, &found, sizeof found);
        if (!found)
            return false;
    }
    return true;
}

static int fail_loading(const char *why, bx_error *e)
{
    bx_fail(e, BX_NOT_FOUND, 0, 0, "instructions as text need capstone: %s", why);
    bx_hint(e, "apt-get install libcapstone4");
    return e->code;
}

/* Structures are those of the header's version, so another one is not used. */
int bx_disassembler_open(bx_disassembler **to, bx_error *e)
{
    char library[32];
    snprintf(library, sizeof library, "libcapstone.so.%d", CS_API_MAJOR);
    void *in = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!in)
        return fail_loading(dlerror(), e);
    bx_disassembler *d = calloc(1, sizeof *d);
    if (!d)
        return bx_out_of_memory(e);
    if (!find_all(in, d) || d->open(CS_ARCH_X86, CS_MODE_64, &d->handle) != CS_ERR_OK) {
        free(d);
        return fail_loading("it knows no x86", e);
    }
    d->option(d->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
    d->one = d->malloc(d->handle);
    if (!d->one) {
        bx_disassembler_close(d);
        return bx_out_of_memory(e);
    }
    *to = d;
    return BX_OK;
}

void bx_disassembler_close(bx_disassembler *d)
{
    if (!d)
        return;
    if (d->one)
        d->free(d->one, 1);
    d->close(&d->handle);
    free(d);
}

size_t bx_disassembler_text(bx_disassembler *d, const unsigned char *code, size_t n,
                            uint64_t address, char to[BX_INSTRUCTION_TEXT])
{
    const uint8_t *at = code;
    if (!d->iterate(d->handle, &at, &n, &address, d->one))
        return 0;
    snprintf(to, BX_INSTRUCTION_TEXT, "%s%s%s", d->one->mnemonic, *d->one->op_str ? " " : "",
             d->one->op_str);
    return (size_t)(at - code);
}

#else
int bx_disassembler_open(bx_disassembler **to, bx_error *e)
{
    *to = NULL;
    bx_fail(e, BX_NOT_FOUND, 0, 0,
            "instructions as text need capstone, and boxscore was built without it");
    bx_hint(e, "apt-get install libcapstone-dev, then build boxscore again");
    return e->code;
}

void bx_disassembler_close(bx_disassembler *d)
{
    (void)d;
}

size_t bx_disassembler_text(bx_disassembler *d, const unsigned char *code, size_t n,
                            uint64_t address, char to[BX_INSTRUCTION_TEXT])
{
    (void)d, (void)code, (void)n, (void)address;
    *to = '\0';
    return 0;
}
#endif
