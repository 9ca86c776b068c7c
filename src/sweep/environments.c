/* Which machines of a sweep look the same to a program. */
#include "sweep/environments.h"

#include "base/buf.h"
#include "machine/machine.h"

#include <string.h>

static const char *describe_sight(const bx_surroundings *shown, bx_arena *a)
{
    bx_buf text = {0};
    bx_buf_f(&text, "%s|%s|%u|%u|%s", shown->features ? shown->features : "", shown->cpuid,
             shown->cpus, shown->nodes, shown->cpu_nodes);
    const char *sight = text.failed ? NULL : bx_arena_copy(a, bx_str_of(bx_buf_text(&text)));
    bx_buf_free(&text);
    return sight;
}

static int add_environment(bx_environments *all, const bx_environment *new, bx_error *e)
{
    bx_environment *grown =
        bx_arena_grow(all->arena, all->environment, (uint32_t)all->n, &all->room, sizeof *grown, 4);
    if (!grown)
        return bx_out_of_memory(e);
    all->environment = grown;
    grown[all->n++] = *new;
    return BX_OK;
}

int bx_environments_find(bx_environments *all, const bx_catalog *c, const char *machine, size_t *at,
                         bx_error *e)
{
    bx_machine *m = NULL;
    int code = bx_machine_open(c, machine, &m, e);
    if (code)
        return code;
    bx_surroundings shown = bx_machine_surroundings(m);
    bx_environment new = {.sight = describe_sight(&shown, all->arena),
                          .machine = bx_arena_copy(all->arena, bx_str_of(machine)),
                          .features = shown.features,
                          .cpus = shown.cpus};
    bx_machine_close(m);
    if (!new.sight || !new.machine)
        return bx_out_of_memory(e);
    for (*at = 0; *at < all->n; ++*at)
        if (strcmp(all->environment[*at].sight, new.sight) == 0)
            return BX_OK;
    return add_environment(all, &new, e);
}
