/* The catalogue of the Ivy Bridge-EP C-Box against facts typed from document 004 (libpfm4's manual
 * page), libpfm4's table and Intel 329468-002. */
#include "../cmocked.h"

#include "facts.h"

#include <string.h>

static const struct bx_catalog *c;
static uint16_t cbo;

static const bx_cat_event *event_of(const char *name)
{
    return facts_event(c, cbo, name);
}

static unsigned modifier_of(const char *name)
{
    uint16_t i = bx_cat_find_modifier(c, cbo, bx_str_of(name));
    assert_int_not_equal(i, BX_NONE);
    return (unsigned)(i - bx_cat_pmus(c)[cbo].modifiers.first);
}

static uint32_t modifiers_of(const char *names)
{
    uint32_t mask = 0;
    bx_str rest = bx_str_of(names);
    while (rest.p && rest.n) {
        bx_str name = bx_str_cut(&rest, ' ');
        uint16_t i = bx_cat_find_modifier(c, cbo, name);
        assert_int_not_equal(i, BX_NONE);
        mask |= UINT32_C(1) << (i - bx_cat_pmus(c)[cbo].modifiers.first);
    }
    return mask;
}

/* Event, code, mask of counters, and the named modifiers that it takes. */
static const struct {
    const char *name;
    uint16_t code;
    uint32_t counters;
    const char *takes;
} events[] = {
    {"UNC_C_CLOCKTICKS", 0x00, 0xf, ""},
    {"UNC_C_COUNTER0_OCCUPANCY", 0x1f, 0xe, "e t tf cf"},
    {"UNC_C_LLC_LOOKUP", 0x34, 0x3, "e t tf cf nf"},
    {"UNC_C_LLC_VICTIMS", 0x37, 0x3, "e t tf cf nf"},
    {"UNC_C_MISC", 0x39, 0x3, "e t tf cf"},
    {"UNC_C_RING_AD_USED", 0x1b, 0xc, "e t tf cf"},
    {"UNC_C_RING_AK_USED", 0x1c, 0xc, "e t tf cf"},
    {"UNC_C_RING_BL_USED", 0x1d, 0xc, "e t tf cf"},
    {"UNC_C_RING_BOUNCES", 0x05, 0x3, "e t tf cf"},
    {"UNC_C_RING_IV_USED", 0x1e, 0xc, "e t tf cf"},
    {"UNC_C_RING_SRC_THRTL", 0x07, 0x3, "e t tf cf"},
    {"UNC_C_RXR_EXT_STARVED", 0x12, 0x3, "e t tf cf"},
    {"UNC_C_RXR_INSERTS", 0x13, 0x3, "e t tf cf"},
    {"UNC_C_RXR_IPQ_RETRY", 0x31, 0x3, "e t tf cf"},
    {"UNC_C_RXR_IRQ_RETRY", 0x32, 0x3, "e t tf cf"},
    {"UNC_C_RXR_ISMQ_RETRY", 0x33, 0x3, "e t tf cf"},
    {"UNC_C_RXR_OCCUPANCY", 0x11, 0x1, "e t tf cf"},
    {"UNC_C_TOR_INSERTS", 0x35, 0x3, "e t tf cf nf isoc nc"},
    {"UNC_C_TOR_OCCUPANCY", 0x36, 0x1, "e t tf cf nf isoc nc"},
    {"UNC_C_TXR_ADS_USED", 0x04, 0x3, "e t tf cf"},
    {"UNC_C_TXR_INSERTS", 0x02, 0x3, "e t tf cf"},
};

static void all_events(void **state)
{
    (void)state;
    uint32_t named = modifiers_of("e t tf cf nf nc isoc");
    assert_int_equal(sizeof events / sizeof *events, 21);
    assert_int_equal(bx_cat_pmus(c)[cbo].events.n, 21);
    for (size_t i = 0; i < 21; i++) {
        const bx_cat_event *event = event_of(events[i].name);
        FACTS_SAME(events[i].name, "", {"code", event->code, events[i].code},
                   {"counters", event->counters, events[i].counters},
                   {"modifiers", event->modifiers & named, modifiers_of(events[i].takes)},
                   {"source", event->source && event->title && event->unit, true});
    }
}

