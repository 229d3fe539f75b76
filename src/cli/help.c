#include "help.h"

#include "options.h"

void hwc_print_help(FILE *stream)
{
    fputs("usage: hwchar [options] [probe...]\n\n"
          "Measures the memory hierarchy of this machine, and says for each value how it\n"
          "knows. Runs all probes when none is named, but those on request.\n\n",
          stream);
    for (const struct hwc_option *option = hwc_option_table; option->name != NULL; option++) {
        char names[64], letter[8] = "   ";
        if (option->help == NULL)
            continue;
        if (option->letter != 0)
            snprintf(letter, sizeof letter, "-%c,", option->letter);
        snprintf(names, sizeof names, "%s --%s%s", letter, option->name, option->argument);
        fprintf(stream, "  %-27s %s\n", names, option->help);
    }
    fputs("\nExit status: 0 done; 1 a validation found a difference; 2 bad usage or input;\n"
          "3 not available here; 130 interrupted.\n",
          stream);
}

static void print_probe(FILE *stream, const struct hwc_probe *probe)
{
    fprintf(stream, "%-17s %s\n                  ", probe->name, probe->summary);
    if (probe->on_request)
        fprintf(stream, "runs only when it is named%s%s, or with --all; ", probe->group != NULL ? ", as one of " : "",
                probe->group != NULL ? probe->group : "");
    fprintf(stream, "%s\n", probe->source);
}

void hwc_print_list(FILE *stream)
{
    for (size_t i = 0; hwc_probes[i] != NULL; i++)
        print_probe(stream, hwc_probes[i]);
}
