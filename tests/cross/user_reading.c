/* Reading a counter in user mode on AArch64, under an emulator that lends user mode none: each instruction traps.
 *
 *   user_reading registers   each index is read from the register of that number
 *   user_reading counts      on the stand-in: an event is attached, and read by the instruction */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "backend.h"
#include "processor.h"

extern const struct ctr_backend ctr_backend_perf;

/* The answer to MRS X<t>, <register>: the register as the instruction encodes it. */
static void answer(int number, siginfo_t *info, void *context)
{
    mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
    uint32_t code;

    (void)number;
    (void)info;
    memcpy(&code, (const void *)machine->pc, sizeof code);
    machine->regs[code & 31] = code >> 5;
    machine->pc += sizeof code;
}

/* The Arm ARM's encodings: PMEVCNTR<n>_EL0 is S3_3_C14_C(8 + n / 8)_(n % 8), PMCCNTR_EL0 is S3_3_C9_C13_0. */
static uint64_t encoding_of(uint32_t index)
{
    const uint64_t mrs = UINT64_C(0x1aa7) << 14, op1 = UINT64_C(3) << 11; /* MRS with op0 = 3 */

    if (index == 31)
        return mrs | op1 | 9u << 7 | 13u << 3;
    return mrs | op1 | 14u << 7 | (8 + index / 8) << 3 | index % 8;
}

static int check_registers(void)
{
    struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO};
    int wrong = 0;

    sigaction(SIGILL, &action, NULL);
    for (uint32_t index = 0; index < 32; index++)
        if (ctr_read_pmc(index) != encoding_of(index)) {
            printf("index %u reads another register\n", index);
            wrong++;
        }
    return wrong;
}

/* The stand-in's event counts the readings of it: one from start to stop. */
static int count(void)
{
    struct hwc_error error = {0};
    struct ctr_opened perf = {.backend = &ctr_backend_perf};
    struct ctr_counters counters = {.by = &perf};
    struct ctr_core_pmu core;
    struct ctr_reading reading = {0};
    int status;

    ctr_find_core_pmu(0, &core);
    status = ctr_backend_perf.open(&perf.session, 0, &core, &error);
    if (status == HWC_OK)
        status = ctr_backend_perf.attach(perf.session, "r42", &error);
    if (status == HWC_OK) {
        counters.user_page = ctr_backend_perf.user_page(perf.session);
        status = ctr_start(&counters, &error);
    }
    if (status == HWC_OK)
        status = ctr_stop(&counters, &reading, &error);
    if (perf.session != NULL)
        ctr_backend_perf.close(perf.session);
    printf("%s %g %s\n", reading.whole ? "whole" : "not whole", reading.value, error.message);
    return status != HWC_OK || !reading.whole || reading.value != 1;
}

int main(int argc, char **argv)
{
    return argc == 2 && strcmp(argv[1], "counts") == 0 ? count() : check_registers();
}
