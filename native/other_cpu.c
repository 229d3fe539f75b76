#include "other_cpu.h"

#include <string.h>

#include "kernels.h"
#include "placement.h"
#include "route.h"
#include "seconds.h"
#include "thread.h"

/* Longer than anything between two steps of an experiment, or from one to the next. */
#define SPIN_SECONDS 2e-3

static bool is_called(const struct native_other_cpu *other)
{
    return atomic_load_explicit(&other->asked, memory_order_acquire) ||
           atomic_load_explicit(&other->ends, memory_order_acquire);
}

static void spin(const struct native_other_cpu *other)
{
    double until = hwc_seconds(CLOCK_MONOTONIC) + SPIN_SECONDS;

    while (!is_called(other) && hwc_seconds(CLOCK_MONOTONIC) < until)
        for (int i = 0; i < 16 && !is_called(other); i++)
            native_fence();
}

static void sleep_until_called(struct native_other_cpu *other)
{
    pthread_mutex_lock(&other->lock);
    other->sleeps = true;
    while (!is_called(other))
        pthread_cond_wait(&other->wake, &other->lock);
    other->sleeps = false;
    pthread_mutex_unlock(&other->lock);
}

static void call(struct native_other_cpu *other, atomic_bool *how)
{
    atomic_store_explicit(how, true, memory_order_release);
    pthread_mutex_lock(&other->lock);
    if (other->sleeps)
        pthread_cond_signal(&other->wake);
    pthread_mutex_unlock(&other->lock);
}

static void take_step(struct native_other_cpu *other)
{
    other->fault = other->pinned == other->cpu ? 0 : native_go_to(other->cpu);
    other->pinned = other->fault == 0 ? other->cpu : -1;
    if (other->fault == 0)
        native_go(other->journey);
    atomic_store_explicit(&other->asked, false, memory_order_relaxed);
    atomic_store_explicit(&other->done, true, memory_order_release);
}

static void *take_steps(void *context)
{
    struct native_other_cpu *other = context;

    while (!atomic_load_explicit(&other->ends, memory_order_acquire)) {
        spin(other);
        sleep_until_called(other);
        if (atomic_load_explicit(&other->asked, memory_order_acquire))
            take_step(other);
    }
    return NULL;
}

static int start(struct native_other_cpu *other, struct hwc_error *error)
{
    int fault;

    pthread_mutex_init(&other->lock, NULL);
    pthread_cond_init(&other->wake, NULL);
    atomic_init(&other->asked, false);
    atomic_init(&other->ends, false);
    other->sleeps = false;
    other->pinned = -1;
    fault = native_start_thread(&other->thread, NULL, take_steps, other);
    if (fault != 0)
        return hwc_fail(error, HWC_UNAVAILABLE, "no second thread can be started: %s", strerror(fault));
    other->running = true;
    return HWC_OK;
}

int native_other_cpu_go(struct native_other_cpu *other, int cpu, const struct native_journey *journey,
                        struct hwc_error *error)
{
    if (!other->running)
        TRY(start(other, error));
    atomic_store_explicit(&other->done, false, memory_order_relaxed);
    other->journey = journey;
    other->cpu = cpu;
    call(other, &other->asked);
    while (!atomic_load_explicit(&other->done, memory_order_acquire))
        native_fence();
    if (other->fault != 0)
        return hwc_fail(error, HWC_UNAVAILABLE, "no thread can run on CPU %d: %s", cpu, strerror(other->fault));
    return HWC_OK;
}

void native_other_cpu_end(struct native_other_cpu *other)
{
    if (!other->running)
        return;
    call(other, &other->ends);
    pthread_join(other->thread, NULL);
    pthread_cond_destroy(&other->wake);
    pthread_mutex_destroy(&other->lock);
    other->running = false;
}
