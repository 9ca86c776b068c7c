/* What a measurement must put back, in a file that is there before the first register is written,
 * and gone when all is as it was. Who is killed in between leaves it behind: `boxscore restore`.
 *
 * The text, one thing a line:
 *
 *   boxscore journal 1
 *   machine /                           the folder of its /dev; a real one is "/"
 *   boot 6f3c…                          of that start of the machine; "-": it does not tell
 *   cpu skl                             of the catalogue
 *   owner 4711 12345                    process, and when it was born
 *   counts EVENTS
 *   put msr package 0 cpu 0 64 0xe01 0x0 0x2000001f MSR_UNC_PERF_GLOBAL_CTRL
 *   end 1 0x…                           how many registers, and a sum over all lines before
 *
 * `put`: space, package and CPU by the kernel's numbers, width, address, value, the bits that must
 * read so afterwards, name. They are written from first to last, and a register may stand there
 * several times: what must hold on the way, such as a cleared enable, comes before. `core` in place
 * of `package` means that very CPU, else any of the package will do.
 *
 * A file that stays open (bx_journal_file) begins with a line that says which of the bytes behind
 * it are this text; while it is empty, or does not begin so yet, nothing is to be put back:
 *
 *   boxscore journal 1 at 0x000000000040, 0x00000000022f bytes */
#ifndef BX_HOST_SAFETY_JOURNAL_H
#define BX_HOST_SAFETY_JOURNAL_H

#include "host/system/owner.h"
#include "base/arena.h"
#include "base/buf.h"
#include "seam/bus.h"

typedef struct bx_journal_op {
    bx_address at; /* cpu: the kernel's number */
    int package;   /* the kernel's number */
    bool core;     /* a register of that CPU alone */
    uint64_t value, check;
    const char *name;
} bx_journal_op;

typedef struct bx_journal {
    const char *machine, *boot, *cpu, *counts;
    bx_owner owner;
    bx_journal_op *ops;
    size_t n;
} bx_journal;

/* ---- the text ---- */

void bx_journal_format(const bx_journal *j, bx_buf *to);

/* BX_BAD_INPUT unless it is whole and says what it said when it was written. Texts of *j live in
 * the arena. */
int bx_journal_parse(bx_str text, bx_arena *arena, bx_journal *j, bx_error *e);

/* The first line of a file that stays open, and whether a file begins with one. */
enum { BX_JOURNAL_HEAD = 59 };
void bx_journal_head(uint64_t at, uint64_t length, char to[BX_JOURNAL_HEAD + 1]);
bool bx_journal_parse_head(bx_str file, uint64_t *at, uint64_t *length);

/* The text that a file's first line tells of; of any other file all of it. Empty: there is none. */
bx_str bx_journal_in_force(bx_str file);

uint64_t bx_journal_sum(const char *bytes, size_t n); /* FNV-1a */

/* ---- the file ---- */

/* The file is there whole or not at all, and on its disk when this returns. */
int bx_journal_write(const char *path, const bx_journal *j, bx_error *e);

/* BX_NOT_FOUND: there is no such file, or it is empty. */
int bx_journal_read(const char *path, bx_arena *arena, bx_journal *j, bx_error *e);

/* ---- a file that stays open ---- */

/* Of a process that will not be able to open files any more, and whose end may come at any moment:
 * the text in force is never overwritten. Other processes may have the descriptor, too, but only
 * one writes at a time. */
typedef struct bx_journal_file {
    int fd;
} bx_journal_file;

/* Makes the file, or takes one that nobody uses; it is locked as long as some process has the
 * descriptor. What an earlier one left in it stays there: bx_journal_read. Files of others, and
 * other kinds of files, are refused. */
int bx_journal_file_open(const char *path, bx_journal_file *p, bx_error *e);

/* This text, with its operations, is in force and on its disk when this returns 0; else what was in
 * force is. Without operations it is empty. errno. */
int bx_journal_file_put(const bx_journal_file *p, const bx_journal *j);

/* Whether a text of a usual size will find room: 0 or an errno. */
int bx_journal_file_try(const bx_journal_file *p);

/* ---- where it is ---- */

/* A name of its own in the folder of journals, which is made if need be: /run/boxscore for root,
 * else boxscore in $XDG_RUNTIME_DIR, or /tmp/boxscore-UID. */
int bx_journal_name(bx_buf *path, bx_error *e);

/* The paths of all journals there that are not empty. Texts live in the arena; NULL at the end. */
const char *const *bx_journal_list(bx_arena *arena);

/* ---- what machine it is of ---- */

enum { BX_MACHINE_PATH = 4096 };

/* The folder of a machine without links in it; "/" for "". */
void bx_machine_path(const char *root, char to[BX_MACHINE_PATH]);

enum { BX_BOOT_ID = 40 };

/* What tells one start of the machine from another; "-" where it does not tell. */
void bx_boot_id(const char *root, char to[BX_BOOT_ID]);

/* A number of the machine since it was started: of both. */
uint64_t bx_machine_number(const char *root);

/* The package that a CPU is in, by the kernel's numbers; 0 where it does not tell. */
int bx_package_of(const char *root, unsigned cpu);

/* Of this machine, and since its last start: registers may be as that measurement left them. */
bool bx_journal_is_current(const bx_journal *j, const char *root);

#endif
