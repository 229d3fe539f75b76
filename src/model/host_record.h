/* Where a profile was taken. */
#ifndef HWC_HOST_RECORD_H
#define HWC_HOST_RECORD_H

struct hwc_host {
    char name[128];
    char arch[32];
    char cpu_model[128];
    char hypervisor[32]; /* empty = none seen */
    char kernel[128];
    int cpu; /* -1 = none: a simulated machine */
    char time[40];
};

#endif
