/* The file `machine`, line by line:
 *
 *   # a remark
 *   paranoid LEVEL
 *   pmu NAME TYPE CPUS COUNTERS [taken=N] [filters=none|not-guest|guest-always] [strict] [rdpmc[=CONFIG1]]
 *       [uncore] [multiplexed] [serves=L1,L2,L3,memory,...]
 *   event PMU CODE TERM[+TERM...] [config1=N] [kernel=N] [dies=N[!]]
 *
 * CODE is hexadecimal, or cache:CODE for one of the kernel's generic cache events. A TERM is a column of counts, or
 * what the program's model counts under that name, after a factor and * if it has one: 1.4*D1mr. With !, enabling a dead
 * event does not help. */
#include "stand_in.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct stand_in_machine machine;

static void fail(const char *line)
{
    fprintf(stderr, "stand-in: cannot read \"%s\"\n", line);
    _exit(99);
}

static bool find_column(const char *name, enum column *column)
{
    static const char *const names[MODEL] = {"Ir",   "Dr",   "Dw",     "I1mr",     "D1mr",         "D1mw",     "ILmr",
                                             "DLmr", "DLmw", "faults", "readings", "microseconds", "neighbour"};

    for (int i = 0; i < MODEL; i++)
        if (strcmp(name, names[i]) == 0) {
            *column = (enum column)i;
            return true;
        }
    return false;
}

static bool read_term(const char *term, struct counted_event *event)
{
    const char *star = strchr(term, '*'), *name = star != NULL ? star + 1 : term;
    unsigned i = event->terms;

    if (i == MOST_TERMS || strlen(name) >= MOST_NAME)
        return false;
    snprintf(event->name[i], MOST_NAME, "%s", name);
    event->column[i] = MODEL;
    find_column(name, &event->column[i]);
    event->factor[i] = star != NULL ? strtod(term, NULL) : 1;
    event->terms++;
    return event->column[i] != MODEL || stand_in_count_of_model(name) >= 0;
}

static bool read_terms(char *text, struct counted_event *event)
{
    char *rest;

    for (char *term = strtok_r(text, "+", &rest); term != NULL; term = strtok_r(NULL, "+", &rest))
        if (!read_term(term, event))
            return false;
    return event->terms > 0;
}

/* Names, one after the other; each but the first after a comma. */
static bool read_places(const char *text, struct pmu *pmu)
{
    static const char *const names[PLACES] = {"L1", "L2", "L3", "memory"};

    for (pmu->places = 0; *text != '\0' && pmu->places < MOST_PLACES; text += *text == ',') {
        size_t length = strcspn(text, ",");
        int i = 0;
        while (i < PLACES && (strlen(names[i]) != length || strncmp(text, names[i], length) != 0))
            i++;
        if (i == PLACES)
            return false;
        pmu->place[pmu->places++] = (enum place)i;
        text += length;
    }
    return pmu->places > 0;
}

static bool read_pmu_option(const char *word, struct pmu *pmu)
{
    if (strncmp(word, "serves=", 7) == 0)
        return read_places(word + 7, pmu);
    if (sscanf(word, "taken=%u", &pmu->taken) == 1)
        return true;
    if (sscanf(word, "rdpmc=%lx", &pmu->asks) == 1)
        return pmu->rdpmc = true;
    if (strcmp(word, "rdpmc") == 0 || strcmp(word, "strict") == 0)
        return *(word[0] == 'r' ? &pmu->rdpmc : &pmu->strict) = true;
    if (strcmp(word, "uncore") == 0 || strcmp(word, "multiplexed") == 0)
        return *(word[0] == 'u' ? &pmu->uncore : &pmu->multiplexed) = true;
    pmu->filters = strcmp(word, "filters=none") == 0           ? FILTERS_NONE
                   : strcmp(word, "filters=not-guest") == 0    ? FILTERS_NOT_GUEST
                   : strcmp(word, "filters=guest-always") == 0 ? FILTERS_GUEST_ALWAYS
                                                               : FILTERS_ALL;
    return pmu->filters != FILTERS_ALL;
}

static bool read_event_option(const char *word, struct counted_event *event)
{
    if (sscanf(word, "dies=%u", &event->dies) == 1) {
        event->stays = strchr(word, '!') != NULL;
        return true;
    }
    return sscanf(word, "kernel=%lf", &event->kernel) == 1 || sscanf(word, "config1=%lx", &event->config1) == 1;
}

static bool read_pmu(char *words)
{
    struct pmu *pmu = &machine.pmu[machine.pmus];
    int used = 0;
    char *rest;

    if (machine.pmus == MOST_PMUS ||
        sscanf(words, "%63s %u %63s %u%n", pmu->name, &pmu->type, pmu->cpus, &pmu->counters, &used) != 4)
        return false;
    machine.pmus++;
    for (char *word = strtok_r(words + used, " \n", &rest); word != NULL; word = strtok_r(NULL, " \n", &rest))
        if (!read_pmu_option(word, pmu))
            return false;
    return true;
}

static bool find_pmu(const char *name, unsigned *found)
{
    for (*found = 0; *found < machine.pmus; (*found)++)
        if (strcmp(machine.pmu[*found].name, name) == 0)
            return true;
    return false;
}

static bool read_event(char *words)
{
    struct counted_event *event = &machine.event[machine.events];
    char pmu[64], code[64], terms[256];
    int used = 0;
    char *rest;

    if (machine.events == MOST_EVENTS || sscanf(words, "%63s %63s %255s%n", pmu, code, terms, &used) != 3)
        return false;
    machine.events++;
    event->generic = strncmp(code, "cache:", 6) == 0;
    event->config = strtoull(code + (event->generic ? 6 : 0), NULL, 16);
    if (!find_pmu(pmu, &event->pmu) || !read_terms(terms, event))
        return false;
    for (char *word = strtok_r(words + used, " \n", &rest); word != NULL; word = strtok_r(NULL, " \n", &rest))
        if (!read_event_option(word, event))
            return false;
    return true;
}

static void read_machine(const char *path)
{
    FILE *file = stand_in_open(path, "r");
    char line[512], copy[512];

    if (file == NULL)
        fail(path);
    while (fgets(line, sizeof line, file) != NULL) {
        memcpy(copy, line, sizeof copy);
        if (line[0] == '#' || line[0] == '\n' || sscanf(line, "paranoid %d", &machine.paranoid) == 1)
            continue;
        if (!(strncmp(line, "pmu ", 4) == 0 && read_pmu(line + 4)) &&
            !(strncmp(line, "event ", 6) == 0 && read_event(line + 6)))
            fail(copy);
    }
    fclose(file);
}

const struct stand_in_machine *stand_in_machine(void)
{
    static bool read;
    char path[4096];

    if (!read && stand_in_path("/machine", path, sizeof path)) {
        read = true; /* first: reading goes through what is interposed */
        machine.paranoid = 2;
        read_machine(path);
    }
    return &machine;
}

bool stand_in_holds_cpu(const char *list, int cpu)
{
    while (*list != '\0') {
        char *end;
        long low = strtol(list, &end, 10), high = *end == '-' ? strtol(end + 1, &end, 10) : low;
        if (cpu >= low && cpu <= high)
            return true;
        list = *end == ',' ? end + 1 : "";
    }
    return false;
}
