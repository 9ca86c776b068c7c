/* The journal: a file of the registers that a measurement must restore. It is written before the
 * first register is written, and removed when all registers are restored. If the process is killed
 * in between, the file remains for `boxscore restore`.
 *
 * The text, one entry a line:
 *
 *   boxscore journal 1
 *   machine /                           the folder of its /dev; a real one is "/"
 *   boot 6f3c…                          boot id of the machine; "-": unknown
 *   cpu skl                             of the catalogue
 *   owner 4711 12345                    process, and its start time
 *   counts EVENTS
 *   put msr package 0 cpu 0 64 0xe01 0x0 0x2000001f MSR_UNC_PERF_GLOBAL_CTRL
 *   end 1 0x…                           number of operations, checksum of all lines before
 *
 * `put`: space, package and CPU by the kernel's numbers, width, address, value, the bits that must
 * read back as written, name. Operations are executed from first to last, and a register may have
 * several: a temporary value, such as a cleared enable, comes before the final one. `core` instead
 * of `package`: only that CPU can execute it; otherwise any CPU of the package can. `grow` in place
 * of `put`: a count that may grow at once; it must read back as at least the value. `clear`: a
 * written 1 clears these bits; if one of them is set all are written, and must read 0 then. `zero`:
 * nothing is written; the bits must read 0, because the operations before have cleared them.
 *
 * A file that stays open (bx_journal_file) begins with a line that says which of the bytes after
 * it are this text. While the file is empty, or has no such line yet, there is nothing to restore:
 *
 *   boxscore journal 1 at 0x000000000040, 0x00000000022f bytes */
#ifndef BX_GUARD_JOURNAL_H
#define BX_GUARD_JOURNAL_H

#include "host/system/owner.h"
#include "base/arena.h"
#include "base/buf.h"
#include "seam/bus.h"

enum bx_journal_verb {
    BX_JOURNAL_PUT,
    BX_JOURNAL_GROW,
    BX_JOURNAL_CLEAR,
    BX_JOURNAL_ZERO,
    BX_JOURNAL_VERBS
};

typedef struct bx_journal_op {
    bx_address at; /* cpu: the kernel's number */
    int package;   /* the kernel's number */
    bool core;     /* a register of that CPU alone */
    uint64_t value, check;
    const char *name;
    enum bx_journal_verb verb;
} bx_journal_op;

typedef struct bx_journal {
    const char *machine, *boot, *cpu, *counts;
    bx_owner owner;
    bx_journal_op *ops;
    size_t n;
} bx_journal;

/* ---- the text ---- */

void bx_journal_format(const bx_journal *j, bx_buf *to);

/* BX_BAD_INPUT if the text is cut off or its checksum is wrong. Texts of *j live in the arena. */
int bx_journal_parse(bx_str text, bx_arena *arena, bx_journal *j, bx_error *e);

/* Writes and parses the first line of a file that stays open; parse: false if there is none. */
enum { BX_JOURNAL_HEAD = 59 };
void bx_journal_head(uint64_t at, uint64_t length, char to[BX_JOURNAL_HEAD + 1]);
bool bx_journal_parse_head(bx_str file, uint64_t *at, uint64_t *length);

/* The text that a file's first line points to; all of a file without such a line. Empty: none. */
bx_str bx_journal_in_force(bx_str file);

uint64_t bx_journal_sum(const char *bytes, size_t n); /* FNV-1a */

/* ---- the file ---- */

/* Prepares a name that a user chose: an empty file that nobody uses is removed. Any other file is
 * refused (BX_NO_ACCESS), also a journal, because another process may need it. */
int bx_journal_make_room(const char *path, bx_error *e);

/* Writes a new file in one piece and syncs it to disk. Nothing else is replaced or removed. */
int bx_journal_write(const char *path, const bx_journal *j, bx_error *e);

/* BX_NOT_FOUND: there is no such file, or it is empty. BX_NO_ACCESS: it cannot be read, or it
 * cannot be trusted because it belongs neither to root nor to us, or others can write it. */
int bx_journal_read(const char *path, bx_arena *arena, bx_journal *j, bx_error *e);

/* ---- a file that stays open ---- */

/* For a process that cannot open files later and may be killed at any moment. The valid text is
 * never overwritten. Other processes may share the descriptor, but only one may write at a time. */
typedef struct bx_journal_file {
    int fd;
} bx_journal_file;

/* Creates the file, or opens one that nobody uses; it is locked as long as a process has the
 * descriptor. Its old contents stay: bx_journal_read(). Files of other users, and files of other
 * kinds, are refused. */
int bx_journal_file_open(const char *path, bx_journal_file *p, bx_error *e);

/* Replaces the valid text and syncs it to disk. Without operations the file becomes empty. Returns
 * 0, or an errno: then the old text is still valid. */
int bx_journal_file_put(const bx_journal_file *p, const bx_journal *j);

/* Tests whether there is room for a text of usual size: 0 or an errno. */
int bx_journal_file_try(const bx_journal_file *p);

/* ---- where journals are ---- */

/* A new name in the folder of journals, which is made if needed: /run/boxscore for root, else
 * boxscore in $XDG_RUNTIME_DIR, or /tmp/boxscore-UID. */
int bx_journal_name(bx_buf *path, bx_error *e);

/* BX_NO_ACCESS: the folder exists, but other users own it or can write there, so its journals
 * cannot be trusted. */
int bx_journal_check_folder(bx_error *e);

/* The paths of all journals there that are not empty. Texts live in the arena; NULL at the end. The
 * list is empty if the folder is not trusted. */
const char *const *bx_journal_list(bx_arena *arena);

/* ---- the machine of a journal ---- */

enum { BX_MACHINE_PATH = 4096 };

/* The folder of a machine with symbolic links resolved; "/" for "". */
void bx_machine_path(const char *root, char to[BX_MACHINE_PATH]);

enum { BX_BOOT_ID = 40 };

/* The kernel's boot id, which changes at every boot; "-": unknown. */
void bx_boot_id(const char *root, char to[BX_BOOT_ID]);

/* A hash of both: identifies the machine until its next boot. */
uint64_t bx_machine_number(const char *root);

/* The package of a CPU, both by the kernel's numbers; 0 if unknown. */
int bx_package_of(const char *root, unsigned cpu);

/* Whether the journal is of this machine and this boot: its registers may still need to be
 * restored. */
bool bx_journal_is_current(const bx_journal *j, const char *root);

/* Whether the machine that the journal in this file names has been started again since, which has
 * reset its registers. A journal of "/" with another boot id may also be of a living machine: of
 * the host, or of another stage in a mount namespace. It is known to be gone if the file is older
 * than the host's boot. */
bool bx_journal_is_gone(const char *file, const bx_journal *j, const char *root);

#endif
