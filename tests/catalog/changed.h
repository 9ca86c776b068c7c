#ifndef BX_TESTS_CATALOG_CHANGED_H
#define BX_TESTS_CATALOG_CHANGED_H

/* The text with its first `from` replaced; free() it. The test fails if there is none. */
char *changed(const char *text, const char *from, const char *to);

#endif
