/* Restartable sequences (rseq): a thread leaves the address of a descriptor of some code in memory that it shares with the
 * kernel. Whenever the kernel preempts or moves the thread, it looks whether the thread was within that code, and
 * otherwise clears the address (rseq_ip_fixup in the kernel's kernel/rseq.c). A descriptor of code that never runs thus
 * tells of preemption. */
#include "preemption.h"

#include <sched.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>

#if defined __has_include
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif
#endif

static long context_switches(void)
{
    struct rusage usage = {0};

    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw + usage.ru_nvcsw;
}

#ifdef RSEQ_SIG

/* The kernel wants its signature before the address that it would go on at. Nothing of this is ever run. */
static const uint32_t never_run[2] = {RSEQ_SIG, 0};

static struct rseq_cs elsewhere;

static void mark(volatile struct rseq *shared)
{
    shared->rseq_cs = (uintptr_t)&elsewhere;
}

/* What this thread shares with the kernel; NULL if the C library did not register it. */
static volatile struct rseq *shared_by_thread(void)
{
    return __rseq_size > 0 ? (volatile struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset) : NULL;
}

/* Give up the CPU, the mark set. A nap that is over before the kernel came to switch gives up nothing: false after so
 * many of those. */
static bool given_up(volatile struct rseq *shared)
{
    enum { NAPS = 20 };
    const struct timespec nap = {.tv_nsec = 1000};

    for (int i = 0; i < NAPS; i++) {
        long before = context_switches();
        mark(shared);
        nanosleep(&nap, NULL);
        if (context_switches() != before)
            return true;
    }
    return false;
}

/* Does giving up the CPU clear the mark? */
static bool try_it(volatile struct rseq *shared)
{
    bool cleared;

    if (shared == NULL)
        return false;
    elsewhere = (struct rseq_cs){.start_ip = (uintptr_t)&never_run[0],
                                 .post_commit_offset = 1,
                                 .abort_ip = (uintptr_t)&never_run[1]};
    cleared = given_up(shared) && shared->rseq_cs == 0;
    shared->rseq_cs = 0;
    return cleared;
}

/* NULL where that does not work. */
static volatile struct rseq *marked_by_kernel(void)
{
    static enum { UNKNOWN, NO, YES } works;
    volatile struct rseq *shared = shared_by_thread();

    if (works == UNKNOWN)
        works = try_it(shared) ? YES : NO;
    return works == YES ? shared : NULL;
}

static bool begin_to_mark(void)
{
    volatile struct rseq *shared = marked_by_kernel();

    if (shared != NULL)
        mark(shared);
    return shared != NULL;
}

static bool mark_stayed(int cpu)
{
    volatile struct rseq *shared = marked_by_kernel();
    bool stayed = shared->rseq_cs != 0 && shared->cpu_id == (uint32_t)cpu;

    shared->rseq_cs = 0;
    return stayed;
}

#else

static bool begin_to_mark(void)
{
    return false;
}

static bool mark_stayed(int cpu)
{
    (void)cpu;
    return false;
}

#endif

struct native_watch native_watch_begin(void)
{
    return (struct native_watch){.switches = begin_to_mark() ? -1 : context_switches()};
}

/* Which CPU this is the kernel says: the number that x86 processors keep for it (TSC_AUX) is the host's own on virtual
 * machines that leave it as it is. */
bool native_watch_undisturbed(const struct native_watch *watch, int cpu)
{
    if (watch->switches < 0)
        return mark_stayed(cpu);
    return context_switches() == watch->switches && sched_getcpu() == cpu;
}
