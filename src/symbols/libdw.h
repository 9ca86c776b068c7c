/* elfutils' libdw, loaded when a command needs it, as recording/sqlite.h is. */
#ifndef BX_SYMBOLS_LIBDW_H
#define BX_SYMBOLS_LIBDW_H

typedef struct bx_libdw bx_libdw;

/* Free the result; the library stays loaded to the end of the process. NULL, and *why: it is not
 * there. */
bx_libdw *bx_libdw_load(const char **why);

#endif
