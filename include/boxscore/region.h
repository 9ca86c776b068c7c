/* Marks regions of a program, so that `boxscore stat --regions` counts each of them:
 *
 *   BX_REGION_BEGIN("solve");
 *   ...
 *   BX_REGION_END("solve");
 *
 * On a virtual machine that needs no library. Where nobody counts, a mark is a dozen instructions,
 * which do nothing. A name has at most 4,096 bytes. docs/regions.md has the rules. C and C++; on
 * other processors than x86-64 marks do nothing. */
#ifndef BOXSCORE_REGION_H
#define BOXSCORE_REGION_H

/* ('B' << 24 | 'X' << 16) and a number: what boxscore's tool for Valgrind is asked for. */
enum {
    BX_REGION_REQUEST_END = 0x42580000,
    BX_REGION_REQUEST_BEGIN,
    BX_REGION_REQUEST_RESET,
};

#if defined(__x86_64__) && defined(__GNUC__)

/* Four rotations that leave rdi as it was, and an exchange of a register with itself: to Valgrind
 * a request of the program, whose words rax points to. The answer is in rdx. Returns 1 if boxscore
 * traces the program. */
static inline unsigned long bx_region_request(unsigned long request, const char *name)
{
    volatile unsigned long words[6] = {
        request, (unsigned long)name, __builtin_strlen(name), 0, 0, 0,
    };
    unsigned long answer = 0;
    __asm__ volatile("rolq $3, %%rdi\n\t"
                     "rolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi\n\t"
                     "rolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(&words[0])
                     : "cc", "memory");
    return answer;
}

#else

static inline unsigned long bx_region_request(unsigned long request, const char *name)
{
    (void)request;
    (void)name;
    return 0;
}

#endif

#define BX_REGION_BEGIN(name) ((void)bx_region_request(BX_REGION_REQUEST_BEGIN, (name)))
#define BX_REGION_END(name)   ((void)bx_region_request(BX_REGION_REQUEST_END, (name)))

/* Forgets what the region has counted so far. A thread that is in it counts on from here. */
#define BX_REGION_RESET(name) ((void)bx_region_request(BX_REGION_REQUEST_RESET, (name)))

#endif
