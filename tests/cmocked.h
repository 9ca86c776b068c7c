/* Includes cmocka, and first the headers that it requires. */
#ifndef BX_TESTS_CMOCKED_H
#define BX_TESTS_CMOCKED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#endif
