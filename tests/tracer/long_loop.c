/* loop.c, a hundred times as long. */
#define TURNS "100000"
#include "loop.c"
