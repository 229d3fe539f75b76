/* The calls by which a program counts, answered for the stand-in's events and handed on for all others. */
#include "stand_in.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose.h"

enum { MOST_WORDS = 64 };

static int open_event(const struct perf_event_attr *attributes, int cpu, int leader)
{
    int descriptor = stand_in_open_event(attributes, cpu, leader);

    stand_in_note(descriptor < 0 ? REFUSED : OPENED);
    if (descriptor >= 0)
        return descriptor;
    errno = -descriptor;
    return -1;
}

EXPORT long stand_in_syscall(long number, long a, long b, long c, long d, long e, long f) AS(syscall);

long stand_in_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    NEXT(long, syscall, long, ...);

    if (number == SYS_perf_event_open)
        return open_event((const struct perf_event_attr *)a, (int)c, (int)d);
    return next(number, a, b, c, d, e, f);
}

static int control(int descriptor, unsigned long request, unsigned long flags)
{
    bool group = (flags & PERF_IOC_FLAG_GROUP) != 0;

    if (request == PERF_EVENT_IOC_ENABLE)
        stand_in_enable(descriptor, group);
    else if (request == PERF_EVENT_IOC_DISABLE)
        stand_in_disable(descriptor, group);
    else if (request == PERF_EVENT_IOC_RESET)
        stand_in_reset(descriptor);
    else {
        errno = ENOTTY;
        return -1;
    }
    return 0;
}

EXPORT int stand_in_ioctl(int descriptor, unsigned long request, unsigned long argument) AS(ioctl);

int stand_in_ioctl(int descriptor, unsigned long request, unsigned long argument)
{
    NEXT(int, ioctl, int, unsigned long, ...);
    int status;

    if (!stand_in_has_event(descriptor))
        return next(descriptor, request, argument);
    stand_in_pause_counting();
    status = control(descriptor, request, argument);
    stand_in_go_on_counting();
    return status;
}

static ssize_t read_event(int descriptor, void *to, size_t size)
{
    uint64_t words[MOST_WORDS];
    size_t count;

    stand_in_pause_counting();
    count = sizeof *words * stand_in_read_event(descriptor, words, MOST_WORDS);
    stand_in_go_on_counting();
    if (count > size) {
        errno = ENOSPC;
        return -1;
    }
    memcpy(to, words, count);
    return (ssize_t)count;
}

EXPORT ssize_t read(int descriptor, void *to, size_t size)
{
    NEXT(ssize_t, read, int, void *, size_t);

    return stand_in_has_event(descriptor) ? read_event(descriptor, to, size) : next(descriptor, to, size);
}

EXPORT int close(int descriptor)
{
    NEXT(int, close, int);

    if (stand_in_has_event(descriptor))
        stand_in_close_event(descriptor);
    return next(descriptor);
}
