/* Pinned events: perf's letter D and libpfm4's word, after an event or a group. */
#ifndef BX_EVENT_PARSE_PINNED_H
#define BX_EVENT_PARSE_PINNED_H

#include "base/str.h"

/* Cuts ":D", ":pinned", or the D of perf's letters (":uD", "/D"), off the end of an event. false:
 * it has none. */
bool bx_pinned_cut(bx_str *event);

/* The number of bytes of ":D" or ":pinned" at the beginning of what follows a group; 0: neither. */
size_t bx_pinned_behind(bx_str text);

#endif
