/* Implements changed.h: a text with one change. */
#include "../cmocked.h"

#include "changed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *changed(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    if (!at)
        fail_msg("\"%s\" is not in the text", from);
    size_t room = strlen(text) + strlen(to) + 1;
    char *copy = malloc(room);
    assert_non_null(copy);
    snprintf(copy, room, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return copy;
}
