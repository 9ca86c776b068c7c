/* Runs the named checks of a catalogue. */
#include "compile/check/check.h"

/* The order matters: a later check may rely on an earlier one. Each check has a folder of its name
 * under tests/bad that it must refuse; catalog/NOTATION.md explains them. */
static const struct {
    const char *name;
    void (*run)(const bx_check *k);
} checks[] = {
    {"source", bx_check_source},
    {"duplicate", bx_check_duplicate},
    {"width", bx_check_field_width},
    {"overlap", bx_check_overlap},
    {"reset", bx_check_reset},
    {"address", bx_check_address},
    {"resets", bx_check_resets},
    {"extends", bx_check_extends},
    {"guard", bx_check_precondition},
    {"clears", bx_check_clears},
    {"gathers", bx_check_gathers},
    {"runs", bx_check_runs},
    {"units", bx_check_units},
    {"counter", bx_check_counters},
    {"condition", bx_check_conditions},
    {"modifier", bx_check_modifier},
    {"masked", bx_check_masked},
    {"twin", bx_check_twin},
    {"value", bx_check_value},
    {"shared", bx_check_shared},
    {"registers", bx_check_registers},
    {"slot", bx_check_slot},
    {"hidden", bx_check_hidden},
    {"reachable", bx_check_reachable},
    {"code", bx_check_code},
    {"codes", bx_check_codes},
    {"umask", bx_check_umask},
    {"bit", bx_check_bit},
    {"tally", bx_check_tally},
    {"follows", bx_check_follows},
    {"sets", bx_check_sets},
    {"group", bx_check_group},
    {"needs", bx_check_needs},
    {"canonical", bx_check_canonical},
    {"shadow", bx_check_shadow},
    {"shape", bx_check_shape},
    {"preset", bx_check_preset},
    {"model", bx_check_model},
    {"clock", bx_check_clock},
    {"keys", bx_check_keys},
};

bool bx_check_all(bx_build *b, const struct bx_catalog *c)
{
    for (size_t i = 0; i < sizeof checks / sizeof *checks && !b->failed; i++)
        checks[i].run(&(bx_check){.name = checks[i].name, .b = b, .c = c});
    return !b->failed;
}
