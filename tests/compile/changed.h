/* Texts with one change, for tests of refused input. */
#ifndef BX_TESTS_COMPILE_CHANGED_H
#define BX_TESTS_COMPILE_CHANGED_H

/* The text with the first `from` replaced by `to`; free() it. The test fails if there is no
 * `from`. */
char *changed(const char *text, const char *from, const char *to);

#endif
