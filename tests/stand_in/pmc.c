/* RDPMC of an index that no CPU has traps; the handler answers for the counter and goes on behind the instruction. */
#include "stand_in.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

#ifdef __x86_64__

/* Set back to what it was: a fault of the program's own. */
static void pass_on(int number)
{
    signal(number, SIG_DFL);
}

static void answer(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint64_t value;

    (void)info;
    if (memcmp((const void *)registers[REG_RIP], "\x0f\x33", 2) != 0) {
        pass_on(number);
        return;
    }
    stand_in_pause_counting();
    value = stand_in_read_pmc((uint32_t)registers[REG_RCX]);
    registers[REG_RAX] = (greg_t)(value & 0xffffffffu);
    registers[REG_RDX] = (greg_t)(value >> 32);
    registers[REG_RIP] += 2;
    stand_in_go_on_counting();
}

void stand_in_catch_rdpmc(void)
{
    struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO};

    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGILL, &action, NULL);
}

#else

void stand_in_catch_rdpmc(void)
{
}

#endif