enum { ALONE = 1, PRESET = 2, NODE = 4, OPCODE = 8 };

/* Event, unit mask and value. ALONE: no other unit mask of its group may be added. PRESET: it is
 * the default of its group. NODE: it needs nf. OPCODE: it needs an opcode. */
static const struct {
    const char *event, *name;
    uint16_t value;
    unsigned flags;
} umasks[] = {
    {"UNC_C_LLC_LOOKUP", "DATA_READ", 0x03, ALONE},
    {"UNC_C_LLC_LOOKUP", "WRITE", 0x05, ALONE},
    {"UNC_C_LLC_LOOKUP", "REMOTE_SNOOP", 0x09, ALONE},
    {"UNC_C_LLC_LOOKUP", "ANY", 0x11, ALONE | PRESET},
    {"UNC_C_LLC_LOOKUP", "NID", 0x41, NODE},
    {"UNC_C_LLC_VICTIMS", "STATE_M", 0x01, 0},
    {"UNC_C_LLC_VICTIMS", "STATE_E", 0x02, 0},
    {"UNC_C_LLC_VICTIMS", "STATE_S", 0x04, 0},
    {"UNC_C_LLC_VICTIMS", "MISS", 0x08, 0},
    {"UNC_C_LLC_VICTIMS", "NID", 0x40, NODE},
    {"UNC_C_MISC", "RSPI_WAS_FSE", 0x01, ALONE},
    {"UNC_C_MISC", "WC_ALIASING", 0x02, ALONE},
    {"UNC_C_MISC", "STARTED", 0x04, ALONE},
    {"UNC_C_MISC", "RFO_HIT_S", 0x08, ALONE},
    {"UNC_C_RING_AD_USED", "UP_VR0_EVEN", 0x01, 0},
    {"UNC_C_RING_AD_USED", "UP_VR0_ODD", 0x02, 0},
    {"UNC_C_RING_AD_USED", "DOWN_VR0_EVEN", 0x04, 0},
    {"UNC_C_RING_AD_USED", "DOWN_VR0_ODD", 0x08, 0},
    {"UNC_C_RING_AD_USED", "UP_VR1_EVEN", 0x10, 0},
    {"UNC_C_RING_AD_USED", "UP_VR1_ODD", 0x20, 0},
    {"UNC_C_RING_AD_USED", "DOWN_VR1_EVEN", 0x40, 0},
    {"UNC_C_RING_AD_USED", "DOWN_VR1_ODD", 0x80, 0},
    {"UNC_C_RING_AD_USED", "UP", 0x33, 0},
    {"UNC_C_RING_AD_USED", "DOWN", 0xcc, 0},
    {"UNC_C_RING_AK_USED", "UP_VR0_EVEN", 0x01, 0},
    {"UNC_C_RING_AK_USED", "UP_VR0_ODD", 0x02, 0},
    {"UNC_C_RING_AK_USED", "DOWN_VR0_EVEN", 0x04, 0},
    {"UNC_C_RING_AK_USED", "DOWN_VR0_ODD", 0x08, 0},
    {"UNC_C_RING_AK_USED", "UP_VR1_EVEN", 0x10, 0},
    {"UNC_C_RING_AK_USED", "UP_VR1_ODD", 0x20, 0},
    {"UNC_C_RING_AK_USED", "DOWN_VR1_EVEN", 0x40, 0},
    {"UNC_C_RING_AK_USED", "DOWN_VR1_ODD", 0x80, 0},
    {"UNC_C_RING_AK_USED", "UP", 0x33, 0},
    {"UNC_C_RING_AK_USED", "DOWN", 0xcc, 0},
    {"UNC_C_RING_BL_USED", "UP_VR0_EVEN", 0x01, 0},
    {"UNC_C_RING_BL_USED", "UP_VR0_ODD", 0x02, 0},
    {"UNC_C_RING_BL_USED", "DOWN_VR0_EVEN", 0x04, 0},
    {"UNC_C_RING_BL_USED", "DOWN_VR0_ODD", 0x08, 0},
    {"UNC_C_RING_BL_USED", "UP_VR1_EVEN", 0x10, 0},
    {"UNC_C_RING_BL_USED", "UP_VR1_ODD", 0x20, 0},
    {"UNC_C_RING_BL_USED", "DOWN_VR1_EVEN", 0x40, 0},
    {"UNC_C_RING_BL_USED", "DOWN_VR1_ODD", 0x80, 0},
    {"UNC_C_RING_BL_USED", "UP", 0x33, 0},
    {"UNC_C_RING_BL_USED", "DOWN", 0xcc, 0},
    {"UNC_C_RING_BOUNCES", "AD_IRQ", 0x02, 0},
    {"UNC_C_RING_BOUNCES", "AK", 0x04, 0},
    {"UNC_C_RING_BOUNCES", "BL", 0x08, 0},
    {"UNC_C_RING_BOUNCES", "IV", 0x10, 0},
    {"UNC_C_RING_IV_USED", "ANY", 0x0f, PRESET},
    {"UNC_C_RING_IV_USED", "UP", 0x33, 0},
    {"UNC_C_RING_IV_USED", "DOWN", 0xcc, 0},
    {"UNC_C_RXR_EXT_STARVED", "IRQ", 0x01, 0},
    {"UNC_C_RXR_EXT_STARVED", "IPQ", 0x02, 0},
    {"UNC_C_RXR_EXT_STARVED", "PRQ", 0x04, 0},
    {"UNC_C_RXR_EXT_STARVED", "ISMQ_BIDS", 0x08, 0},
    {"UNC_C_RXR_INSERTS", "IPQ", 0x04, ALONE},
    {"UNC_C_RXR_INSERTS", "IRQ", 0x01, ALONE},
    {"UNC_C_RXR_INSERTS", "IRQ_REJECTED", 0x02, ALONE},
    {"UNC_C_RXR_INSERTS", "VFIFO", 0x10, ALONE},
    {"UNC_C_RXR_IPQ_RETRY", "ADDR_CONFLICT", 0x04, ALONE},
    {"UNC_C_RXR_IPQ_RETRY", "ANY", 0x01, ALONE | PRESET},
    {"UNC_C_RXR_IPQ_RETRY", "FULL", 0x02, ALONE},
    {"UNC_C_RXR_IPQ_RETRY", "QPI_CREDITS", 0x10, ALONE},
    {"UNC_C_RXR_IRQ_RETRY", "ADDR_CONFLICT", 0x04, ALONE},
    {"UNC_C_RXR_IRQ_RETRY", "ANY", 0x01, ALONE | PRESET},
    {"UNC_C_RXR_IRQ_RETRY", "FULL", 0x02, ALONE},
    {"UNC_C_RXR_IRQ_RETRY", "QPI_CREDITS", 0x10, ALONE},
    {"UNC_C_RXR_IRQ_RETRY", "RTID", 0x08, ALONE},
    {"UNC_C_RXR_IRQ_RETRY", "IIO_CREDITS", 0x20, ALONE},
    {"UNC_C_RXR_ISMQ_RETRY", "ANY", 0x01, ALONE | PRESET},
    {"UNC_C_RXR_ISMQ_RETRY", "FULL", 0x02, ALONE},
    {"UNC_C_RXR_ISMQ_RETRY", "IIO_CREDITS", 0x20, ALONE},
    {"UNC_C_RXR_ISMQ_RETRY", "QPI_CREDITS", 0x10, ALONE},
    {"UNC_C_RXR_ISMQ_RETRY", "RTID", 0x08, ALONE},
    {"UNC_C_RXR_ISMQ_RETRY", "WB_CREDITS", 0x80, ALONE},
    {"UNC_C_RXR_OCCUPANCY", "IPQ", 0x04, ALONE},
    {"UNC_C_RXR_OCCUPANCY", "IRQ", 0x01, ALONE},
    {"UNC_C_RXR_OCCUPANCY", "IRQ_REJECTED", 0x02, ALONE},
    {"UNC_C_RXR_OCCUPANCY", "VFIFO", 0x10, ALONE},
    {"UNC_C_TOR_INSERTS", "OPCODE", 0x01, ALONE | OPCODE},
    {"UNC_C_TOR_INSERTS", "MISS_OPCODE", 0x03, ALONE | OPCODE},
    {"UNC_C_TOR_INSERTS", "EVICTION", 0x04, ALONE},
    {"UNC_C_TOR_INSERTS", "ALL", 0x08, ALONE | PRESET},
    {"UNC_C_TOR_INSERTS", "WB", 0x10, ALONE},
    {"UNC_C_TOR_INSERTS", "LOCAL_OPCODE", 0x21, ALONE | OPCODE},
    {"UNC_C_TOR_INSERTS", "MISS_LOCAL_OPCODE", 0x23, ALONE | OPCODE},
    {"UNC_C_TOR_INSERTS", "LOCAL", 0x28, ALONE},
    {"UNC_C_TOR_INSERTS", "MISS_LOCAL", 0x2a, ALONE},
    {"UNC_C_TOR_INSERTS", "NID_OPCODE", 0x41, ALONE | NODE | OPCODE},
    {"UNC_C_TOR_INSERTS", "NID_MISS_OPCODE", 0x43, ALONE | NODE | OPCODE},
    {"UNC_C_TOR_INSERTS", "NID_EVICTION", 0x44, ALONE | NODE},
    {"UNC_C_TOR_INSERTS", "NID_ALL", 0x48, ALONE | NODE},
    {"UNC_C_TOR_INSERTS", "NID_MISS_ALL", 0x4a, ALONE | NODE},
    {"UNC_C_TOR_INSERTS", "NID_WB", 0x50, ALONE | NODE},
    {"UNC_C_TOR_INSERTS", "REMOTE_OPCODE", 0x81, ALONE | OPCODE},
    {"UNC_C_TOR_INSERTS", "MISS_REMOTE_OPCODE", 0x83, ALONE | OPCODE},
    {"UNC_C_TOR_INSERTS", "REMOTE", 0x88, ALONE},
    {"UNC_C_TOR_INSERTS", "MISS_REMOTE", 0x8a, ALONE},
    {"UNC_C_TOR_OCCUPANCY", "OPCODE", 0x01, ALONE | OPCODE},
    {"UNC_C_TOR_OCCUPANCY", "MISS_OPCODE", 0x03, ALONE | OPCODE},
    {"UNC_C_TOR_OCCUPANCY", "EVICTION", 0x04, ALONE},
    {"UNC_C_TOR_OCCUPANCY", "ALL", 0x08, ALONE | PRESET},
    {"UNC_C_TOR_OCCUPANCY", "MISS_ALL", 0x0a, ALONE},
    {"UNC_C_TOR_OCCUPANCY", "WB", 0x10, ALONE},
    {"UNC_C_TOR_OCCUPANCY", "LOCAL_OPCODE", 0x21, ALONE | OPCODE},
    {"UNC_C_TOR_OCCUPANCY", "MISS_LOCAL_OPCODE", 0x23, ALONE | OPCODE},
    {"UNC_C_TOR_OCCUPANCY", "LOCAL", 0x28, ALONE},
    {"UNC_C_TOR_OCCUPANCY", "MISS_LOCAL", 0x2a, ALONE},
    {"UNC_C_TOR_OCCUPANCY", "NID_OPCODE", 0x41, ALONE | NODE | OPCODE},
    {"UNC_C_TOR_OCCUPANCY", "NID_MISS_OPCODE", 0x43, ALONE | NODE | OPCODE},
    {"UNC_C_TOR_OCCUPANCY", "NID_EVICTION", 0x44, ALONE | NODE},
    {"UNC_C_TOR_OCCUPANCY", "NID_ALL", 0x48, ALONE | NODE},
    {"UNC_C_TOR_OCCUPANCY", "NID_MISS_ALL", 0x4a, ALONE | NODE},
    {"UNC_C_TOR_OCCUPANCY", "NID_WB", 0x50, ALONE | NODE},
    {"UNC_C_TOR_OCCUPANCY", "REMOTE_OPCODE", 0x81, ALONE | OPCODE},
    {"UNC_C_TOR_OCCUPANCY", "MISS_REMOTE_OPCODE", 0x83, ALONE | OPCODE},
    {"UNC_C_TOR_OCCUPANCY", "REMOTE", 0x88, ALONE},
    {"UNC_C_TOR_OCCUPANCY", "MISS_REMOTE", 0x8a, ALONE},
    {"UNC_C_TXR_ADS_USED", "AD", 0x01, ALONE},
    {"UNC_C_TXR_ADS_USED", "AK", 0x02, ALONE},
    {"UNC_C_TXR_ADS_USED", "BL", 0x04, ALONE},
    {"UNC_C_TXR_INSERTS", "AD_CACHE", 0x01, ALONE},
    {"UNC_C_TXR_INSERTS", "AK_CACHE", 0x02, ALONE},
    {"UNC_C_TXR_INSERTS", "BL_CACHE", 0x04, ALONE},
    {"UNC_C_TXR_INSERTS", "IV_CACHE", 0x08, ALONE},
    {"UNC_C_TXR_INSERTS", "AD_CORE", 0x10, ALONE},
    {"UNC_C_TXR_INSERTS", "AK_CORE", 0x20, ALONE},
    {"UNC_C_TXR_INSERTS", "BL_CORE", 0x40, ALONE},
};

