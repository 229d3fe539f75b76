/* The calls by which a program counts, answered for the stand-in's events and handed on for all others. */
#include "stand_in.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose.h"

enum { MOST_WORDS = 64 };

static int open_event(const struct perf_event_attr *attributes, int leader)
{
    int descriptor = stand_in_open_event(attributes, leader);

    stand_in_note(descriptor < 0 ? REFUSED : OPENED);
    if (descriptor >= 0)
        return descriptor;
    errno = -descriptor;
    return -1;
}

EXPORT long syscall(long number, ...)
{
    NEXT(long, syscall, long, ...);
    va_list arguments;
    long a[6];

    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_perf_event_open)
        return open_event((const struct perf_event_attr *)a[0], (int)a[3]);
    return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
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

EXPORT int ioctl(int descriptor, unsigned long request, ...)
{
    NEXT(int, ioctl, int, unsigned long, ...);
    va_list arguments;
    unsigned long argument;
    int status;

    va_start(arguments, request);
    argument = va_arg(arguments, unsigned long);
    va_end(arguments);
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
