/* Which fetch walks lie as code in which arenas, ready to be executed. */
#ifndef HWC_NATIVE_CODE_TABLE_H
#define HWC_NATIVE_CODE_TABLE_H

#include <stdint.h>

#include "code.h"
#include "error.h"
#include "experiment.h"

struct native_code_entry {
    const void *arena; /* its handle; NULL = the place is empty */
    uint64_t serial;   /* the walk's */
    enum native_transfer transfer;
    struct native_entry entry;
};

struct native_code_table {
    struct native_code_entry place[HWC_MAX_STEPS];
};

/* The walk's code; NULL if the arena does not hold it with this transfer. */
const struct native_code_entry *native_code_find(const struct native_code_table *table, const struct hwc_arena *arena,
                                                 const struct hwc_walk *walk, enum native_transfer transfer);

/* Lay the walk out beside the code that the arena already holds. */
int native_code_add(struct native_code_table *table, const struct hwc_arena *arena, char *base,
                    const struct hwc_walk *walk, enum native_transfer transfer, struct hwc_error *error);

/* The arena is closed, or will hold something else. */
void native_code_forget(struct native_code_table *table, const struct hwc_arena *arena);

#endif
