/* libpfm4's own answers: the code words of its release 4.13 for an event string, even if libpfm4
 * accepts more than the documents. A separate reader follows libpfm4's grammar and rules and uses
 * the same catalogue. docs/reference/libpfm-differences.md lists the differences of the two
 * readers. */
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
    int16_t unit;        /* the number in the PMU's name; -1: none */
    uint8_t words;       /* number of code words: control, filter 0, filter 1 */
    uint64_t word[BX_PFM_WORDS];
    char fstr[BX_PFM_FSTR]; /* the string that libpfm4 returns, with the PMU's name */
} bx_pfm_code;

/* The answer of pfm_get_os_event_encoding(text, plm, PFM_OS_NONE, …) with LIBPFM_ENCODE_INACTIVE=1,
 * which encodes PMUs that the host lacks. cpu: index of the CPU model whose PMUs are active, where
 * a string without a PMU is looked up; -1: none is active. Returns an enum bx_pfm. Unless it is
 * BX_PFM_SUCCESS, *to is unchanged and *e has the reason. */
int bx_pfm_encode(const struct bx_catalog *c, int cpu, bx_str text, unsigned plm, bx_pfm_code *to,
                  bx_error *e);

/* The same for pfm_find_event(text): only PMU, event and unit are filled in. Missing or
 * contradicting attributes are no error. */
int bx_pfm_find(const struct bx_catalog *c, int cpu, bx_str text, bx_pfm_code *to, bx_error *e);

/* Reads all of s as a number with blanks, sign and C's prefixes, as libpfm4 does. A minus negates;
 * above 64 bits the value is the largest. */
bool bx_pfm_number(bx_str s, uint64_t *value);

#endif
