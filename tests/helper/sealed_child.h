/* A child process that has given up its rights can report by its exit status only: the number of
 * the expectation that failed, counted in `int n`. */
#ifndef BX_TESTS_HELPER_SEALED_CHILD_H
#define BX_TESTS_HELPER_SEALED_CHILD_H

#define HOLDS(what)                                                                                \
    do {                                                                                           \
        ++n;                                                                                       \
        if (!(what))                                                                               \
            return n;                                                                              \
    } while (0)

#endif
