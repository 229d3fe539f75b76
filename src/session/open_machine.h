/* Opening the machine that a session runs on: this one or a simulated one. No
 * other part of the core knows which kinds there are. */
#ifndef HWC_OPEN_MACHINE_H
#define HWC_OPEN_MACHINE_H

#include <stdint.h>

#include "host_record.h"
#include "machine.h"
#include "session.h"

/* Close with (*machine)->ops->close. */
int hwc_open_machine(struct hwc_machine **machine, const struct hwc_machine_request *request, uint64_t seed,
                     struct hwc_host *host, struct hwc_error *error);

/* What is asked of this machine. Names are borrowed. */
struct native_request;
void hwc_request_of_native(const struct hwc_machine_request *request, struct native_request *native);

#endif
