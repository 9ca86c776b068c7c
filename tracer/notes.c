/* Facts that belong beside the counts. */
#include "notes.h"

#include "records.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"

enum { MOST = 8, ROOM = 1024 }; /* facts of a kind; bytes of one */

static UInt told[BX_TRACE_NOTES];

static const HChar *program(void)
{
    const HChar *path = VG_(args_the_exename), *slash = path ? VG_(strrchr)(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "the program";
}

void bx_note(ThreadId tid, enum bx_trace_note kind, const HChar *format, ...)
{
    static HChar text[2 * ROOM]; /* static, because it is large for a stack */
    va_list more;
    if (told[kind]++ >= MOST)
        return;
    UInt n = VG_(snprintf)(text, ROOM, "'%s' ", program());
    va_start(more, format);
    VG_(vsnprintf)(text + (n < ROOM ? n : ROOM - 1), ROOM, format, more);
    va_end(more);
    bx_record_path(tid, BX_TRACE_NOTE, kind, text);
}

void bx_notes_fork(void)
{
    VG_(memset)(told, 0, sizeof told);
}

void bx_note_place(Addr at, HChar *to)
{
    const HChar *function, *file;
#ifdef BX_DEBUG_INFO_HAS_EPOCHS
    Bool in_function = VG_(get_fnname_w_offset)(VG_(current_DiEpoch)(), at, &function);
#else
    Bool in_function = VG_(get_fnname_w_offset)(at, &function);
#endif
    UInt n = VG_(snprintf)(to, BX_PLACE_ROOM, "0x%lx", at);
    if (in_function)
        n += VG_(snprintf)(to + n, BX_PLACE_ROOM / 2, ", %s", function);
#ifdef BX_DEBUG_INFO_HAS_EPOCHS
    Bool in_file = VG_(get_objname)(VG_(current_DiEpoch)(), at, &file);
#else
    Bool in_file = VG_(get_objname)(at, &file);
#endif
    if (in_file && n < BX_PLACE_ROOM / 2)
        VG_(snprintf)(to + n, BX_PLACE_ROOM - n, " in %s", file);
}
