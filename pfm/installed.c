/* Finds libpfm.so.4 beside the C library, loads it, and looks its functions up. */
#include "pfm/installed.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static struct {
    bool looked_for, there, asked, started;
    bx_pfmlib_installed calls;
} installed; /* libpfm4's interface has no handle for it */

/* The file in the folder of the C library, where distributions put both. By its whole path: by its
 * name alone, this library may be loaded already. */
static bool beside_libc(char *to, size_t room)
{
    Dl_info libc;
    void *function = dlsym(RTLD_DEFAULT, "strlen");
    const char *end =
        function && dladdr(function, &libc) && libc.dli_fname ? strrchr(libc.dli_fname, '/') : NULL;
    if (!end)
        return false;
    int n = snprintf(to, room, "%.*s/libpfm.so.4", (int)(end - libc.dli_fname), libc.dli_fname);
    return n > 0 && (size_t)n < room;
}

/* A pointer to a function cannot be cast from one to an object: ISO C, 6.3.2.3. */
static bool look_up(void *library, const char *name, void *to)
{
    void *symbol = dlsym(library, name);
    memcpy(to, &symbol, sizeof symbol);
    return symbol;
}

/* Whether the function is in the same file as this one: then we have loaded ourselves. */
static bool is_of_this_file(int (*const *function)(void))
{
    Dl_info there, here;
    void *symbol;
    bool (*self)(void *, const char *, void *) = look_up;
    memcpy(&symbol, function, sizeof symbol);
    bool known = dladdr(symbol, &there);
    memcpy(&symbol, &self, sizeof symbol);
    return known && dladdr(symbol, &here) && here.dli_fbase == there.dli_fbase;
}

static bool look_all_up(void *library, bx_pfmlib_installed *c)
{
    return look_up(library, "pfm_initialize", &c->initialize) &&
           look_up(library, "pfm_terminate", &c->terminate) &&
           look_up(library, "pfm_get_pmu_info", &c->get_pmu_info) &&
           look_up(library, "pfm_pmu_validate", &c->pmu_validate) &&
           look_up(library, "pfm_get_event_next", &c->get_event_next) &&
           look_up(library, "pfm_get_event_info", &c->get_event_info) &&
           look_up(library, "pfm_get_event_attr_info", &c->get_event_attr_info) &&
           look_up(library, "pfm_find_event", &c->find_event) &&
           look_up(library, "pfm_get_os_event_encoding", &c->get_os_event_encoding) &&
           !is_of_this_file(&c->initialize);
}

static void load(void)
{
    char found[4096];
    const char *file = getenv("BOXSCORE_LIBPFM");
    if (!file)
        file = beside_libc(found, sizeof found) ? found : "";
    void *library = *file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : NULL;
    installed.looked_for = true;
    installed.there = library && look_all_up(library, &installed.calls);
    if (library && !installed.there)
        dlclose(library);
}

const bx_pfmlib_installed *bx_pfmlib_installed_get(void)
{
    if (!installed.looked_for)
        load();
    if (!installed.asked) {
        installed.started = installed.there && installed.calls.initialize() == BX_PFM_SUCCESS;
        if (!installed.started)
            bx_pfmlib_tabled.initialize();
    }
    installed.asked = true;
    return installed.started ? &installed.calls : &bx_pfmlib_tabled;
}

void bx_pfmlib_installed_end(void)
{
    if (installed.started)
        installed.calls.terminate();
    installed.asked = installed.started = false;
}
