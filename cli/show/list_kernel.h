/* The part of `list` for what a host's kernel counts. */
#ifndef BX_CLI_SHOW_LIST_KERNEL_H
#define BX_CLI_SHOW_LIST_KERNEL_H

#include "base/json.h"
#include "cli/common/cli.h"

/* Lists the kernel's own events and those of its PMUs that match all words; returns their number.
 * json: NULL, or the destination of JSON objects. */
size_t bx_list_kernel(bx_machine *m, const bx_texts *words, bx_buf *to, bx_json *json);

#endif
