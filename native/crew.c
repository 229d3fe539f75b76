#include "crew.h"

#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "thread.h"

/* A turn's additions, or loads: some hundred cycles. */
enum { ADDITIONS = 64, LOADS = 64 };

enum { TASK_BITS = 8, TURN_BITS = 32 };

static uint64_t order_of(const struct native_member *member)
{
    return atomic_load_explicit(&member->order, memory_order_relaxed);
}

static enum native_task task_of(uint64_t order)
{
    return (enum native_task)(order & ((1 << TASK_BITS) - 1));
}

static void took_turns(struct native_member *member, uint64_t order, uint64_t turns)
{
    atomic_store_explicit(&member->taken, (order >> TASK_BITS << TURN_BITS) + turns, memory_order_release);
}

static void rest(struct native_member *member, uint64_t order)
{
    const uint64_t self[1] = {0};

    for (uint64_t turns = 1; order_of(member) == order; turns++) {
        native_chase(self, 0, LOADS);
        took_turns(member, order, turns);
    }
}

static void fill(struct native_member *member, uint64_t order)
{
    for (uint64_t turns = 1; order_of(member) == order; turns++) {
        native_fill_core(ADDITIONS);
        took_turns(member, order, turns);
    }
}

static void bounce(struct native_member *member, uint64_t order)
{
    _Atomic uint64_t *ball = &member->crew->ball->value;

    took_turns(member, order, 1);
    for (uint64_t next = 1; order_of(member) == order;)
        if (native_take_ball(ball, next))
            next += 2;
}

static void sleep_until_told(struct native_member *member, uint64_t order)
{
    pthread_mutex_lock(&member->crew->lock);
    while (order_of(member) == order)
        pthread_cond_wait(&member->wake, &member->crew->lock);
    pthread_mutex_unlock(&member->crew->lock);
}

static void *work(void *context)
{
    static void (*const tasks[])(struct native_member *, uint64_t) = {
        [NATIVE_SLEEP] = sleep_until_told, [NATIVE_REST] = rest, [NATIVE_FILL] = fill, [NATIVE_BOUNCE] = bounce};
    struct native_member *member = context;

    for (uint64_t order = order_of(member); task_of(order) != NATIVE_END; order = order_of(member))
        tasks[task_of(order)](member, order);
    return NULL;
}

static int start(struct native_crew *crew, struct native_member *member, int cpu)
{
    const cpu_set_t one = native_only(cpu);
    int fault;

    member->crew = crew;
    atomic_init(&member->order, NATIVE_SLEEP);
    atomic_init(&member->taken, 0);
    pthread_cond_init(&member->wake, NULL);
    fault = native_start_thread(&member->thread, &one, work, member);
    if (fault != 0)
        pthread_cond_destroy(&member->wake);
    return fault;
}

static int start_all(struct native_crew *crew, const int *cpus, unsigned count, struct hwc_error *error)
{
    for (; crew->count < count; crew->count++) {
        int fault = start(crew, &crew->member[crew->count], cpus[crew->count]);
        if (fault != 0)
            return hwc_fail(error, HWC_UNAVAILABLE, "no thread can run on CPU %d: %s", cpus[crew->count],
                            strerror(fault));
    }
    return HWC_OK;
}

int native_crew_open(struct native_crew *crew, const int *cpus, unsigned count, struct hwc_error *error)
{
    int status;

    *crew = (struct native_crew){0};
    crew->member = aligned_alloc(NATIVE_APART, count * sizeof *crew->member);
    crew->ball = aligned_alloc(NATIVE_APART, sizeof *crew->ball);
    if (crew->member == NULL || crew->ball == NULL) {
        free(crew->member);
        free(crew->ball);
        crew->member = NULL;
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for %u threads", count);
    }
    atomic_init(&crew->ball->value, 0);
    pthread_mutex_init(&crew->lock, NULL);
    status = start_all(crew, cpus, count, error);
    if (status != HWC_OK)
        native_crew_close(crew);
    return status;
}

void native_crew_order(struct native_crew *crew, const bool *who, enum native_task task)
{
    pthread_mutex_lock(&crew->lock);
    crew->orders++;
    for (unsigned i = 0; i < crew->count; i++) {
        struct native_member *member = &crew->member[i];
        enum native_task told = who == NULL || who[i] ? task : NATIVE_SLEEP, did = task_of(order_of(member));
        if (told == NATIVE_SLEEP && did == NATIVE_SLEEP)
            continue; /* who sleeps is not woken to be told so */
        atomic_store_explicit(&member->order, ((uint64_t)crew->orders << TASK_BITS) + told, memory_order_release);
        if (did == NATIVE_SLEEP)
            pthread_cond_signal(&member->wake);
    }
    pthread_mutex_unlock(&crew->lock);
}

uint32_t native_member_turns(const struct native_crew *crew, unsigned member)
{
    uint64_t taken = atomic_load_explicit(&crew->member[member].taken, memory_order_acquire);

    return taken >> TURN_BITS == crew->orders ? (uint32_t)taken : 0;
}

void native_crew_close(struct native_crew *crew)
{
    if (crew->member == NULL)
        return;
    native_crew_order(crew, NULL, NATIVE_END);
    for (unsigned i = 0; i < crew->count; i++) {
        pthread_join(crew->member[i].thread, NULL);
        pthread_cond_destroy(&crew->member[i].wake);
    }
    pthread_mutex_destroy(&crew->lock);
    free(crew->member);
    free(crew->ball);
    *crew = (struct native_crew){0};
}
