/* Valgrind's core reads debug information of each object that the program maps. A trace has no use
 * for lines, nor for the rules by which a stack is unwound: to read those of the C library takes
 * about half of the time that a small program needs to start. Names of functions stay (notes.c).
 * The two readers are replaced with the linker's --wrap. */
#include "pub_tool_basics.h"

struct _DebugInfo;

/* Valgrind 3.13 to 3.24 give more arguments, which nobody reads here. */
extern void __wrap_vgModuleLocal_read_debuginfo_dwarf3(struct _DebugInfo *of);
extern void __wrap_vgModuleLocal_read_callframe_info_dwarf3(struct _DebugInfo *of);

void __wrap_vgModuleLocal_read_debuginfo_dwarf3(struct _DebugInfo *of)
{
    (void)of;
}

void __wrap_vgModuleLocal_read_callframe_info_dwarf3(struct _DebugInfo *of)
{
    (void)of;
}
