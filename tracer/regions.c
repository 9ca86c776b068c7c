/* Takes the program's requests that mark regions. */
#include "regions.h"

#include "records.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"

/* Words of a request, and kinds of requests, as in include/boxscore/region.h. */
enum { REQUEST, NAME, LENGTH };
enum { END = 0x42580000, BEGIN, RESET };

enum { NAME_BYTES = BX_TRACE_PATH_WORDS * sizeof(ULong) };

static Bool answer(ThreadId tid, UWord *words, UWord *result)
{
    static HChar name[NAME_BYTES + 1];
    static const UInt value[] = {BX_TRACE_REGION_ENDS, BX_TRACE_REGION_BEGINS,
                                 BX_TRACE_REGION_IS_RESET};
    if (words[REQUEST] < END || words[REQUEST] > RESET)
        return False;
    SizeT length = words[LENGTH] < NAME_BYTES ? words[LENGTH] : NAME_BYTES;
    if (length && !VG_(am_is_valid_for_client)(words[NAME], length, VKI_PROT_READ))
        return False;
    VG_(memcpy)(name, (const void *)words[NAME], length);
    name[length] = '\0';
    bx_record_path(tid, BX_TRACE_REGION, value[words[REQUEST] - END], name);
    *result = 1;
    return True;
}

void bx_regions_setup(void)
{
    VG_(needs_client_requests)(answer);
}
