/* Assertions in a child process that has given up its rights. It can report only by its exit
 * status: the number of the expectation that failed, which `int n` counts. */
#ifndef BX_TESTS_HELPER_SEALED_CHILD_H
#define BX_TESTS_HELPER_SEALED_CHILD_H

#define HOLDS(what)                                                                                \
    do {                                                                                           \
        ++n;                                                                                       \
        if (!(what))                                                                               \
            return n;                                                                              \
    } while (0)

#endif
