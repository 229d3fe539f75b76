/* Why perf_event_open refuses, and what the user can do. */
#ifndef HWC_COUNTERS_PERF_REASON_H
#define HWC_COUNTERS_PERF_REASON_H

#include <stddef.h>

/* One sentence for the errno of opening a hardware event. `paranoid` is the
 * sysctl's value, or a number below -1 if it cannot be read. Pure. */
void ctr_perf_reason(int error_number, int paranoid, char *text, size_t size);

/* A number of /proc/sys/kernel, or `otherwise` if it cannot be read. */
int ctr_setting(const char *name, int otherwise);

int ctr_perf_paranoid(void);

#endif
