/* Shared by the two parts of libpfm4's reader: libpfm.c reads the text, libpfm_words.c makes the
 * code words. */
#ifndef BX_EVENT_FOREIGN_LIBPFM_INTERNAL_H
#define BX_EVENT_FOREIGN_LIBPFM_INTERNAL_H

#include "base/error.h"
#include "event/event.h"
#include "event/foreign/libpfm.h"

enum { BX_PFM_ATTRS = 64 }; /* libpfm4's limit of attributes per event */

enum bx_pfm_kind { BX_PFM_UMASKS, BX_PFM_MODIFIER, BX_PFM_NUMBER };

typedef struct bx_pfm_attr {
    uint8_t kind;   /* enum bx_pfm_kind */
    uint16_t index; /* catalogue index of the unit mask or modifier */
    uint64_t value; /* value of a modifier, or the raw unit mask */
} bx_pfm_attr;

typedef struct bx_pfm_event {
    const struct bx_catalog *c;
    const bx_cat_pmu *pmu;
    const bx_cat_event *event;
    unsigned plm;
    bx_str text; /* the whole text; spans count from its start */
    bx_error *e;
    unsigned n;
    bx_pfm_attr attr[BX_PFM_ATTRS];
} bx_pfm_event;

/* Sets an error with the part as its span; returns code, an enum bx_pfm. */
int bx_pfm_refuse(const bx_pfm_event *p, int code, bx_str part, const char *message);

/* Makes the code words of the event that was read. Errors point to the whole text. */
int bx_pfm_words(const bx_pfm_event *p, bx_pfm_code *to);

/* libpfm4's name of an event. */
static inline bx_cat_text bx_pfm_name(const bx_cat_event *event)
{
    return event->libpfm ? event->libpfm : event->name;
}

/* The index of a register among the words; 0 is the control register. */
unsigned bx_pfm_word_of(const struct bx_catalog *c, const bx_cat_pmu *pmu, uint16_t reg);

#endif
