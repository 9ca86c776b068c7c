/* What a record says: its value, share, state, driver. */
#include "report/report.h"

#include <stdio.h>

double bx_record_value(const bx_record *record)
{
    return (double)record->total / record->stats.n;
}

const char *bx_record_text(const bx_record *record, char to[BX_NUMBER])
{
    if (!bx_record_has_value(record))
        return bx_record_state_text(record);
    if (record->total % record->stats.n)
        return bx_number_plain(bx_record_value(record), 6, to);
    snprintf(to, BX_NUMBER, "%llu", (unsigned long long)(record->total / record->stats.n));
    return to;
}

bx_str bx_record_state(const bx_record *record)
{
    char unused[BX_NUMBER];
    if (bx_record_has_value(record))
        return record->state == BX_SCALED ? BX_STR("scaled") : BX_STR("counted");
    bx_str text = bx_str_of(bx_record_text(record, unused));
    return bx_str_sub(text, 1, text.n - 2); /* without < and > */
}

double bx_record_share(const bx_record *record)
{
    if (!record->enabled) /* it was never enabled, so it cannot have missed a count */
        return record->state == BX_COUNTED ? 100 : 0;
    return 100.0 * (double)record->running / (double)record->enabled;
}

double bx_record_runtime(const bx_report *r, const bx_record *record)
{
    unsigned units = record->units ? record->units : 1;
    return record->stats.n ? (double)record->running / record->stats.n / units * 1e9 / r->of->hz
                           : 0;
}

const char *bx_record_driver(const bx_record *record)
{
    return record->driver == BX_DRIVER_PERF        ? "perf_event"
           : record->driver == BX_DRIVER_REGISTERS ? "registers"
                                                   : NULL;
}

const char *bx_state_text(unsigned state)
{
    static const char *const texts[] = {
        [BX_COUNTED] = NULL,
        [BX_SCALED] = NULL,
        [BX_NOT_MODELLED] = "<not modelled>",
        [BX_NOT_MEASURED] = "<not measured>",
        [BX_BLOCKED] = "<blocked>",
        [BX_IMPLAUSIBLE] = "<implausible>",
        [BX_NOT_SUPPORTED] = "<not supported>",
        [BX_NOT_COUNTED] = "<not counted>",
    };
    return texts[state < sizeof texts / sizeof *texts ? state : BX_NOT_COUNTED];
}

const char *bx_record_state_text(const bx_record *record)
{
    return bx_state_text(record->state > BX_SCALED ? record->state : BX_NOT_COUNTED);
}
