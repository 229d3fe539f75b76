/* Which CPUs share a core, by how much longer additions take on one while others add, too. Pure: what is asked goes
 * through a callback.
 *
 * Two threads that both begin more additions than the core can divide it: each takes about twice as long. (X-Ray, QEST
 * 2005, 3.6.) Few CPUs are asked pair by pair, from both sides. Of many, each is asked beside all others at once, and
 * only where it is slowed beside ever fewer of them. */
#ifndef HWC_SAME_CORE_H
#define HWC_SAME_CORE_H

#include <stdbool.h>

#include "cpus.h"
#include "error.h"

enum hwc_same_core { HWC_CORE_UNSURE, HWC_CORES_APART, HWC_CORE_SHARED };

/* How much longer additions take beside others, as a share: 0 = no longer, 1 = twice as long. NAN = it was not seen. */
double hwc_core_share(const struct hwc_abreast *beside);

/* Does the CPU share a core with any of the others? */
enum hwc_same_core hwc_judge_core(const struct hwc_abreast *beside);

struct hwc_core_asker {
    /* Does the CPU share its core with any of those that are set? */
    int (*ask)(void *context, unsigned cpu, const bool *others, enum hwc_same_core *answer, struct hwc_error *error);
    void *context;
};

struct hwc_cores {
    unsigned cpus;
    unsigned cores;  /* as far as is known */
    unsigned *first; /* by CPU: the first one of its core */
    bool *unsure;    /* by CPU: whether it shares a core with some other one is not known */
};

/* May return HWC_NO_MEMORY, or what the asker does. Free in any case. */
int hwc_find_cores(unsigned cpus, const struct hwc_core_asker *asker, struct hwc_cores *cores, struct hwc_error *error);
void hwc_cores_free(struct hwc_cores *cores);

/* CPUs of that one's core, itself included. */
unsigned hwc_cpus_of_core(const struct hwc_cores *cores, unsigned cpu);

/* Is it known of every CPU whom it shares a core with? */
bool hwc_cores_are_sure(const struct hwc_cores *cores);

#endif
