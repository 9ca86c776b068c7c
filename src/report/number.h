/* Numbers as people read them, the same in every locale. */
#ifndef BX_REPORT_NUMBER_H
#define BX_REPORT_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum { BX_NUMBER = 32 }; /* bytes that hold any of them */

/* 1234567 as "1,234,567"; returns to. */
const char *bx_number_whole(uint64_t value, char to[BX_NUMBER]);

/* A number with so many decimals (at most 9) and without separators, for programs; returns to. */
const char *bx_number_plain(double value, unsigned decimals, char to[BX_NUMBER]);

/* A derived figure with as many decimals as help: "23.31", "1,234,567", "0.0042"; returns to. */
const char *bx_number_figure(double value, char to[BX_NUMBER]);

#endif