static uint16_t preset_of(const bx_cat_umask *umask)
{
    return umask->group == BX_NONE ? bx_cat_events(c)[umask->event].umask_default
                                   : bx_cat_groups(c)[umask->group].preset;
}

static void all_unit_masks(void **state)
{
    (void)state;
    uint32_t nf = modifiers_of("nf"), opc = modifiers_of("opc"), with = modifiers_of("opc nc isoc");
    assert_int_equal(sizeof umasks / sizeof *umasks, 128);
    for (size_t i = 0; i < sizeof umasks / sizeof *umasks; i++) {
        const bx_cat_umask *umask = facts_umask(c, event_of(umasks[i].event), umasks[i].name);
        unsigned flags = umasks[i].flags;
        uint32_t node = flags & NODE ? nf : 0;
        FACTS_SAME(umasks[i].event, umasks[i].name, {"value", umask->value, umasks[i].value},
                   {"alone", (umask->flags & BX_UMASK_ALONE) != 0, (flags & ALONE) != 0},
                   {"not libpfm4's", umask->flags & BX_UMASK_NO_LIBPFM, 0},
                   {"preset", preset_of(umask) == umask - bx_cat_umasks(c), (flags & PRESET) != 0},
                   {"needs", umask->needs, node | (flags & OPCODE ? opc : 0)},
                   {"takes", umask->takes, node | (flags & OPCODE ? with : 0)},
                   {"sets", umask->sets.n, 0});
    }
}

