/* What this process's control group may take of memory and swap. */
#ifndef HWC_NATIVE_CONTROL_GROUP_H
#define HWC_NATIVE_CONTROL_GROUP_H

#include <stdbool.h>
#include <stdint.h>

struct native_control_group {
    char folder[1200];
    uint64_t limit_bytes, used_bytes; /* of memory */
    uint64_t swap_bytes;              /* that it may still take; UINT64_MAX = all there is */
};

/* The group that limits memory, of version 1 or 2; false if none does. */
bool native_read_control_group(struct native_control_group *group);

#endif
