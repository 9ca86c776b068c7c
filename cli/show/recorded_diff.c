#include "cli/show/recorded_diff.h"

#include "base/error.h"
#include "compare/recordings/blame.h"
#include "compare/recordings/recorded_run.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool bx_is_database(const char *path)
{
    static const char head[16] = "SQLite format 3";
    char bytes[sizeof head];
    struct stat st; /* a FIFO is left to its only reader */
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    bool is = fd >= 0 && pread(fd, bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes &&
              memcmp(bytes, head, sizeof head) == 0;
    if (fd >= 0)
        close(fd);
    return is;
}

int bx_recorded_diff_open(bx_cli *cli, char *const path[2], const char *sort, bx_saved *saved,
                          bx_recorded_diff *to, bx_error *e)
{
    int code = BX_OK;
    for (unsigned i = 0; i < 2 && !code; i++) {
        bx_profile *p = &to->profile[i];
        code = bx_recording_open(path[i], &to->from[i], e);
        if (!code)
            code = bx_profile_read(to->from[i], &cli->arena, p, e);
        if (!code)
            code = bx_profile_metrics_open(p, cli->catalog, &to->metrics[i], e);
        if (!code)
            code = bx_recorded_run(&to->metrics[i], path[i], &saved[i], e);
    }
    return code ? code : bx_causes_read(&to->profile[0], &to->profile[1], sort, &to->causes, e);
}

void bx_recorded_diff_close(bx_recorded_diff *d)
{
    bx_recording_leave(d->from[0]);
    bx_recording_leave(d->from[1]);
}

int bx_recorded_diff_blame(bx_cli *cli, bx_recorded_diff *d, bool sorted, bx_verdict *verdicts,
                           size_t n, bx_error *e)
{
    for (size_t i = 0; i < n; i++) {
        if (!verdicts[i].fails || verdicts[i].unseen)
            continue;
        bx_buf text = {0};
        bx_causes_blame(&d->causes, &d->metrics[1], &verdicts[i], &text);
        if (text.n)
            verdicts[i].by = bx_arena_copy(&cli->arena, bx_str_of(bx_buf_text(&text)));
        cli->arena.failed |= text.failed;
        bx_buf_free(&text);
        if (!sorted && verdicts[i].by)
            sorted = bx_causes_sort_for(&d->causes, &d->metrics[1], &verdicts[i]);
    }
    return cli->arena.failed ? bx_out_of_memory(e) : BX_OK;
}
