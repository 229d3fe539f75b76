#include "interrupt.h"

#include <stddef.h>

/* Global, as nothing can be passed to a signal handler. */
static volatile sig_atomic_t caught;

static void handle(int signal_number)
{
    (void)signal_number;
    caught = 1;
}

const volatile sig_atomic_t *hwc_interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = (int)SA_RESETHAND};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &caught;
}
