/* Ctrl-C sets a flag that machines look at between steps. */
#ifndef HWC_INTERRUPT_H
#define HWC_INTERRUPT_H

#include <signal.h>

/* Catch SIGINT and SIGTERM; returns the flag that they set. A second signal kills the process as usual. */
const volatile sig_atomic_t *hwc_interrupt_catch(void);

#endif
