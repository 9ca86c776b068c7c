/* Reads a recording: rows that answer a question in SQL. The file may be anybody's. */
#ifndef BX_RECORDING_READER_H
#define BX_RECORDING_READER_H

#include "recording/recording.h"

typedef struct bx_recording_reader bx_recording_reader;

/* BX_BAD_INPUT: the file is no recording, or one of another version. */
int bx_recording_open(const char *path, bx_recording_reader **to, bx_error *e);

/* Asks; `given` [n] are its parameters ?1, ?2, … An earlier question is over. Texts of `given` are
 * there until the last row. */
int bx_recording_ask(bx_recording_reader *r, const char *sql, const bx_cell *given, unsigned n,
                     bx_error *e);

/* The next row: its first n columns. Texts live until the next call. false: there is none, or an
 * error, which bx_recording_answered() tells. */
bool bx_recording_next(bx_recording_reader *r, bx_cell *to, unsigned n);

/* Ends a question. */
int bx_recording_answered(bx_recording_reader *r, bx_error *e);

/* Adds up the rows that `sql` gives: columns are `keys` numbers or NULL, then two counts. The sums
 * become the table temp.`table` with these columns, which only this reader sees; an older one of
 * that name goes. sums.c */
enum { BX_SUM_KEYS_MOST = 7 };
int bx_recording_add_up(bx_recording_reader *r, const char *table, const char *columns,
                        unsigned keys, const char *sql, bx_error *e);

/* The same of what `sql` gives as it is. */
int bx_recording_keep(bx_recording_reader *r, const char *table, const char *sql, bx_error *e);

/* Closes it; NULL is fine. */
void bx_recording_leave(bx_recording_reader *r);

#endif
