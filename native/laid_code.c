#include "laid_code.h"

#include <stddef.h>

const struct native_laid_code *native_find_code(const struct native_laid_codes *codes, const struct hwc_arena *arena,
                                                const struct hwc_walk *walk, enum native_hops hops)
{
    for (unsigned i = 0; i < HWC_MAX_STEPS; i++) {
        const struct native_laid_code *code = &codes->code[i];
        if (code->arena != NULL && code->arena == arena->handle && code->serial == walk->serial &&
            code->hops == hops)
            return code;
    }
    return NULL;
}

int native_lay_code(struct native_laid_codes *codes, const struct hwc_arena *arena, char *base,
                    const struct hwc_walk *walk, enum native_hops hops, struct hwc_error *error)
{
    struct native_laid_code *code = codes->code;
    int status;

    while (code < &codes->code[HWC_MAX_STEPS - 1] && code->arena != NULL)
        code++;
    *code = (struct native_laid_code){.serial = walk->serial, .hops = hops};
    status = native_code_lay_out(base, arena->bytes, walk, hops, &code->entry, error);
    if (status == HWC_OK)
        code->arena = arena->handle;
    return status;
}

void native_forget_code(struct native_laid_codes *codes, const struct hwc_arena *arena)
{
    for (unsigned i = 0; i < HWC_MAX_STEPS; i++)
        if (codes->code[i].arena == arena->handle)
            codes->code[i].arena = NULL;
}
