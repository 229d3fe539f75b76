/* A crew: a thread on each of several CPUs, which does what it is told until it is told otherwise. They sleep unless
 * they are at work, as one that spins would disturb a thread that shares its core. */
#ifndef HWC_NATIVE_CREW_H
#define HWC_NATIVE_CREW_H

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "error.h"

enum native_task {
    NATIVE_SLEEP,
    NATIVE_REST,   /* loads that wait for each other: next to nothing, but it runs */
    NATIVE_FILL,   /* additions, more than the core begins in a cycle */
    NATIVE_BOUNCE, /* returns the ball */
    NATIVE_END
};

/* No line is longer, nor what a miss brings along. */
enum { NATIVE_APART = 256 };

struct native_crew;

/* What the member reads, and what it writes, lie in lines of their own. */
struct native_member {
    alignas(NATIVE_APART) _Atomic uint64_t order; /* its number, and the task in the last byte; set under the lock */
    struct native_crew *crew;
    pthread_t thread;
    pthread_cond_t wake;
    alignas(NATIVE_APART) _Atomic uint64_t taken; /* the number of the order that it follows, and in the lower half how
                                                     many turns of it it has taken */
};

/* Two CPUs add 1 in turn, the member to odd numbers. */
struct native_ball {
    alignas(NATIVE_APART) _Atomic uint64_t value;
};

/* Add 1, if it is this number. Who waits for his turn asks for the line as one who writes it, so that it changes hands
 * once a turn; one who only read it would have to ask again before he may write. */
static inline bool native_take_ball(_Atomic uint64_t *ball, uint64_t value)
{
    return atomic_compare_exchange_strong(ball, &value, value + 1);
}

struct native_crew {
    unsigned count; /* 0 = there is none */
    struct native_member *member;
    struct native_ball *ball;
    uint32_t orders; /* given so far */
    pthread_mutex_t lock;
};

/* Threads on these CPUs, asleep. HWC_UNAVAILABLE where one cannot be started. */
int native_crew_open(struct native_crew *crew, const int *cpus, unsigned count, struct hwc_error *error);

/* Those that are set begin anew, with this task, and all others sleep. NULL: all are meant. */
void native_crew_order(struct native_crew *crew, const bool *who, enum native_task task);

/* How many turns has a member taken since the last order? */
uint32_t native_member_turns(const struct native_crew *crew, unsigned member);

/* Does nothing if there is none. */
void native_crew_close(struct native_crew *crew);

#endif
