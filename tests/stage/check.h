/* Checks of programs that run on stage: failures are printed, and `wrong` is the exit status. */
#ifndef BX_TESTS_STAGE_CHECK_H
#define BX_TESTS_STAGE_CHECK_H

#include <errno.h>
#include <stdio.h>

static int wrong;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: %s (errno %d)\n", __LINE__, #condition, errno);                       \
            wrong = 1;                                                                             \
        }                                                                                          \
    } while (0)

#endif
