/* Which walks of fetches lie in which arenas, ready to be executed. */
#ifndef HWC_NATIVE_LAID_CODE_H
#define HWC_NATIVE_LAID_CODE_H

#include <stdint.h>

#include "code.h"
#include "error.h"
#include "experiment.h"

struct native_laid_code {
    const void *arena; /* its handle; NULL = an empty place */
    uint64_t serial;
    enum native_hops hops;
    uint64_t entry;
};

struct native_laid_codes {
    struct native_laid_code code[HWC_MAX_STEPS];
};

/* Where the walk's code is entered; NULL where it does not lie there as it should. */
const struct native_laid_code *native_find_code(const struct native_laid_codes *codes, const struct hwc_arena *arena,
                                                const struct hwc_walk *walk, enum native_hops hops);

/* Lay it out, beside what lies there already. */
int native_lay_code(struct native_laid_codes *codes, const struct hwc_arena *arena, char *base,
                    const struct hwc_walk *walk, enum native_hops hops, struct hwc_error *error);

/* Something else will be written to the arena, or it is closed. */
void native_forget_code(struct native_laid_codes *codes, const struct hwc_arena *arena);

#endif
