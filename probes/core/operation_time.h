/* Latency and throughput of an operation, by code that a compiler makes (X-Ray, QEST 2005, 3.2 and 3.3). */
#ifndef HWC_OPERATION_TIME_H
#define HWC_OPERATION_TIME_H

#include "machine.h"
#include "operations.h"

/* Variables and statements behind a label, from the latency's on. */
enum { HWC_GROWTH = 5 };

/* An operation on a type, and what was found. */
struct hwc_timed {
    const struct hwc_operation *operation;
    const struct hwc_core_type *type;
    unsigned handle[HWC_GROWTH]; /* of the code for each */
    bool has_latency, has_throughput;
    double latency, throughput; /* cycles */
    struct hwc_error error;     /* of the latency, where there is none */
};

/* Compile what is needed for them, all at once, and time it. The throughput is the least time of independent operations
 * whose variables all have registers. A reading that comes to nothing leaves the others. */
int hwc_time_operations(struct hwc_machine *machine, struct hwc_timed *timed, unsigned count, struct hwc_error *error);

#endif
