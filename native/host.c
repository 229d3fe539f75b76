#include "host.h"

#include <stdio.h>
#include <string.h>

#include "hypervisor.h"

/* /proc/cpuinfo names the model under a key that the architecture chooses. */
static void read_model(struct hwc_host *host)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];

    while (file != NULL && host->cpu_model[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        const char *value = strchr(line, ':');
        if (value == NULL || (strncmp(line, "model name", 10) != 0 && strncmp(line, "cpu\t", 4) != 0 &&
                              strncmp(line, "uarch", 5) != 0))
            continue;
        value += strspn(value, ": \t");
        snprintf(host->cpu_model, sizeof host->cpu_model, "%.*s", (int)strcspn(value, "\n"), value);
    }
    if (file != NULL)
        fclose(file);
}

void native_describe_host(struct hwc_host *host)
{
    read_model(host);
    native_read_hypervisor(host->hypervisor, sizeof host->hypervisor);
}
