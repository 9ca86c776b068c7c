/* Implements pmus.h. */
#include "host/pmus.h"

#include "../cmocked.h"

#include <stdio.h>

void pmus_put(const folder *f, const char *pmu, const char *file, const char *text)
{
    char path[160], line[160];
    snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/%s", pmu, file);
    snprintf(line, sizeof line, "%s\n", text);
    folder_text(f, path, line);
}

static void name_unit(char to[32], const char *stem, unsigned unit)
{
    snprintf(to, 32, "uncore_%s_%u", stem, unit);
}

static void put_type(const folder *f, const char *pmu, unsigned type, const char *cpus)
{
    char number[16];
    snprintf(number, sizeof number, "%u", type);
    pmus_put(f, pmu, "type", number);
    pmus_put(f, pmu, "cpumask", cpus);
}

static void put_client_terms(const folder *f, const char *pmu)
{
    pmus_put(f, pmu, "format/event", "config:0-7");
    pmus_put(f, pmu, "format/umask", "config:8-15");
    pmus_put(f, pmu, "format/edge", "config:18");
    pmus_put(f, pmu, "format/inv", "config:23");
    pmus_put(f, pmu, "format/cmask", "config:24-28");
}

void pmus_client_cbox(const folder *f, unsigned unit, unsigned type)
{
    char pmu[32];
    name_unit(pmu, "cbox", unit);
    put_type(f, pmu, type, "0");
    put_client_terms(f, pmu);
    if (unit == 0)
        pmus_put(f, pmu, "events/clockticks", "event=0xff");
}

void pmus_client(const folder *f)
{
    for (unsigned unit = 0; unit < 4; unit++)
        pmus_client_cbox(f, unit, 20 + unit);
    put_type(f, "uncore_arb", 30, "0");
    put_client_terms(f, "uncore_arb");
    put_type(f, "uncore_imc", 31, "0");
    pmus_put(f, "uncore_imc", "format/event", "config:0-7");
    pmus_put(f, "uncore_imc", "events/data_reads", "event=0x01");
    pmus_put(f, "uncore_imc", "events/data_reads.unit", "MiB");
    pmus_put(f, "uncore_imc", "events/data_reads.scale", "6.103515625e-5");
}

void pmus_server_cbox(const folder *f, unsigned unit, unsigned type)
{
    char pmu[32];
    name_unit(pmu, "cbox", unit);
    put_type(f, pmu, type, "0,12");
    pmus_put(f, pmu, "format/event", "config:0-7");
    pmus_put(f, pmu, "format/umask", "config:8-15");
    pmus_put(f, pmu, "format/edge", "config:18");
    pmus_put(f, pmu, "format/tid_en", "config:19");
    pmus_put(f, pmu, "format/thresh", "config:24-31");
    pmus_put(f, pmu, "format/filter_tid", "config1:0-4");
    pmus_put(f, pmu, "format/filter_state", "config1:17-22");
    pmus_put(f, pmu, "format/filter_nid", "config1:32-47");
    pmus_put(f, pmu, "format/filter_opc", "config1:52-60");
    pmus_put(f, pmu, "format/filter_nc", "config1:62");
    pmus_put(f, pmu, "format/filter_isoc", "config1:63");
}

void pmus_mbox(const folder *f, unsigned unit, unsigned type)
{
    static const char *const config1[] = {"dsp", "thr", "fvc", "pgt", "map", "iss", "pld"};
    char pmu[32], term[32];
    name_unit(pmu, "mbox", unit);
    put_type(f, pmu, type, "0");
    pmus_put(f, pmu, "format/count_mode", "config:2-3");
    pmus_put(f, pmu, "format/storage_mode", "config:4-5");
    pmus_put(f, pmu, "format/wrap_mode", "config:6");
    pmus_put(f, pmu, "format/flag_mode", "config:7");
    pmus_put(f, pmu, "format/inc_sel", "config:9-13");
    pmus_put(f, pmu, "format/set_flag_sel", "config:19-21");
    pmus_put(f, pmu, "format/filter_cfg_en", "config2:63");
    pmus_put(f, pmu, "format/filter_match", "config2:0-33");
    pmus_put(f, pmu, "format/filter_mask", "config2:34-61");
    for (size_t i = 0; i < sizeof config1 / sizeof *config1; i++) {
        snprintf(term, sizeof term, "format/%s", config1[i]);
        pmus_put(f, pmu, term, "config1:0-31");
    }
}
