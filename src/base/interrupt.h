/* Ctrl-C: machines look at this between steps and stop. */
#ifndef HWC_INTERRUPT_H
#define HWC_INTERRUPT_H

#include <stdbool.h>

/* Catch SIGINT and SIGTERM. A second signal kills the process as usual. */
void hwc_interrupt_catch(void);

bool hwc_interrupted(void);

#endif
