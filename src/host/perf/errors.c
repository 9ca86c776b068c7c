/* Messages for the errors of perf_event_open(2), section ERRORS, and of files that have counts. */
#include "host/system/file.h"
#include "host/perf/perf_counters.h"
#include "host/perf/resctrl.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

/* The highest perf_event_paranoid that lets an ordinary user count this
 * (Documentation/admin-guide/sysctl/kernel.rst). */
static int level_for(const bx_perf_counter_spec *spec)
{
    if (spec->cpu != BX_PERF_TASK)
        return 0;
    return spec->config.exclude & BX_PERF_NO_KERNEL ? 2 : 1;
}

static bool of_core(const bx_perf_config *config)
{
    return config->type == PERF_TYPE_HARDWARE || config->type == PERF_TYPE_HW_CACHE ||
           config->type == PERF_TYPE_RAW;
}

/* The hint to exclude the kernel helps only if something can be counted then. */
static bool has_own_part(const bx_perf_counter_spec *spec)
{
    return spec->cpu == BX_PERF_TASK && !spec->config.exclude &&
           (of_core(&spec->config) || spec->config.type == PERF_TYPE_SOFTWARE) &&
           !bx_perf_is_kernel_only(&spec->config);
}

static int refused(const bx_perf *p, int err, const char *event, const bx_perf_counter_spec *spec,
                   bx_error *e)
{
    static const char file[] = "/proc/sys/kernel/perf_event_paranoid";
    int level, lets = level_for(spec);
    if (bx_file_number(p->root, file, &level) && level > lets) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "the kernel lets only privileged users count '%s': %s is %d",
                event, "perf_event_paranoid", level);
        bx_hint(e,
                "run as root (of the machine, not of a container) or with CAP_PERFMON, or: sysctl "
                "kernel.perf_event_paranoid=%d%s",
                lets,
                has_own_part(spec) && level < 3 ? "; or count the program's own code only: EVENT:u"
                                                : "");
        return BX_NO_ACCESS;
    }
    bx_fail(e, BX_NO_ACCESS, 0, 0, "the kernel does not let us count '%s': %s", event,
            strerror(err));
    bx_hint(e, "in a container: allow perf_event_open and CAP_PERFMON");
    return BX_NO_ACCESS;
}

static int not_there(const char *event, const bx_perf_counter_spec *spec, bx_error *e)
{
    bx_fail(e, BX_NOT_FOUND, 0, 0, "this machine cannot count '%s'", event);
    bx_hint(e, "%s",
            of_core(&spec->config)
                ? "the CPU lacks it, or is a virtual machine's without counters"
                : "the PMU does not know this event: look at its 'events' and 'format' in sysfs");
    return BX_NOT_FOUND;
}

static int invalid(const char *event, const bx_perf_counter_spec *spec, bx_error *e)
{
    bx_fail(e, BX_BAD_INPUT, 0, 0, "the kernel does not take '%s': %s", event,
            spec->config.exclude        ? "its PMU may not tell privilege levels apart"
            : spec->cpu == BX_PERF_TASK ? "its terms, or the PMU cannot follow a program"
                                        : "its terms do not go together");
    bx_hint(e, "%s",
            spec->config.exclude        ? "leave out the letters after it"
            : spec->cpu == BX_PERF_TASK ? "name its unit, to count it on that CPU; or the "
                                          "driver registers, if the catalogue has it"
                                        : "dmesg may say more");
    return BX_BAD_INPUT;
}

static int not_readable(int err, const char *file, bx_error *e)
{
    int code = err == ENOENT                   ? BX_NOT_FOUND
               : err == EACCES || err == EPERM ? BX_NO_ACCESS
                                               : BX_SYSTEM;
    bx_fail(e, code, 0, 0, "'%.160s' cannot be read: %s", file, strerror(err));
    bx_hint(e, "%s: ls -l %.160s", err == ENOENT ? "its group may be gone" : "who may read it",
            file);
    return code;
}

/* The words are those of Linux, fs/resctrl/ctrlmondata.c, rdtgroup_mondata_show(). */
void bx_perf_explain_file(int err, const char *event, const char *file, bx_error *e)
{
    switch (err) {
    case ENODATA:
        bx_fail(e, BX_NO_ACCESS, 0, 0, "'%s' has no value: its file says 'Unavailable'", event);
        bx_hint(
            e, "the hardware has no data of its group yet: count again later, or with fewer groups "
               "in " BX_RESCTRL_FOLDER "/mon_groups");
        return;
    case EIO:
        bx_fail(e, BX_NO_ACCESS, 0, 0, "'%s' has no value: its file has no number", event);
        bx_hint(e,
                "'Error' there: the CPU does not count this for its group; 'Unassigned': it has no "
                "counter for it: cat %.120s",
                file);
        return;
    case ERANGE:
        bx_fail(e, BX_NO_ACCESS, 0, 0,
                "'%s' has no value: the number in its file has become smaller", event);
        bx_hint(e, "its group was made again meanwhile: count again, and keep it until the end");
        return;
    case ENODEV:
        bx_fail(e, BX_NOT_FOUND, 0, 0, "'%s' has no value: its file was removed", event);
        bx_hint(e, "its group is gone: count again, and keep it until the end");
        return;
    default:
        bx_fail(e, BX_SYSTEM, 0, 0, "'%s' cannot be read any more: %s", event, strerror(err));
        bx_hint(e, "ls -l %.160s", file);
    }
}

int bx_perf_explain(const bx_perf *p, int err, const char *event, const bx_perf_counter_spec *spec,
                    bx_error *e)
{
    if (spec->config.file && err != EMFILE && err != ENFILE)
        return not_readable(err, spec->config.file, e);
    switch (err) {
    case EACCES:
    case EPERM:
        return refused(p, err, event, spec, e);
    case ENOENT:
    case EOPNOTSUPP:
        return not_there(event, spec, e);
    case EINVAL:
        return invalid(event, spec, e);
    case BX_PERF_NOT_IN_GROUP:
        bx_fail(e, BX_NO_FIT, 0, 0, "'%s' cannot be counted beside the rest of its group", event);
        bx_hint(e, "the PMU has too few counters: leave out the braces, or some events");
        return BX_NO_FIT;
    case BX_PERF_RIGHTS_CHANGE:
        bx_fail(
            e, BX_NO_ACCESS, 0, 0,
            "'%s' cannot be counted: the kernel stops counting a program that gets other rights",
            event);
        bx_hint(e, "it is set-user-ID, set-group-ID or has capabilities: run boxscore with these");
        return BX_NO_ACCESS;
    case EMFILE:
    case ENFILE:
        bx_fail(e, BX_SYSTEM, 0, 0, "too many open files at '%s': each counter is one", event);
        bx_hint(e, err == EMFILE ? "ulimit -n 65536" : "sysctl fs.file-max");
        return BX_SYSTEM;
    case ENODEV:
        if (spec->cpu == BX_PERF_TASK)
            return not_there(event, spec, e);
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "'%s' cannot be counted: CPU %d is offline", event,
                       spec->cpu);
    case EBUSY:
        bx_fail(e, BX_NO_ACCESS, 0, 0, "'%s' cannot be counted: another process uses its PMU",
                event);
        bx_hint(e, "end the other program that counts");
        return BX_NO_ACCESS;
    case ENOSYS:
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "the kernel is built without perf_event");
    case ESRCH:
        return bx_fail(e, BX_SYSTEM, 0, 0, "the program is gone");
    default:
        return bx_fail(e, BX_SYSTEM, 0, 0, "'%s' cannot be counted: %s", event, strerror(err));
    }
}
