/* What the profile's notes say about this machine. */
#include <stdio.h>

#include "instructions.h"
#include "native_machine.h"

static void note_pages(const struct native_machine *machine, char *text, size_t size)
{
    if (machine->memory.hugetlb_bytes > 0)
        snprintf(text, size, "large arenas came from the hugetlb pool, pages of %llu KiB",
                 (unsigned long long)machine->memory.hugetlb_bytes >> 10);
    else if (machine->memory.huge_bytes > 0)
        snprintf(text, size, "large arenas are backed by transparent huge pages%s",
                 machine->memory.guest ? "; the host may back them with smaller ones" : "");
    else
        snprintf(text, size, "no huge pages were to be had: large arenas have ordinary pages");
}

static void note_limit(const struct native_machine *machine, char *text, size_t size)
{
    snprintf(text, size, "memory in use is bounded to %llu MiB by %s",
             (unsigned long long)(machine->memory.limit_bytes >> 20), machine->memory.bound);
}

static void note_clock(const struct native_machine *machine, char *text, size_t size)
{
    if (!machine->base.has_clock)
        snprintf(text, size, "under valgrind the clock says nothing of the machine and was not asked");
    else
        snprintf(text, size,
                 "core at %.0f MHz by dependent additions%s; decoding an index costs %.1f cycles, taken off",
                 machine->base.cycles_per_ns * 1e3,
                 machine->clock.steady ? "" : " (the frequency never came to rest)", machine->base.decode_cycles);
}

static void note_stolen(const struct native_machine *machine, char *text, size_t size)
{
    snprintf(text, size, "the hypervisor took %llu ticks from this CPU meanwhile",
             machine->stolen + native_stolen(machine->placement.cpu) - machine->stolen_at_open);
}

static void note_moves(const struct native_machine *machine, char *text, size_t size)
{
    snprintf(text, size, "moved to another CPU of its kind %u time%s, as others worked on the core; ended on CPU %d",
             machine->moves, machine->moves == 1 ? "" : "s", machine->placement.cpu);
}

/* Each value that hangs on it has the reason, which a short report does not show. */
static void note_compiler(const struct native_machine *machine, char *text, size_t size)
{
    nano_trouble(machine->workshop, text, size);
}

static void note_vectors(const struct native_machine *machine, char *text, size_t size)
{
    (void)machine;
    snprintf(text, size, "%s", native_about_vectors);
}

bool native_note(struct hwc_machine *base, unsigned i, char *text, size_t size)
{
    const struct native_machine *machine = native_self(base);
    void (*notes[])(const struct native_machine *, char *, size_t) = {note_pages, note_limit, note_clock,
                                                                      note_stolen, NULL, NULL, NULL};
    unsigned count = 4;

    if (machine->moves > 0)
        notes[count++] = note_moves;
    if (machine->workshop != NULL && nano_trouble(machine->workshop, text, size))
        notes[count++] = note_compiler;
    if (machine->loop.written && native_about_vectors != NULL)
        notes[count++] = note_vectors;
    if (i >= count)
        return false;
    notes[i](machine, text, size);
    return true;
}
