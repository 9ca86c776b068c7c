/* Encodes one event string with the shared library; includes the cost of loading the library.
 * bench/base.c is the baseline. */
#include "event/event.h"

#include <boxscore/boxscore.h>

int main(void)
{
    static const char text[] = "ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:DATA_READ";
    const bx_catalog *c = bx_catalog_builtin();
    bx_evsel event;
    bx_regvalue value[1 + BX_EXTRAS];
    bx_error e = {0};
    if (bx_event_parse(c, -1, text, sizeof text - 1, &event, &e))
        return 1;
    return bx_event_registers(c, &event, BX_LOWEST, value) == 0;
}