/* Each event's modifiers that only some of its unit masks take. */
static void bound_modifiers(void **state)
{
    (void)state;
    assert_int_equal(event_of("UNC_C_LLC_LOOKUP")->bound, modifiers_of("nf"));
    assert_int_equal(event_of("UNC_C_LLC_VICTIMS")->bound, modifiers_of("nf"));
    assert_int_equal(event_of("UNC_C_TOR_INSERTS")->bound, modifiers_of("nf nc isoc opc"));
    assert_int_equal(event_of("UNC_C_TOR_OCCUPANCY")->bound, modifiers_of("nf nc isoc opc"));
    assert_int_equal(event_of("UNC_C_MISC")->bound, 0);
}

static void assert_sets(const bx_cat_umask *umask, const char *modifier, uint64_t value)
{
    assert_int_equal(umask->value, 0);
    assert_int_equal(umask->sets.n, 1);
    const bx_cat_set *set = &bx_cat_sets(c)[umask->sets.first];
    assert_string_equal(bx_cat_z(c, bx_cat_modifiers(c)[set->modifier].name), modifier);
    assert_int_equal(set->value, value);
}

/* FILTER0 bits 22:17. */
static void states(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t filter0;
    } all[] = {{"STATE_I", 0x20000},  {"STATE_S", 0x40000},  {"STATE_E", 0x80000},
               {"STATE_M", 0x100000}, {"STATE_F", 0x200000}, {"STATE_MESIF", 0x7e0000}};
    const bx_cat_event *event = event_of("UNC_C_LLC_LOOKUP");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const bx_cat_umask *umask = facts_umask(c, event, all[i].name);
        assert_sets(umask, "state", all[i].filter0 >> 17);
        assert_int_equal((umask->flags & BX_UMASK_ALONE) != 0, i == 5);
        assert_int_equal(preset_of(umask) == umask - bx_cat_umasks(c), i == 5);
    }
    assert_int_equal(event->groups.n, 3); /* request, node, state */
}

