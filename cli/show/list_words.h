/* Lists perf's words: for events of cores, and for what a virtual machine's model counts in place
 * of a kernel. */
#ifndef BX_CLI_SHOW_LIST_WORDS_H
#define BX_CLI_SHOW_LIST_WORDS_H

#include "base/json.h"
#include "cli/common/cli.h"

/* Lists those of a CPU that match all words. model: only what this machine's model counts, or NULL.
 * json NULL: as text. Returns their number. */
size_t bx_list_words(const struct bx_catalog *c, unsigned cpu, const bx_texts *words,
                     const bx_machine *model, bx_buf *to, bx_json *json);

#endif
