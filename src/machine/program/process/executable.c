/* Finds a program and its interpreter, and checks whether they can be executed and traced. */
#include "machine/program/process/executable.h"

#include "host/system/file.h"
#include "base/error.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* 0, or the errno why the path cannot be executed: ENOENT, EACCES … */
static int executable(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return errno;
    return S_ISREG(about.st_mode) && access(path, X_OK) == 0 ? 0 : EACCES;
}

int bx_program_path(const char *name, char *full, size_t room)
{
    if (strchr(name, '/') || !*name) {
        snprintf(full, room, "%s", name);
        return executable(name);
    }
    const char *path = getenv("PATH");
    bx_str rest = bx_str_of(path ? path : "/bin:/usr/bin");
    int found = ENOENT;
    while (rest.p) {
        bx_str folder = bx_str_cut(&rest, ':');
        int n = snprintf(full, room, "%.*s/%s", folder.n ? (int)folder.n : 1,
                         folder.n ? folder.p : ".", name);
        int err = n > 0 && (size_t)n < room ? executable(full) : ENOENT;
        if (err == 0)
            return 0;
        if (err == EACCES)
            found = EACCES;
    }
    return found;
}

int bx_program_find(const char *name)
{
    char full[4096];
    return bx_program_path(name, full, sizeof full);
}

/* The rules: execve(2); proc(5) on /proc/sys/fs/suid_dumpable. The kernel detaches counters from a
 * program that is not dumpable. */
bool bx_program_changes_rights(const char *name)
{
    char full[4096];
    struct stat about;
    struct statvfs file_system;
    if (bx_program_path(name, full, sizeof full) || stat(full, &about) ||
        statvfs(full, &file_system) || file_system.f_flag & ST_NOSUID ||
        prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
        return false;
    bool user = about.st_mode & S_ISUID && about.st_uid != geteuid();
    bool group = about.st_mode & S_ISGID && about.st_mode & S_IXGRP && about.st_gid != getegid();
    return user || group || (geteuid() != 0 && getxattr(full, "security.capability", NULL, 0) > 0);
}

/* Whether a file asks for additional rights for any user: Valgrind refuses to execute it. */
static bool is_set_id(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && (about.st_mode & (S_ISUID | S_ISGID) ||
                                       getxattr(path, "security.capability", NULL, 0) > 0);
}

/* ---- its interpreter ---- */

enum { DEEPEST = 4 }; /* interpreters that are scripts: BINPRM_MAX_RECURSION of Linux */

static bool is_elf(bx_str head)
{
    return head.n > EI_CLASS && memcmp(head.p, ELFMAG, SELFMAG) == 0;
}

/* The interpreter of a script, from a line such as "#! /bin/sh -e"; empty: it is not a script. */
static bx_str of_script(bx_str head)
{
    if (head.n < 3 || memcmp(head.p, "#!", 2) != 0)
        return (bx_str){0};
    bx_str line = bx_str_sub(head, 2, head.n);
    line = bx_str_trim(bx_str_cut(&line, '\n'));
    bx_str word = bx_str_cut(&line, ' ');
    return bx_str_cut(&word, '\t');
}

/* The interpreter of a program: elf(5), 64 or 32 bits, in our byte order. Its name is near the
 * beginning of the file. */
static bx_str of_elf(bx_str head)
{
    Elf64_Ehdr wide;
    Elf32_Ehdr narrow;
    if (head.n < sizeof wide)
        return (bx_str){0};
    memcpy(&wide, head.p, sizeof wide);
    memcpy(&narrow, head.p, sizeof narrow);
    bool is_wide = wide.e_ident[EI_CLASS] == ELFCLASS64;
    uint64_t at = is_wide ? wide.e_phoff : narrow.e_phoff;
    size_t n = is_wide ? wide.e_phnum : narrow.e_phnum;
    size_t each = is_wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    for (; n > 0 && at < head.n && each <= head.n - at; n--, at += each) {
        Elf64_Phdr a = {0};
        Elf32_Phdr b;
        memcpy(&a, head.p + at, each);
        memcpy(&b, head.p + at, sizeof b);
        uint64_t from = is_wide ? a.p_offset : b.p_offset;
        if ((is_wide ? a.p_type : b.p_type) == PT_INTERP && from < head.n)
            return bx_str_of(head.p + from);
    }
    return (bx_str){0};
}

bool bx_program_missing_interpreter(const char *name, char *to, size_t room)
{
    char full[4096], bytes[4097];
    if (bx_program_path(name, full, sizeof full))
        return false;
    bx_str head = bx_file_read("", full, bytes, sizeof bytes - 1);
    bytes[head.n] = '\0';
    bx_str found = is_elf(head) ? of_elf(head) : of_script(head);
    int n = snprintf(to, room, "%.*s", (int)found.n, found.n ? found.p : "");
    return n > 0 && (size_t)n < room && access(to, F_OK) != 0;
}

bool bx_program_is_32_bit(const char *name)
{
    char full[4096], bytes[257];
    int err = bx_program_path(name, full, sizeof full);
    for (unsigned i = 0; !err && i <= DEEPEST; i++) {
        bx_str head = bx_file_read("", full, bytes, sizeof bytes - 1);
        if (is_elf(head))
            return head.p[EI_CLASS] == ELFCLASS32;
        bx_str interpreter = of_script(head);
        if (!interpreter.n)
            return false;
        snprintf(full, sizeof full, "%.*s", (int)interpreter.n, interpreter.p);
    }
    return false;
}

/* ---- messages ---- */

int bx_program_check(const char *program, bx_error *e)
{
    int err = bx_program_find(program);
    if (err == ENOENT || err == ENOTDIR) {
        bx_fail(e, BX_NOT_FOUND, 0, 0, "no such program: '%s'", program);
        if (!strchr(program, '/'))
            bx_hint(e, "a program of this folder is named with './'");
        return BX_NOT_FOUND;
    }
    if (err != 0) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "'%s' cannot be executed", program);
        bx_hint(e, "is it a program, and does 'chmod +x' help?");
        return BX_NO_ACCESS;
    }
    return BX_OK;
}