static const struct {
    const char *name;
    uint64_t opcode;
} opcodes[] = {
    {"OPC_RFO", 0x180},      {"OPC_CRD", 0x181},     {"OPC_DRD", 0x182},
    {"OPC_PRD", 0x187},      {"OPC_WCILF", 0x18C},   {"OPC_WCIL", 0x18D},
    {"OPC_PF_RFO", 0x190},   {"OPC_PF_CODE", 0x191}, {"OPC_PF_DATA", 0x192},
    {"OPC_PCIWILF", 0x194},  {"OPC_PCIPRD", 0x195},  {"OPC_PCIITOM", 0x19C},
    {"OPC_PCIRDCUR", 0x19E}, {"OPC_WBMTOI", 0x1C4},  {"OPC_WBMTOE", 0x1C5},
    {"OPC_ITOM", 0x1C8},     {"OPC_PCINSRD", 0x1E4}, {"OPC_PCINSWR", 0x1E5},
    {"OPC_PCINSWRF", 0x1E6},
};

static void all_opcodes(void **state)
{
    (void)state;
    static const char *const tor[] = {"UNC_C_TOR_INSERTS", "UNC_C_TOR_OCCUPANCY"};
    assert_int_equal(sizeof opcodes / sizeof *opcodes, 19);
    for (size_t e = 0; e < 2; e++)
        for (size_t i = 0; i < 19; i++) {
            const bx_cat_umask *umask = facts_umask(c, event_of(tor[e]), opcodes[i].name);
            assert_sets(umask, "opc", opcodes[i].opcode);
            assert_true(umask->flags & BX_UMASK_ALONE);
            assert_int_equal(preset_of(umask), BX_NONE);
            assert_int_equal(bx_cat_groups(c)[umask->group].flags, BX_GROUP_ONE);
        }
}

