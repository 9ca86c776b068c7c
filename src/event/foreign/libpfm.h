/* libpfm4's own answers: the code words that its release 4.13 gives for an event string, also where
 * it is more lenient than the documents. It is a reader of its own, for libpfm4's grammar and
 * rules, over the same facts of the catalogue; docs/libpfm-differences.md tells where the two
 * readers differ. */
#ifndef BX_EVENT_FOREIGN_LIBPFM_H
#define BX_EVENT_FOREIGN_LIBPFM_H

#include "catalog/catalog.h"

/* libpfm4's error numbers, PFM_SUCCESS and PFM_ERR_*. */
enum bx_pfm {
    BX_PFM_SUCCESS = 0,
    BX_PFM_INVAL = -2,
    BX_PFM_NOTFOUND = -4,
    BX_PFM_FEATCOMB = -5,
    BX_PFM_UMASK = -6,
    BX_PFM_NOMEM = -7,
    BX_PFM_ATTR = -8,
    BX_PFM_ATTR_VAL = -9,
    BX_PFM_ATTR_SET = -10,
    BX_PFM_TOOMANY = -11,
};

/* Privilege levels as libpfm4 numbers them, PFM_PLM*: 0 is the kernel, 3 the user. */
enum { BX_PFM_PLM0 = 1, BX_PFM_PLM3 = 8 };

enum { BX_PFM_WORDS = 3, BX_PFM_FSTR = 256 };

typedef struct bx_pfm_code {
    uint16_t pmu, event; /* catalogue indices */
    int16_t unit;        /* the number in the PMU's name; -1: it has none */
    uint8_t words;       /* how many there are: control, filter 0, filter 1 */
    uint64_t word[BX_PFM_WORDS];
    char fstr[BX_PFM_FSTR]; /* the string that libpfm4 gives back, with the PMU's name */
} bx_pfm_code;

/* What pfm_get_os_event_encoding(text, plm, PFM_OS_NONE, …) answers where PMUs that the host lacks
 * can be encoded (LIBPFM_ENCODE_INACTIVE=1). cpu: index of the CPU model whose PMUs are taken as
 * active, which a string without its PMU is looked up among; -1: none is, as on a host without
 * them. Returns an enum bx_pfm; unless it is BX_PFM_SUCCESS, *to is untouched and the error says
 * why. */
int bx_pfm_encode(const struct bx_catalog *c, int cpu, bx_str text, unsigned plm, bx_pfm_code *to,
                  bx_error *e);

/* The same for pfm_find_event(text): the PMU, event and unit alone are filled in. What is missing
 * or does not go together does not hide the event. */
int bx_pfm_find(const struct bx_catalog *c, int cpu, bx_str text, bx_pfm_code *to, bx_error *e);

#endif
