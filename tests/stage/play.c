/* Implements play.h. */
#include "stage/play.h"

#include "../cmocked.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

ran play(const char *script)
{
    char text[8192];
    int length = snprintf(
        text, sizeof text,
        "B=$BOXSCORE; D=$(mktemp -d); export B D\n"
        "at_end() { umount -l $D 2>/dev/null || fusermount3 -quz $D 2>/dev/null; rmdir $D; }\n"
        "trap at_end EXIT\n"
        /* A test that takes too long ends by a signal, as does the stage, and with it the registers
         * that a client of it would put back: nobody needs its journal. */
        "ended() { trap - EXIT; wait; at_end; rm -f $D.*\n"
        "  rm -f $(grep -ls $D /run/boxscore/*.journal ${XDG_RUNTIME_DIR:-/}/boxscore/*.journal)\n"
        "  exit 143; }\n"
        "trap ended TERM INT HUP\n"
        "await() { for tries in $(seq 2000); do eval \"$1\" && return; sleep 0.03; done\n"
        "  echo \"in vain: $1\" >&2; return 1; }\n"
        "registers() { for a in $2; do echo \"rdmsr $1 $a\" >$D/dialogue; v=; read v <$D/dialogue\n"
        "  echo $a $v; done; }\n%s",
        script);
    assert_true(length > 0 && (size_t)length < sizeof text);
    return run_shell(text);
}

void expect(const char *script, const char *out)
{
    ran r = play(script);
    if (strcmp(r.out, out) != 0 || r.err[0] || r.status)
        fail_msg("%s\n--- printed\n%s--- said (%d)\n%s", script, r.out, r.status, r.err);
    ran_free(&r);
}

static void need(const char *script)
{
    ran r = play(script);
    bool able = r.status == 0;
    if (!able)
        print_message("skipped: %s", r.err);
    if (!able && !strstr(r.err, "built without FUSE") && !strstr(r.err, "/ is no mount point"))
        assert_false(access("/dev/fuse", R_OK | W_OK) == 0 && getuid() == 0);
    ran_free(&r);
    if (!able)
        skip();
}

void need_fuse(void)
{
    need("$B stage --at $D --pace 0 -- true");
}

void need_mount_namespace(void)
{
    need("$B stage --pace 0 -- true");
}

void need_program(const char *name)
{
    char script[128];
    snprintf(script, sizeof script, "command -v %s", name);
    ran r = play(script);
    bool there = r.status == 0;
    ran_free(&r);
    if (there)
        return;
    print_message("skipped: %s is not installed\n", name);
    skip();
}