/* Events without a default: at least one unit mask of the first group must be named. */
static void required_groups(void **state)
{
    (void)state;
    static const char *const names[] = {"UNC_C_LLC_VICTIMS",  "UNC_C_MISC",
                                        "UNC_C_RXR_INSERTS",  "UNC_C_RXR_OCCUPANCY",
                                        "UNC_C_TXR_ADS_USED", "UNC_C_TXR_INSERTS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const bx_cat_event *event = event_of(names[i]);
        assert_true(bx_cat_groups(c)[event->groups.first].flags & BX_GROUP_REQUIRED);
    }
    assert_int_equal(event_of("UNC_C_RING_AD_USED")->groups.n, 0);
    assert_int_equal(event_of("UNC_C_RING_AD_USED")->umask_default, BX_NONE);
}

/* Document 004's modifiers: field, range, and whether it is a flag. */
static const struct {
    const char *name, *reg, *kernel;
    unsigned hi, lo;
    uint64_t least, most;
    bool flag;
} modifiers[] = {
    {"e", "", "edge", 18, 18, 0, 1, true},
    {"t", "", "thresh", 31, 24, 0, 255, false},
    {"nf", "C{unit}_MSR_PMON_BOX_FILTER1", "filter_nid", 15, 0, 1, 255, false},
    {"cf", "C{unit}_MSR_PMON_BOX_FILTER0", "filter_tid", 3, 1, 0, 7, false},
    {"tf", "C{unit}_MSR_PMON_BOX_FILTER0", "filter_tid", 0, 0, 0, 1, false},
    {"nc", "C{unit}_MSR_PMON_BOX_FILTER1", "filter_nc", 30, 30, 0, 1, true},
    {"isoc", "C{unit}_MSR_PMON_BOX_FILTER1", "filter_isoc", 31, 31, 0, 1, true},
    {"tid_en", "", "tid_en", 19, 19, 0, 1, true},
    {"state", "C{unit}_MSR_PMON_BOX_FILTER0", "filter_state", 22, 17, 0, 0x3f, false},
    {"opc", "C{unit}_MSR_PMON_BOX_FILTER1", "filter_opc", 28, 20, 0, 0x1ff, false},
    {"other", "C{unit}_MSR_PMON_BOX_FILTER0", "filter_tid", 4, 4, 0, 1, true},
};

