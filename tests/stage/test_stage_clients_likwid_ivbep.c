/* LIKWID on stage: Ivy Bridge-EP. */
#include "stage/likwid.h"

/* A box has only one set of filters, so each box uses another one. */
static void c_boxes(void **state)
{
    (void)state;
    need_likwid();
    static const likwid_event events[] = {
        {"CBOX_CLOCKTICKS:CBOX0C0"},
        {"TOR_INSERTS_OPCODE:CBOX0C1:OPCODE=0x180:THRESHOLD=0x1"},
        {"LLC_LOOKUP_DATA_READ:CBOX1C0:STATE=0x1"},
        {"LLC_LOOKUP_ANY:CBOX1C1:STATE=0x1"},
        {"COUNTER0_OCCUPANCY:CBOX1C2"},
        {"TOR_INSERTS_NID_ALL:CBOX2C0:NID=0x2"},
        {"TOR_INSERTS_MISS_OPCODE:CBOX3C0:OPCODE=0x182"},
        {"TOR_OCCUPANCY_ALL:CBOX4C0"},
        {"RING_BL_USED_UP:CBOX4C2"},
        {"LLC_LOOKUP_NID:CBOX5C0:NID=0x1:STATE=0x1F"},
        {"LLC_VICTIMS_M_STATE:CBOX5C1:THRESHOLD=0x1:EDGEDETECT"},
    };
    CASE(.machine = "virtual:ivbep,part=plain", .packages = 2, .cores = 6, .work = "stream,size=2M",
         EVENTS(events), .seen = 8, .warnings = "");
}

/* Memory channels, in PCI configuration space, on a bus of each package. */
static void memory_channels(void **state)
{
    (void)state;
    need_likwid();
    static const likwid_event events[] = {
        {"CAS_COUNT_RD:MBOX0C0"},
        {"CAS_COUNT_WR:MBOX0C1"},
        {"ACT_COUNT_RD:MBOX0C2"},
        {"DRAM_CLOCKTICKS:MBOX0FIX"},
        {"PRE_COUNT_PAGE_MISS:MBOX1C3"},
        {"CAS_COUNT_RD:MBOX1C0:THRESHOLD=0x1"},
        {"CAS_COUNT_RD:MBOX1C1:THRESHOLD=0x1:EDGEDETECT"},
        {"RD_CAS_RANK1_BANK5:MBOX2C2"},
        {"RPQ_INSERTS:MBOX3C0"},
        {"WPQ_INSERTS:MBOX3C1"},
    };
    CASE(.machine = "virtual:ivbep,part=plain,dram_rate=1600", .packages = 2, .cores = 6,
         .work = "stream,size=8M", EVENTS(events), .seen = 20, .warnings = "");
}

/* LIKWID's group of the memory channels: the volumes follow from the counts. There is no second
 * controller. */
static void memory_group(void **state)
{
    (void)state;
    need_likwid();
    expect("M=virtual:ivbep,part=plain,cores=2\n" LIKWID_WHOLE
           "$B stat --machine $M -w stream,size=4M --per-unit -x, "
           "-e UNC_M_CAS_COUNT:RD,UNC_M_CAS_COUNT:WR | grep ^S >$D.counts\n"
           "whole $M stream,size=4M -O -c 0,2 -g MEM\n"
           "for event in RD WR; do for package in 0 1; do\n"
           "  grep \"^S$package,.*:$event,\" $D.counts | cut -d, -f 3\n"
           "done; done >$D.want\n"
           "for event in RD,MBOX[0-3]C0 WR,MBOX[0-3]C1; do for column in 3 4; do\n"
           "  grep \"^CAS_COUNT_$event,\" $D.csv | cut -d, -f $column\n"
           "done; done >$D.got\n"
           "diff $D.got $D.want && awk '$1 > 1000' $D.want | wc -l\n"
           "grep '^CAS_COUNT_RD,MBOX4C0' $D.csv | sed 's/,,$//'\n"
           "for package in 0 1; do for event in RD WR; do\n"
           "  grep \"^S$package,.*:$event,\" $D.counts |\n"
           "  awk -F, '{ n += $3 } END { printf \"%.4f\\n\", n * 64 / 1e9 }'\n"
           "done; done | sort >$D.want\n"
           "grep -E '^Memory (read|write) data volume .GBytes.,' $D.csv | cut -d, -f 2,3 |\n"
           "tr , '\\n' | sort >$D.got\n"
           "diff $D.got $D.want; rm -f $D.*",
           "16\nCAS_COUNT_RD,MBOX4C0,-,-\n");
}

/* Other boxes are passive PCI functions. LIKWID finds them, and their group runs. */
static void boxes_in_pci_space(void **state)
{
    (void)state;
    need_likwid();
    expect("timeout 100 $B stage --machine virtual:ivbep,part=plain,cores=2 --pace 0 -- \\\n"
           "  likwid-perfctr -O -f -c 0,2 -g QPI true 2>&1 |\n"
           "grep -E '^(TXL_FLITS_G0_DATA,SBOX|TABLE.*Raw,)' | sed 's/,,$//'",
           "TABLE,Group 1 Raw,QPI,18\n"
           "TXL_FLITS_G0_DATA,SBOX0C1,0,0\nTXL_FLITS_G0_DATA,SBOX1C1,0,0\n"
           "TXL_FLITS_G0_DATA,SBOX2C1,-,-\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c_boxes),
        cmocka_unit_test(memory_channels),
        cmocka_unit_test(memory_group),
        cmocka_unit_test(boxes_in_pci_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
