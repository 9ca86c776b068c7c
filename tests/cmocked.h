#ifndef BX_TESTS_CMOCKED_H
#define BX_TESTS_CMOCKED_H

/* cmocka with the headers that it wants before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#endif