static void all_modifiers(void **state)
{
    (void)state;
    bx_span span = bx_cat_pmus(c)[cbo].modifiers;
    assert_int_equal(span.n, sizeof modifiers / sizeof *modifiers);
    for (size_t i = 0; i < span.n; i++) {
        const bx_cat_modifier *m =
            &bx_cat_modifiers(c)[span.first + modifier_of(modifiers[i].name)];
        const bx_cat_field *f = &bx_cat_fields(c)[m->field];
        FACTS_SAME(modifiers[i].name, "", {"highest bit", f->hi, modifiers[i].hi},
                   {"lowest bit", f->lo, modifiers[i].lo}, {"least", m->lo, modifiers[i].least},
                   {"most", m->hi, modifiers[i].most}, {"flag", m->flag, modifiers[i].flag});
        assert_string_equal(bx_cat_z(c, m->kernel), modifiers[i].kernel);
        assert_string_equal(m->reg == BX_NONE ? "" : bx_cat_z(c, bx_cat_regs(c)[m->reg].name),
                            modifiers[i].reg);
        assert_int_equal((m->flags & BX_MODIFIER_HIDDEN) != 0, i >= 7);
        assert_int_equal((m->flags & BX_MODIFIER_BITS) != 0, i == 2 || i == 8); /* masks */
        assert_int_equal(m->libpfm_hi, i == 3 ? 15 : m->hi); /* libpfm4 cuts it to three bits */
        assert_int_equal(m->needs, i == 0 ? modifiers_of("t") : 0);
        bool filters = i == 3 || i == 4 || i == 10; /* these enable the filter */
        assert_int_equal(m->sets.n, filters);
        if (filters) {
            const bx_cat_set *set = &bx_cat_sets(c)[m->sets.first];
            assert_int_equal(set->modifier, span.first + modifier_of("tid_en"));
            assert_int_equal(set->value, 1);
        }
    }
}

/* Eleven registers a box, 20H apart. */
static void registers(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t address;
    } box0[] = {
        {"BOX_CTL", 0xd04}, {"CTL0", 0xd10},        {"CTL1", 0xd11},        {"CTL2", 0xd12},
        {"CTL3", 0xd13},    {"BOX_FILTER0", 0xd14}, {"CTR0", 0xd16},        {"CTR1", 0xd17},
        {"CTR2", 0xd18},    {"CTR3", 0xd19},        {"BOX_FILTER1", 0xd1a},
    };
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[cbo];
    assert_int_equal(pmu->unit_max, 15);
    assert_int_equal(pmu->regs.n, 11);
    for (size_t i = 0; i < 11; i++) {
        char name[48] = "C{unit}_MSR_PMON_";
        strcat(name, box0[i].name);
        const bx_cat_reg *reg = facts_reg("ivbep", name, NULL);
        for (unsigned unit = 0; unit < 15; unit++)
            FACTS_SAME(name, "",
                       {"address", facts_address(reg, unit), box0[i].address + 0x20 * unit});
        bool filter = strstr(name, "FILTER") != NULL;
        assert_int_equal(reg->flags, filter ? BX_REG_SHARED : 0);
    }
}

static const bx_cat_field *field_of(const char *reg, const char *name)
{
    return facts_field(facts_reg("ivbep", reg, NULL), name);
}

static uint64_t implemented(const char *reg)
{
    return facts_bits(facts_reg("ivbep", reg, NULL), ALL_KINDS);
}

