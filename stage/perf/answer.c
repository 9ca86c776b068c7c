/* Answers the system call perf_event_open(): reads its arguments, and decides whether the event is
 * the machine's or the host's. */
#include "host/perf/kernel_pmus.h"
#include "stage/perf/internal.h"

#include <errno.h>

/* The CPU of the host that replaces a CPU of the machine. */
static int host_cpu(const bx_staged_perf *p, int64_t cpu)
{
    int n = CPU_COUNT(&p->host), rest = n ? (int)(cpu % n) : 0;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &p->host) && rest-- == 0)
            return i;
    return 0;
}

/* Reads the arguments from the program's memory. 0 or an errno. */
static int read_request(const bx_call *call, bx_open_request *request)
{
    const uint64_t at = call->args[0];
    unsigned char bytes[BX_ATTR_SIZE_MAX];
    uint32_t head[2] = {0}; /* type and size */
    if (bx_call_read(call, at, head, sizeof head) != 0)
        return EFAULT;
    size_t n = bx_attr_size(head[1]);
    int err = n ? bx_call_read(call, at, bytes, n) : E2BIG;
    if (!err)
        err = bx_attr_read(request, bytes, n);
    request->attr.type = head[0];
    request->pid = (int32_t)call->args[1];
    request->cpu = (int32_t)call->args[2];
    request->flags = call->args[4];
    return err;
}

/* Writes the known size to the program's attr, as Linux does with E2BIG. */
static void report_size(const bx_call *call)
{
    const uint32_t known = BX_ATTR_KNOWN;
    (void)bx_call_write(call, call->args[0] + offsetof(struct perf_event_attr, size), &known,
                        sizeof known);
}

/* Whether we open an event of the host's kernel for the program. Then it can be in a group with
 * events of the machine, and on CPUs that the host lacks. */
static bool opened_by_us(const bx_staged_perf *p, const bx_open_request *request)
{
    if (request->pid != -1 || request->cpu < 0 ||
        request->flags & (PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_OUTPUT))
        return false;
    return !request->attr.sample_period || request->cpu >= CPU_SETSIZE ||
           !CPU_ISSET((int)request->cpu, &p->host);
}

/* The machine's CPUs have lower numbers. */
static int64_t cpus_of(const bx_staged_perf *p)
{
    const bx_topology *t = p->signalled ? NULL : p->validation.sources->t;
    return t ? (int64_t)t->packages * t->cores : p->signalled->cpus_n;
}

/* Whether one of the machine's PMUs has the type. *of_cpus: a PMU of cores. */
static bool has_type(const bx_staged_perf *p, uint32_t type, bool *of_cpus)
{
    const bx_perf_pmu *pmu = p->signalled ? bx_signalled_pmu(p->signalled, type) : NULL;
    const bx_event_source *source =
        p->signalled ? NULL : bx_event_source_of_type(p->validation.sources, type);
    *of_cpus = pmu ? !pmu->cpus_n : source && source->of_cpus;
    return pmu || source;
}

/* Whether the event is of a task on a CPU that only the machine has. The host's kernel would refuse
 * it. */
static bool is_empty(const bx_staged_perf *p, const bx_open_request *request)
{
    return request->pid >= 0 && request->cpu >= 0 && request->cpu < cpus_of(p) &&
           !(request->flags & (PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_OUTPUT)) &&
           (request->cpu >= CPU_SETSIZE || !CPU_ISSET((int)request->cpu, &p->host));
}

/* Whether one of the machine's PMUs counts the event. If the core has a PMU, that PMU counts
 * generic hardware events. */
static bool is_ours(const bx_staged_perf *p, uint32_t type)
{
    bool of_cpus;
    return has_type(p, type, &of_cpus) ||
           (has_type(p, PERF_TYPE_RAW, &of_cpus) &&
            (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE));
}

/* Whether the event is of a program that its process is about to execute, and of all that this
 * program starts: perf stat -- PROGRAM. Events of a group are switched on with their leader. */
static bool is_of_program(const bx_staged_perf *p, const bx_open_job *job)
{
    const bx_open_request *r = &job->request;
    return p->launcher && r->pid > 0 && r->pid != job->call.pid && r->cpu == -1 &&
           !r->attr.sample_period && r->attr.inherit &&
           !(r->flags & (PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_OUTPUT)) &&
           (r->attr.enable_on_exec || job->group != -1);
}

/* Notes what the cores' PMUs do not have. PAPI only tries whether they have it: what perf counts is
 * of the program's children, too. */
static void note(bx_staged_perf *p, const bx_open_request *request)
{
    bool of_cpus, known = has_type(p, request->attr.type, &of_cpus);
    if (!bx_attr_is_of_task(request))
        atomic_store(&p->asked_cpus, true);
    if (known && !of_cpus)
        return;
    if (request->attr.sample_period)
        atomic_store(&p->asked_samples, true);
    else if (request->attr.inherit && bx_attr_is_of_task(request))
        atomic_store(&p->asked_task, true);
}

static int check_answer(bx_staged_perf *p, bx_open_job *job, int err)
{
    if (!err && !job->of_program)
        note(p, &job->request);
    if (err == E2BIG)
        report_size(&job->call);
    if (!err)
        err = bx_attr_check(&job->request);
    if (!err && job->request.attr.type == PERF_TYPE_HW_CACHE)
        err = ENOENT;
    if (!err && job->request.attr.type == PERF_TYPE_HARDWARE)
        err = p->signalled ? bx_signalled_generic(p->signalled, &job->request)
                           : bx_validate_generic(&p->validation, &job->request, job->of_program);
    return err;
}

enum bx_answer bx_staged_prepare(void *context, bx_open_job *job, int64_t *value)
{
    bx_staged_perf *p = context;
    int err = read_request(&job->call, &job->request);
    job->group = (int32_t)job->call.args[3];
    job->of_program = !err && is_of_program(p, job);
    bool ours = job->of_program || is_ours(p, job->request.attr.type);
    job->empty = !ours && !err && is_empty(p, &job->request);
    if (job->empty && job->request.pid == 0)
        job->request.pid = job->call.pid;
    if (!ours && !job->empty && (err || !opened_by_us(p, &job->request)))
        return BX_CALL_CONTINUES; /* the host's kernel opens or refuses it */
    if (ours)
        err = check_answer(p, job, err);
    job->host = !ours;
    job->host_cpu = host_cpu(p, job->request.cpu);
    *value = -err;
    return err ? BX_CALL_RETURNS : BX_CALL_LATER;
}

enum bx_answer bx_staged_answer(void *context, const bx_call *call, int64_t *value)
{
    const bx_staged_perf *p = context;
    *value = -bx_opener_thread_send(p->opener, call);
    return *value ? BX_CALL_RETURNS : BX_CALL_LATER;
}
