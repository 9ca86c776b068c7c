/* The parts of an instruction, for opcode.c and ports.c. */
#ifndef BX_TRACER_OPCODE_PARTS_H
#define BX_TRACER_OPCODE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns of the map 0F: the mandatory prefix. */
enum bx_opcode_column {
    BX_OPCODE_PLAIN,
    BX_OPCODE_66,
    BX_OPCODE_F3,
    BX_OPCODE_F2,
    BX_OPCODE_COLUMNS
};

typedef struct bx_opcode_parts {
    enum bx_opcode_column column;
    uint8_t rex;           /* the prefix; 0: none */
    const uint8_t *opcode; /* after all prefixes, except VEX; NULL: there is none */
    size_t left;           /* bytes from the opcode on */
} bx_opcode_parts;

enum bx_opcode_map { BX_MAP_ONE_BYTE, BX_MAP_0F, BX_MAP_0F38, BX_MAP_0F3A };

typedef struct bx_opcode_instruction {
    enum bx_opcode_map map;
    uint8_t opcode, modrm; /* modrm: the byte after the opcode, whatever it is */
    enum bx_opcode_column prefix;
    bool wide, wide_vector; /* 64 bits; 32 bytes */
    bool extended;          /* a register in it is one of R8 to R15 */
    bool vex;
} bx_opcode_instruction;

/* The same with the prefix VEX. false: the bytes end before the opcode. */
bool bx_opcode_read(const uint8_t *bytes, size_t size, bx_opcode_instruction *i);

bx_opcode_parts bx_opcode_divide(const uint8_t *bytes, size_t size);

static inline unsigned bx_modrm_operation(uint8_t modrm)
{
    return modrm >> 3 & 7;
}

static inline bool bx_modrm_is_register(uint8_t modrm)
{
    return modrm >= 0xc0;
}

#endif
