/* The part of `list` that shows what a host's kernel counts. */
#ifndef BX_CLI_SHOW_LIST_KERNEL_H
#define BX_CLI_SHOW_LIST_KERNEL_H

#include "base/json.h"
#include "cli/common/cli.h"

/* Lists the events of the kernel's own and of its PMUs, those that have all words; returns their
 * number. json: NULL, or where objects go to. */
size_t bx_list_kernel(bx_machine *m, const bx_texts *words, bx_buf *to, bx_json *json);

/* Whether a word is in one of the texts, '.' and ':' taken as one; or a glob matches the whole of
 * one. */
bool bx_list_has(bx_str word, const bx_str *texts, size_t n);

#endif