static int refuse_interpreter(const char *program, const char *interpreter, int err, bx_error *e)
{
    bx_fail(e, BX_NO_ACCESS, 0, 0, "'%s' cannot be executed: its interpreter '%s': %s", program,
            interpreter, strerror(err));
    bx_hint(e, "a script names it in its first line, another program when it is linked");
    return BX_NO_ACCESS;
}

/* interpreter: the interpreter that gets other rights; NULL: the program itself does. */
static int refuse_rights(const char *program, const char *interpreter, bx_error *e)
{
    bx_fail(e, BX_NO_ACCESS, 0, 0,
            "'%s' cannot be traced: %s%s%s gets other rights (set-user-ID, set-group-ID or "
            "capabilities)",
            program, interpreter ? "its interpreter '" : "it", interpreter ? interpreter : "",
            interpreter ? "'" : "");
    bx_hint(e, "trace a copy without these rights, or the program that it runs "
               "(docs/reference/limits.md)");
    return BX_NO_ACCESS;
}

static int refuse_unread(const char *program, const char *path, bx_error *e)
{
    bx_fail(e, BX_NO_ACCESS, 0, 0, "'%s' cannot be traced: '%s' cannot be read", program, path);
    bx_hint(e, "Valgrind must be able to read the program: chmod +r, or trace a readable copy "
               "(docs/reference/limits.md)");
    return BX_NO_ACCESS;
}

static int check_elf(const char *program, bx_str head, bx_error *e)
{
    Elf64_Ehdr about; /* e_machine has the same offset in 32-bit headers */
    bx_str loader = of_elf(head);
    if (head.n < sizeof about)
        return BX_OK; /* Valgrind checks the rest */
    memcpy(&about, head.p, sizeof about);
    if (about.e_machine != (about.e_ident[EI_CLASS] == ELFCLASS32 ? EM_386 : EM_X86_64)) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "'%s' is a program for another kind of processor", program);
        bx_hint(e, "x86 programs can be traced, of 64 bits or of 32");
        return BX_NO_ACCESS;
    }
    int err = loader.n ? executable(loader.p) : 0;
    return err ? refuse_interpreter(program, loader.p, err, e) : BX_OK;
}

int bx_program_check_traceable(const char *program, bx_error *e)
{
    char full[4096], bytes[4097];
    int code = bx_program_check(program, e);
    if (code != BX_OK)
        return code;
    bx_program_path(program, full, sizeof full);
    for (unsigned i = 0; i <= DEEPEST; i++) {
        const char *interpreter = i ? full : NULL;
        int err = executable(full);
        if (err)
            return refuse_interpreter(program, full, err, e);
        if (is_set_id(full))
            return refuse_rights(program, interpreter, e);
        if (access(full, R_OK) != 0)
            return refuse_unread(program, full, e);
        bx_str head = bx_file_read("", full, bytes, sizeof bytes - 1);
        bytes[head.n] = '\0';
        if (is_elf(head))
            return check_elf(program, head, e);
        bx_str next = of_script(bx_str_sub(head, 0, 256));
        if (!next.n)
            return BX_OK; /* a shell executes it */
        snprintf(full, sizeof full, "%.*s", (int)next.n, next.p);
    }
    return BX_OK;
}
