/* "The instruction mix": for each class the events that count an instruction of it. */
#include "machine.h"

enum { MOST = 6, OTHER_KIND = 0 };

/* Code, and unit mask or a bit of it. */
struct counted {
    uint8_t code, umask;
};

#define BRANCH                                                                                     \
    {0x88}, {0xc4},                                                                                \
    {                                                                                              \
        0xe0                                                                                       \
    }
#define COMPUTATION                                                                                \
    {0x10},                                                                                        \
    {                                                                                              \
        0xc1                                                                                       \
    }
#define MMX                                                                                        \
    {0xb0}, {0xb2, 0x0f},                                                                          \
    {                                                                                              \
        0xce                                                                                       \
    }

static const struct counted events[BX_CLASSES][MOST + 1] = {
    [BX_CLASS_CONDITIONAL_BRANCH] = {BRANCH, {0x8b}},
    [BX_CLASS_JUMP] = {BRANCH},
    [BX_CLASS_INDIRECT_JUMP] = {BRANCH, {0x8d}},
    [BX_CLASS_CALL] = {BRANCH, {0x92}},
    [BX_CLASS_INDIRECT_CALL] = {BRANCH, {0x8d}, {0x92}, {0x94}},
    [BX_CLASS_RETURN] = {BRANCH, {0x8f}},
    [BX_CLASS_MULTIPLY] = {{0x10}, {0x12}},
    [BX_CLASS_DIVIDE] = {{0x10}, {0x13}},
    [BX_CLASS_SEGMENT_LOAD] = {{0x06}},
    [BX_CLASS_X87_COMPUTE] = {COMPUTATION},
    [BX_CLASS_X87_MULTIPLY] = {COMPUTATION, {0x12}},
    [BX_CLASS_X87_DIVIDE] = {COMPUTATION, {0x13}},
    [BX_CLASS_MMX] = {MMX},
    [BX_CLASS_MMX_STORE] = {{0xce}},
    [BX_CLASS_MMX_MULTIPLY] = {MMX, {0xb3, 0x01}},
    [BX_CLASS_MMX_SHIFT] = {MMX, {0xb3, 0x02}},
    [BX_CLASS_MMX_PACK] = {MMX, {0xb3, 0x04}, {0xb1}},
    [BX_CLASS_MMX_UNPACK] = {MMX, {0xb3, 0x08}},
    [BX_CLASS_MMX_LOGICAL] = {MMX, {0xb3, 0x10}},
    [BX_CLASS_MMX_ARITHMETIC] = {MMX, {0xb3, 0x20}},
    [BX_CLASS_MMX_SATURATING] = {MMX, {0xb3, 0x20}, {0xb1}},
    [BX_CLASS_MMX_WEAK_STORE] = {{0xce}, {0x07, 3}},
    [BX_CLASS_EMMS] = {MMX, {0xcd}},
    [BX_CLASS_PS] = {{0xd8, 0}},
    [BX_CLASS_PD] = {{0xd8, 2}},
    [BX_CLASS_SS] = {{0xd8, 0}, {0xd8, 1}},
    [BX_CLASS_SD] = {{0xd8, 3}},
    [BX_CLASS_PS_COMPUTE] = {{0xd8, 0}, {0xd9, 0}},
    [BX_CLASS_PD_COMPUTE] = {{0xd8, 2}, {0xd9, 2}},
    [BX_CLASS_SS_COMPUTE] = {{0xd8, 0}, {0xd8, 1}, {0xd9, 0}, {0xd9, 1}},
    [BX_CLASS_SD_COMPUTE] = {{0xd8, 3}, {0xd9, 3}},
    [BX_CLASS_PS_CONVERT] = {{0xd8, 0}, {0xd9, 0}},
    [BX_CLASS_PD_CONVERT] = {{0xd8, 2}, {0xd9, 2}},
    [BX_CLASS_SS_CONVERT] = {{0xd8, 0}, {0xd8, 1}, {0xd9, 0}, {0xd9, 1}},
    [BX_CLASS_SD_CONVERT] = {{0xd8, 3}, {0xd9, 3}},
    [BX_CLASS_PS_WEAK_STORE] = {{0xd8, 0}, {0x07, 3}},
    [BX_CLASS_PD_WEAK_STORE] = {{0xd8, 2}, {0x07, 3}},
    [BX_CLASS_WEAK_STORE] = {{0x07, 3}},
    [BX_CLASS_PREFETCH_NTA] = {{0x07, 0}},
    [BX_CLASS_PREFETCH_T1] = {{0x07, 1}},
    [BX_CLASS_PREFETCH_T2] = {{0x07, 2}},
};

/* 'x' or 'm'; OTHER_KIND. */
static int kind_of(unsigned class)
{
    if (class >= BX_CLASS_X87 && class <= BX_CLASS_X87_DIVIDE)
        return 'x';
    return class >= BX_CLASS_MMX && class <= BX_CLASS_EMMS ? 'm' : OTHER_KIND;
}

void p6_instruction(struct p6_oracle *o, unsigned class, uint64_t t)
{
    int kind = kind_of(class), before = o->processor.shared_by;

    for (const struct counted *e = events[class]; e->code; e++)
        p6_pulse_of_code(o, e->code, e->umask, t);
    if (kind == OTHER_KIND)
        return;
    if (before != OTHER_KIND && before != kind)
        p6_pulse_of_code(o, 0xcc, kind == 'x' ? 0 : 1, t);
    o->processor.shared_by = kind;
}
