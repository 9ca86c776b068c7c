/* Rights that those who answer requests do not need. */
#ifndef BX_SERVE_RIGHTS_H
#define BX_SERVE_RIGHTS_H

/* The calling thread, and all that it starts from now on, has no capabilities, is the user nobody
 * if it was root, and can get no rights by executing a program. Threads that run already, such as
 * the one that measures, keep theirs: they put registers back at the end. */
void bx_rights_drop(void);

#endif
