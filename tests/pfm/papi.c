/* Starts PAPI with our library: it must accept the version and list our events. */
#include <papi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *want = argc > 1 ? argv[1] : "";
    int version = PAPI_library_init(PAPI_VER_CURRENT);
    if (version != PAPI_VER_CURRENT) {
        printf("PAPI_library_init: %d\n", version);
        return 1;
    }
    int events = 0, found = 0;
    for (int i = 0; i < PAPI_num_components(); i++) {
        const PAPI_component_info_t *component = PAPI_get_component_info(i);
        int code = PAPI_NATIVE_MASK;
        PAPI_event_info_t info;
        if (strncmp(component->name, "perf_event", 10) != 0)
            continue;
        printf("%s: disabled %d, libpfm %s\n", component->name, component->disabled,
               component->support_version);
        if (component->disabled || PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, i) != PAPI_OK)
            continue;
        do {
            events++;
            if (PAPI_get_event_info(code, &info) == PAPI_OK && strcmp(info.symbol, want) == 0)
                found++;
        } while (PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, i) == PAPI_OK);
    }
    printf("%d events\n", events);
    PAPI_shutdown();
    return found != 1;
}
