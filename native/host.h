/* What this machine reports about itself. */
#ifndef HWC_NATIVE_HOST_H
#define HWC_NATIVE_HOST_H

#include "host_record.h"

/* Fills cpu_model and hypervisor. */
void native_describe_host(struct hwc_host *host);

#endif
