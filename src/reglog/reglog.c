/* Reads and writes the lines of a register log. */
#include "reglog/reglog.h"

#include "base/error.h"
#include "catalog/catalog.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bx_pci_bdf bx_pci_bdf_text(uint64_t address)
{
    bx_pci_bdf word;
    snprintf(word.text, sizeof word.text, "%02x:%02x.%x", (unsigned)(address >> 20 & 0xff),
             (unsigned)(address >> 15 & 0x1f), (unsigned)(address >> 12 & 7));
    return word;
}

static bool hex(bx_str s, uint64_t most, uint64_t *number)
{
    char text[8] = "0x";
    if (s.n == 0 || s.n > 4)
        return false;
    memcpy(text + 2, s.p, s.n);
    return bx_str_u64((bx_str){text, s.n + 2}, number) && *number <= most;
}

bool bx_pci_bdf_parse(bx_str s, uint64_t *address)
{
    uint64_t bus, device, function;
    bx_str rest = s, b = bx_str_cut(&rest, ':'), d = bx_str_cut(&rest, '.');
    if (!rest.p || !hex(b, 0xff, &bus) || !hex(d, 0x1f, &device) || !hex(rest, 7, &function))
        return false;
    *address = bus << 20 | device << 15 | function << 12;
    return true;
}

void bx_reglog_address(bx_buf *to, const bx_reglog_access *a)
{
    char way = a->write ? 'W' : 'R';
    switch (a->at.space) {
    case BX_SPACE_MSR:
        bx_buf_f(to, "cpu%u %c 0x%03" PRIx64, a->at.cpu, way, a->at.offset);
        break;
    case BX_SPACE_PCI:
        bx_buf_f(to, "pci %s %c%u 0x%03" PRIx64, bx_pci_bdf_text(a->at.offset).text, way,
                 a->at.width, a->at.offset & 0xfff);
        break;
    default:
        bx_buf_f(to, "mem %c%u 0x%" PRIx64, way, a->at.width, a->at.offset);
        break;
    }
}

void bx_reglog_line(bx_buf *to, const bx_reglog_access *a)
{
    bx_reglog_address(to, a);
    bx_buf_f(to, " 0x%" PRIx64, a->value);
    if (a->faulted) {
        bx_buf_z(to, " ");
        bx_reglog_errno(to, a->err ? a->err : EIO);
    }
    if (a->timed)
        bx_buf_f(to, " @%" PRIu64, a->time);
    bx_buf_z(to, "\n");
}

/* ---- reading ---- */

typedef struct words {
    bx_str line, rest;
    bx_error *e;
} words;

static bx_str next(words *w)
{
    size_t n = 0;
    w->rest = bx_str_trim(w->rest);
    while (n < w->rest.n && !bx_is_blank(w->rest.p[n]))
        n++;
    bx_str word = n ? bx_str_sub(w->rest, 0, n) : (bx_str){w->line.p + w->line.n, 0};
    w->rest = bx_str_sub(w->rest, n, w->rest.n);
    return word;
}

static int refuse_log(const words *w, bx_str word, const char *what)
{
    bx_fail(w->e, BX_BAD_INPUT, (size_t)(word.p - w->line.p), word.n ? word.n : 1, "%s", what);
    bx_hint(w->e, "cpu0 W 0x700 0x408834, pci 00:00.0 R32 0x048 0x1 or mem R32 0xfed15050 0x1");
    return BX_BAD_INPUT;
}

static bool prefixed(bx_str word, const char *prefix, uint64_t most, uint64_t *number)
{
    bx_str p = bx_str_of(prefix);
    return word.n > p.n && memcmp(word.p, prefix, p.n) == 0 &&
           bx_str_u64(bx_str_sub(word, p.n, word.n), number) && *number <= most;
}

/* Parses "R", "W", or the same with the width: "R64". */
static bool way_of(bx_str s, bool wide, bx_reglog_access *a)
{
    uint64_t width = 64;
    if (!s.n || (s.p[0] != 'R' && s.p[0] != 'W'))
        return false;
    if (wide ? !bx_str_u64(bx_str_sub(s, 1, s.n), &width) : s.n != 1)
        return false;
    a->write = s.p[0] == 'W';
    a->at.width = (uint8_t)width;
    return width == 8 || width == 16 || width == 32 || width == 64;
}

/* Parses the register space and, for PCI, the function. */
static int space_of(words *w, bx_reglog_access *a)
{
    bx_str first = next(w);
    uint64_t number;
    if (prefixed(first, "cpu", UINT16_MAX, &number)) {
        a->at.space = BX_SPACE_MSR;
        a->at.cpu = (uint16_t)number;
        return BX_OK;
    }
    if (bx_str_eq(first, BX_STR("mem"))) {
        a->at.space = BX_SPACE_MMIO;
        return BX_OK;
    }
    if (!bx_str_eq(first, BX_STR("pci")))
        return refuse_log(w, first, "an access begins with 'cpu' and a number, 'pci' or 'mem'");
    bx_str function = next(w);
    a->at.space = BX_SPACE_PCI;
    return bx_pci_bdf_parse(function, &a->at.offset)
               ? BX_OK
               : refuse_log(w, function, "this is not a function of a PCI device");
}

int bx_reglog_parse(bx_str line, bx_reglog_access *a, bool *any, bx_error *e)
{
    words w = {line, bx_str_trim(line), e};
    uint64_t address;
    *a = (bx_reglog_access){0};
    *any = w.rest.n && w.rest.p[0] != '#';
    if (!*any)
        return BX_OK;
    if (space_of(&w, a))
        return BX_BAD_INPUT;
    bx_str word = next(&w);
    if (!way_of(word, a->at.space != BX_SPACE_MSR, a))
        return refuse_log(&w, word,
                          a->at.space == BX_SPACE_MSR ? "an MSR is read (R) or written (W)"
                                                      : "this is R or W and a width in bits");
    word = next(&w);
    if (!bx_str_u64(word, &address) || (a->at.space == BX_SPACE_MSR && address > UINT32_MAX) ||
        (a->at.space == BX_SPACE_PCI && address > 0xfff))
        return refuse_log(&w, word, "this is no address");
    a->at.offset |= address;
    word = next(&w);
    if (!bx_str_u64(word, &a->value))
        return refuse_log(&w, word, "this is no value of a register");
    word = next(&w);
    a->err = bx_reglog_find_errno(word);
    a->faulted = a->err != 0;
    if (a->faulted)
        word = next(&w);
    a->timed = prefixed(word, "@", UINT64_MAX, &a->time);
    if (a->timed)
        word = next(&w);
    return word.n ? refuse_log(&w, word,
                               "nothing but 'fault' and '@' with a time may follow the value")
                  : BX_OK;
}
