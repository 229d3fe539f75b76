/* What was done, how often: lines of the file `log`, written at exit. */
#include "stand_in.h"

static unsigned done[DEEDS];

void stand_in_note(enum deed deed)
{
    done[deed]++;
}

__attribute__((constructor)) static void begin(void)
{
    const struct stand_in_machine *machine = stand_in_machine();

    for (unsigned i = 0; i < machine->pmus; i++)
        if (machine->pmu[i].rdpmc)
            stand_in_catch_rdpmc();
}

__attribute__((destructor)) static void end(void)
{
    static const char *const names[DEEDS] = {"opened", "refused", "enabled",     "disabled",
                                             "reset",  "read",    "read_by_pmc", "ended"};
    char path[4096];
    FILE *file = stand_in_path("/log", path, sizeof path) ? stand_in_open(path, "a") : NULL;

    for (int i = 0; file != NULL && i < DEEDS; i++)
        fprintf(file, "%s %u\n", names[i], done[i]);
    if (file != NULL)
        fclose(file);
}
