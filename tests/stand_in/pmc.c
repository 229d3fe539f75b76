/* An instruction that reads a counter which the CPU does not lend traps; the handler answers for the counter and goes on
 * behind the instruction. */
#include "stand_in.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "arm_counter.h"

#if defined __x86_64__ || defined __aarch64__

/* Set back to what it was: a fault of the program's own. */
static void pass_on(int number)
{
    signal(number, SIG_DFL);
}

#ifdef __x86_64__
static bool reads_counter(const mcontext_t *machine, uint32_t *index)
{
    *index = (uint32_t)machine->gregs[REG_RCX];
    return memcmp((const void *)machine->gregs[REG_RIP], "\x0f\x33", 2) == 0;
}

static void give(mcontext_t *machine, uint64_t value)
{
    machine->gregs[REG_RAX] = (greg_t)(value & 0xffffffffu);
    machine->gregs[REG_RDX] = (greg_t)(value >> 32);
    machine->gregs[REG_RIP] += 2;
}
#else
static bool reads_counter(const mcontext_t *machine, uint32_t *index)
{
    uint32_t code;

    memcpy(&code, (const void *)machine->pc, sizeof code);
    return reads_arm_counter(code, index);
}

static void give(mcontext_t *machine, uint64_t value)
{
    uint32_t code;

    memcpy(&code, (const void *)machine->pc, sizeof code);
    if ((code & 31) < 31) /* else nobody wants it */
        machine->regs[code & 31] = value;
    machine->pc += sizeof code;
}
#endif

static void answer(int number, siginfo_t *info, void *context)
{
    mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
    uint32_t index;

    (void)info;
    if (!reads_counter(machine, &index)) {
        pass_on(number);
        return;
    }
    stand_in_pause_counting();
    give(machine, stand_in_read_pmc(index));
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