static void bits(void **state)
{
    (void)state;
    static const char ctl[] = "C{unit}_MSR_PMON_CTL0", box[] = "C{unit}_MSR_PMON_BOX_CTL";
    /* code, unit mask, reset 17, edge 18, tid_en 19, enable 22, threshold; no invert 23 */
    assert_int_equal(implemented(ctl), 0xff4effff);
    assert_int_equal(implemented(box), 0x30103);
    assert_int_equal(implemented("C{unit}_MSR_PMON_BOX_FILTER0"), 0x7e01ff);
    assert_int_equal(implemented("C{unit}_MSR_PMON_BOX_FILTER1"), 0xfff0ffff);
    assert_int_equal(implemented("C{unit}_MSR_PMON_CTR0"), 0xfffffffffff);
    assert_int_equal(field_of(ctl, "RST")->resets, BX_RESETS_COUNTER);
    assert_int_equal(field_of(box, "RST_CTRL")->resets, BX_RESETS_CONTROLS);
    assert_int_equal(field_of(box, "RST_CTRS")->resets, BX_RESETS_COUNTERS);
    assert_int_equal(field_of(box, "RST_CTRL")->kind, BX_FIELD_WO);
    assert_int_equal(field_of(box, "RST_CTRL")->lo, 0);
    assert_int_equal(field_of(box, "RST_CTRS")->lo, 1);
    assert_int_equal(field_of(box, "FRZ")->lo, 8);
    /* 17:16 must be 1, but Linux writes 0 to them */
    assert_int_equal(field_of(box, "MUST_BE_ONE")->kind, BX_FIELD_RO);
    assert_int_equal(facts_reg("ivbep", box, NULL)->reset, 0x30000);
}

/* A counter counts while its EN is set and neither the box nor the socket is frozen. */
static void counters(void **state)
{
    (void)state;
    static const struct {
        unsigned bit;
        uint64_t value;
        uint32_t address;
    } when[] = {{22, 1, 0xd10}, {8, 0, 0xd04}, {31, 0, 0xc00}};
    bx_span span = bx_cat_pmus(c)[cbo].counters;
    assert_int_equal(span.n, 4);
    for (uint16_t i = 0; i < 4; i++) {
        const bx_cat_counter *k = &bx_cat_counters(c)[span.first + i];
        assert_int_equal(k->width, 44);
        assert_int_equal(k->counts.n, 3);
        for (uint16_t n = 0; n < 3; n++) {
            const bx_cat_cond *cond = &bx_cat_conds(c)[k->counts.first + n];
            uint32_t at = facts_address(&bx_cat_regs(c)[cond->reg], 0);
            assert_int_equal(bx_cat_fields(c)[cond->field].lo, when[n].bit);
            assert_int_equal(cond->value, when[n].value);
            assert_int_equal(at, when[n].address + (n == 0 ? i : 0));
        }
        assert_int_equal(bx_cat_fields(c)[k->edge].lo, 18);
        assert_int_equal(bx_cat_fields(c)[k->threshold].lo, 24);
        assert_int_equal(k->invert, BX_NONE);
        assert_int_equal(k->overflow_en, BX_NONE);
    }
}

/* The names that other tools have for one register or field of each kind. */
static void other_names(void **state)
{
    (void)state;
    const bx_cat_event *event = event_of("UNC_C_RxR_OCCUPANCY"); /* Intel's own spelling */
    uint16_t i = (uint16_t)(event - bx_cat_events(c));
    assert_string_equal(bx_cat_z(c, event->alias), "RXR_OCCUPANCY");
    assert_int_equal(bx_cat_find_likwid_umask(c, i, BX_STR("VIFO")),
                     facts_umask(c, event, "VFIFO") - bx_cat_umasks(c));
    event = event_of("LLC_VICTIMS");
    assert_int_equal(event->code, 0x37);
    assert_int_equal(facts_umask(c, event, "M_STATE")->value, 1);
    assert_int_equal(event_of("CBOX_CLOCKTICKS")->code, 0);
    assert_string_equal(bx_cat_z(c, bx_cat_pmus(c)[cbo].kernel), "uncore_cbox_{unit}");
    assert_string_equal(bx_cat_z(c, bx_cat_pmus(c)[cbo].likwid), "CBOX{unit}C{n}");
    assert_int_equal(bx_cat_find_cpu_by_id(c, 6, 62), bx_cat_find_cpu(c, BX_STR("ivbep")));
}

int main(void)
{
    c = bx_catalog_builtin();
    cbo = bx_cat_find_pmu(c, BX_STR("ivbep_unc_cbo"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_events),
        cmocka_unit_test(all_unit_masks),
        cmocka_unit_test(bound_modifiers),
        cmocka_unit_test(states),
        cmocka_unit_test(all_opcodes),
        cmocka_unit_test(required_groups),
        cmocka_unit_test(all_modifiers),
        cmocka_unit_test(registers),
        cmocka_unit_test(bits),
        cmocka_unit_test(counters),
        cmocka_unit_test(other_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
