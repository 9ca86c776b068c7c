/* Uses that are not the last ones. */
#include "model/part/use.h"

#include <stddef.h>

void bx_use_forget_first(struct bx_use *use)
{
    use->closed = bx_use_stretch(use, 0)->end;
    use->first++;
    use->n--;
}

static void remove_at(struct bx_use *use, unsigned at)
{
    use->n--;
    for (; at < use->n; at++)
        *bx_use_stretch(use, at) = *bx_use_stretch(use, at + 1);
}

static void insert_at(struct bx_use *use, unsigned at, struct bx_stretch of)
{
    for (unsigned i = use->n++; i > at; i--)
        *bx_use_stretch(use, i) = *bx_use_stretch(use, i - 1);
    *bx_use_stretch(use, at) = of;
}

void bx_use_put_before(struct bx_use *use, struct bx_use_gap gap, bx_fine_time end)
{
    struct bx_stretch *before = gap.before > 0 ? bx_use_stretch(use, gap.before - 1) : NULL;
    struct bx_stretch *behind = bx_use_stretch(use, gap.before);
    bool touches = before && gap.begin - before->end < use->shortest;

    if (behind->begin - end < use->shortest) {
        behind->begin = touches ? before->begin : gap.begin;
        if (touches)
            remove_at(use, gap.before - 1);
    } else if (touches) {
        before->end = end;
    } else {
        insert_at(use, gap.before, (struct bx_stretch){gap.begin, end});
    }
}
