/* What the kernel means when it refuses a counter (perf_event_open(2), ERRORS). */
#include "host/system/file.h"
#include "host/perf/perf_counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

/* The highest perf_event_paranoid that lets an ordinary user count this
 * (Documentation/admin-guide/sysctl/kernel.rst). */
static int level_for(const bx_perf_want *want)
{
    if (want->cpu != BX_PERF_TASK)
        return 0;
    return want->config.exclude & BX_PERF_NO_KERNEL ? 2 : 1;
}

static bool of_core(const bx_perf_config *config)
{
    return config->type == PERF_TYPE_HARDWARE || config->type == PERF_TYPE_HW_CACHE ||
           config->type == PERF_TYPE_RAW;
}

/* Leaving the kernel's part out is a way out only where something is left then. */
static bool has_own_part(const bx_perf_want *want)
{
    return want->cpu == BX_PERF_TASK && !want->config.exclude &&
           (of_core(&want->config) || want->config.type == PERF_TYPE_SOFTWARE) &&
           !bx_perf_never_own(&want->config);
}

static int refused(const bx_perf *p, int why, const char *event, const bx_perf_want *want,
                   bx_error *e)
{
    static const char file[] = "/proc/sys/kernel/perf_event_paranoid";
    int level, lets = level_for(want);
    if (bx_file_number(p->root, file, &level) && level > lets) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "the kernel lets only privileged users count '%s': %s is %d",
                event, "perf_event_paranoid", level);
        bx_hint(e,
                "run as root (of the machine, not of a container) or with CAP_PERFMON, or: sysctl "
                "kernel.perf_event_paranoid=%d%s",
                lets,
                has_own_part(want) && level < 3 ? "; or count the program's own code only: EVENT:u"
                                                : "");
        return BX_NO_ACCESS;
    }
    bx_fail(e, BX_NO_ACCESS, 0, 0, "the kernel does not let us count '%s': %s", event,
            strerror(why));
    bx_hint(e, "in a container: allow perf_event_open and CAP_PERFMON");
    return BX_NO_ACCESS;
}

static int not_there(const char *event, const bx_perf_want *want, bx_error *e)
{
    bx_fail(e, BX_NOT_FOUND, 0, 0, "this machine cannot count '%s'", event);
    bx_hint(e, "%s",
            of_core(&want->config)
                ? "the CPU lacks it, or is a virtual machine's without counters"
                : "the PMU does not know this event: look at its 'events' and 'format' in sysfs");
    return BX_NOT_FOUND;
}

static int invalid(const char *event, const bx_perf_want *want, bx_error *e)
{
    bx_fail(e, BX_BAD_INPUT, 0, 0, "the kernel does not take '%s': %s", event,
            want->config.exclude        ? "its PMU may not tell privilege levels apart"
            : want->cpu == BX_PERF_TASK ? "its terms, or the PMU cannot follow a program"
                                        : "its terms do not go together");
    bx_hint(e, "%s",
            want->config.exclude        ? "leave out the letters behind it"
            : want->cpu == BX_PERF_TASK ? "name its unit, to count it on that CPU; or --driver "
                                          "registers, if the catalogue has it"
                                        : "dmesg may say more");
    return BX_BAD_INPUT;
}

int bx_perf_explain(const bx_perf *p, int why, const char *event, const bx_perf_want *want,
                    bx_error *e)
{
    switch (why) {
    case EACCES:
    case EPERM:
        return refused(p, why, event, want, e);
    case ENOENT:
    case EOPNOTSUPP:
        return not_there(event, want, e);
    case EINVAL:
        return invalid(event, want, e);
    case BX_PERF_APART:
        bx_fail(e, BX_NO_FIT, 0, 0, "'%s' cannot be counted beside the rest of its group", event);
        bx_hint(e, "the PMU has too few counters: leave out the braces, or some events");
        return BX_NO_FIT;
    case BX_PERF_LEAVES:
        bx_fail(
            e, BX_NO_ACCESS, 0, 0,
            "'%s' cannot be counted: the kernel stops counting a program that gets other rights",
            event);
        bx_hint(e, "it is set-user-ID, set-group-ID or has capabilities: run boxscore with these");
        return BX_NO_ACCESS;
    case EMFILE:
    case ENFILE:
        bx_fail(e, BX_SYSTEM, 0, 0, "too many open files at '%s': each counter is one", event);
        bx_hint(e, why == EMFILE ? "ulimit -n 65536" : "sysctl fs.file-max");
        return BX_SYSTEM;
    case ENODEV:
        if (want->cpu == BX_PERF_TASK)
            return not_there(event, want, e);
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "'%s' cannot be counted: CPU %d is offline", event,
                       want->cpu);
    case EBUSY:
        bx_fail(e, BX_NO_ACCESS, 0, 0, "'%s' cannot be counted: somebody else has its PMU", event);
        bx_hint(e, "end the other program that counts");
        return BX_NO_ACCESS;
    case ENOSYS:
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "the kernel is built without perf_event");
    case ESRCH:
        return bx_fail(e, BX_SYSTEM, 0, 0, "the program is gone");
    default:
        return bx_fail(e, BX_SYSTEM, 0, 0, "'%s' cannot be counted: %s", event, strerror(why));
    }
}
