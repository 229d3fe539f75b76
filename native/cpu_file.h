/* What the system says of a CPU. */
#ifndef HWC_NATIVE_CPU_FILE_H
#define HWC_NATIVE_CPU_FILE_H

#include <stdbool.h>

/* The first line of a file in the CPU's folder of sysfs, such as "cache/index0/size". False if there is none. */
bool native_read_cpu_file(int cpu, const char *name, char *text, int size);

/* A number in such a file; 0 where the system does not say. */
long native_cpu_number(int cpu, const char *name);

#endif
