/* What machine models execute: streams of memory accesses, and the agents that make them. */
#ifndef BX_MODEL_ENGINE_ACCESS_H
#define BX_MODEL_ENGINE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

/* One access, packed: what the hot path reads. All accesses stay within one 64-byte line.
 *   bits 1:0   kind (enum bx_access_kind)
 *   bit  2     dependent: the agent waits for its completion
 *   bit  3     partial: a write of less than a line (IO and GT agents only)
 *   bits 15:4  cost: cycles from the agent's previous access to this one when nothing stalls
 *   bits 55:16 physical line number (address / 64) */
typedef uint64_t bx_access;

enum bx_access_kind { BX_LOAD, BX_STORE, BX_FETCH };
enum { BX_ACCESS_DEPENDENT = 4, BX_ACCESS_PARTIAL = 8, BX_ACCESS_COST_MAX = 4095 };

/* Line numbers are below 2^37: physical addresses below 8 TiB (docs/model.md). */
enum { BX_LINE_BITS = 37 };

static inline uint64_t bx_access_line(bx_access a)
{
    return a >> 16 & ((UINT64_C(1) << BX_LINE_BITS) - 1);
}

static inline bx_access bx_access_make(uint64_t line, unsigned kind, unsigned flags, unsigned cost)
{
    return line << 16 | (uint64_t)cost << 4 | flags | kind;
}

/* Where an agent's accesses come from. `refill` makes next…end non-empty and returns true, or
 * returns false at the end of the stream. The buffer belongs to the feed. */
typedef struct bx_feed {
    const bx_access *next, *end;
    bool (*refill)(struct bx_feed *feed);
} bx_feed;

/* Agents: cores 0 … packages x cores - 1, package by package, then these two of package 0. */
enum bx_agent { BX_AGENT_GT = 64, BX_AGENT_IO = 65, BX_AGENTS = 66 };

#endif
