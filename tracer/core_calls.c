#include "core_calls.h"

#include "pub_tool_vki.h"

/* The types as Valgrind 3.13 to 3.24 have them. */
extern SysRes VG_(do_syscall)(UWord number, UWord, UWord, UWord, UWord, UWord, UWord, UWord, UWord);
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd,
                                                      Off64T offset);

Word bx_core_syscall(UWord number, UWord a, UWord b, UWord c, UWord d, UWord e, UWord f)
{
    SysRes r = VG_(do_syscall)(number, a, b, c, d, e, f, 0, 0);
    return sr_isError(r) ? -(Word)sr_Err(r) : (Word)sr_Res(r);
}

void *bx_core_map_shared(SizeT bytes, Int fd)
{
    SysRes r =
        VG_(am_shared_mmap_file_float_valgrind)(bytes, VKI_PROT_READ | VKI_PROT_WRITE, fd, 0);
    return sr_isError(r) ? NULL : (void *)sr_Res(r);
}
