#include "cpu_file.h"

#include <stdio.h>
#include <stdlib.h>

bool native_read_cpu_file(int cpu, const char *name, char *text, int size)
{
    char path[160];
    FILE *file;
    bool got;

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", cpu, name);
    file = fopen(path, "r");
    if (file == NULL)
        return false;
    got = fgets(text, size, file) != NULL;
    fclose(file);
    return got;
}

long native_cpu_number(int cpu, const char *name)
{
    char text[64];

    return native_read_cpu_file(cpu, name, text, sizeof text) ? strtol(text, NULL, 10) : 0;
}
