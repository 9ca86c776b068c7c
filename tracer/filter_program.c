/* Runs seccomp filters. */
#include "filter_program.h"

enum {
    /* linux/bpf_common.h, linux/filter.h */
    LD = 0,
    LDX = 1,
    ST = 2,
    STX = 3,
    ALU = 4,
    JMP = 5,
    RET = 6,
    MISC = 7,
    CLASS = 7,
    IMM = 0,
    ABS = 0x20,
    MEM = 0x60,
    LEN = 0x80,
    MODE = 0xe0,
    X = 8,
    ADD = 0,
    SUB = 0x10,
    MUL = 0x20,
    DIV = 0x30,
    OR = 0x40,
    AND = 0x50,
    LSH = 0x60,
    RSH = 0x70,
    NEG = 0x80,
    XOR = 0xa0,
    JA = 0,
    JEQ = 0x10,
    JGT = 0x20,
    JGE = 0x30,
    JSET = 0x40,
    OPERATION = 0xf0,
    RET_A = 0x10,
    TXA = 0x80,
    WORDS = 16, /* BPF_MEMWORDS */
};

/* The instructions that seccomp_check_filter() of Linux allows: no MOD, and loads of words only. */
static bool step_is_good(const bx_filter_step *s, uint32_t left)
{
    uint32_t operation = s->code & OPERATION;
    switch (s->code & CLASS) {
    case LD:
        return s->code == (LD | ABS) ? s->k % 4 == 0 && s->k < sizeof(bx_filter_input)
                                     : s->code == (LD | IMM) || s->code == (LD | LEN) ||
                                           (s->code == (LD | MEM) && s->k < WORDS);
    case LDX:
        return s->code == (LDX | IMM) || s->code == (LDX | LEN) ||
               (s->code == (LDX | MEM) && s->k < WORDS);
    case ST:
    case STX:
        return s->code <= STX && s->k < WORDS;
    case ALU:
        return s->code == (ALU | NEG) ||
               (s->code < 0x100 && (operation <= RSH || operation == XOR) &&
                (s->code & X || operation != DIV || s->k != 0) &&
                (s->code & X || (operation != LSH && operation != RSH) || s->k < 32));
    case JMP:
        if (s->code == (JMP | JA))
            return s->k < left;
        return s->code < 0x100 && operation >= JEQ && operation <= JSET && s->if_true < left &&
               s->if_false < left;
    case RET:
        return s->code == RET || s->code == (RET | RET_A);
    default:
        return s->code == MISC || s->code == (MISC | TXA);
    }
}

bool bx_filter_is_good(const bx_filter_step *steps, uint32_t n)
{
    if (n == 0 || n > BX_FILTER_MOST || (steps[n - 1].code & CLASS) != RET)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!step_is_good(&steps[i], n - 1 - i))
            return false;
    return true;
}

static uint32_t compute(uint32_t operation, uint32_t a, uint32_t b)
{
    switch (operation) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case MUL:
        return a * b;
    case DIV:
        return b ? a / b : 0;
    case OR:
        return a | b;
    case AND:
        return a & b;
    case LSH:
        return b < 32 ? a << b : 0;
    case RSH:
        return b < 32 ? a >> b : 0;
    case NEG:
        return -a;
    default:
        return a ^ b;
    }
}

static bool holds(uint32_t operation, uint32_t a, uint32_t b)
{
    return operation == JEQ   ? a == b
           : operation == JGT ? a > b
           : operation == JGE ? a >= b
                              : (a & b) != 0;
}

static uint32_t load(const bx_filter_step *s, const bx_filter_input *input, const uint32_t *memory)
{
    uint32_t value = s->k;
    if ((s->code & MODE) == ABS)
        __builtin_memcpy(&value, (const uint8_t *)input + s->k, sizeof value);
    else if ((s->code & MODE) == MEM)
        value = memory[s->k];
    else if ((s->code & MODE) == LEN)
        value = sizeof *input;
    return value;
}

uint32_t bx_filter_run(const bx_filter_step *steps, const bx_filter_input *input)
{
    uint32_t a = 0, x = 0, memory[WORDS] = {0};
    for (const bx_filter_step *s = steps;; s++) {
        uint32_t operand = s->code & X ? x : s->k;
        switch (s->code & CLASS) {
        case LD:
            a = load(s, input, memory);
            break;
        case LDX:
            x = load(s, input, memory);
            break;
        case ST:
            memory[s->k] = a;
            break;
        case STX:
            memory[s->k] = x;
            break;
        case ALU:
            if ((s->code & ~X) == (ALU | DIV) && operand == 0)
                return 0; /* the kernel ends the filter, too */
            a = compute(s->code & OPERATION, a, operand);
            break;
        case JMP:
            if (s->code == (JMP | JA))
                s += s->k;
            else
                s += holds(s->code & OPERATION, a, operand) ? s->if_true : s->if_false;
            break;
        case RET:
            return s->code & RET_A ? a : s->k;
        default:
            if (s->code & TXA)
                a = x;
            else
                x = a;
            break;
        }
    }
}
