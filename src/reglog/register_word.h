/* A register and its contents in one word: "0x700=0x408834", "E01H=20000000H", "700=408f34" as
 * rdmsr prints it, "MSR_UNC_CBO_0_PERFEVTSEL0=0x408f34" (docs/reference/commands.md, decode). */
#ifndef BX_REGLOG_REGISTER_WORD_H
#define BX_REGLOG_REGISTER_WORD_H

#include "base/str.h"
#include "register/register.h"

/* Reads a word. The register is one of the CPU model's, or a passive one. BX_BAD_INPUT or
 * BX_NOT_FOUND with the span in the word. */
int bx_register_word_parse(const struct bx_catalog *c, unsigned cpu, bx_str word, bx_raw *raw,
                           bx_error *e);

/* The passive MSR that a machine of this CPU model has at this address, for other tools; NULL:
 * there is none. */
const bx_cat_passive *bx_passive_at(const struct bx_catalog *c, unsigned cpu, const bx_raw *raw);

#endif
