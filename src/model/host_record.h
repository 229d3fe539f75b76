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
    char core_kind[64]; /* "cpu_atom"; empty = the run was not one of each kind of core */
    char time[40];
};

#endif
