#include "places.h"

#include <stdlib.h>

/* This share of the places must agree: the rest may have been disturbed, or asked with unlucky lines. */
#define MOST_OF 0.75

/* How many of the places that share sets still do so when all are moved by this distance. */
static size_t keep_sharing(const bool *shares, size_t count, size_t distance)
{
    size_t keep = 0;

    for (size_t i = 0; i < count; i++)
        keep += shares[i] && shares[i ^ distance];
    return keep;
}

bool hwc_share_evenly(bool *shares, size_t count, size_t *sharing)
{
    size_t all = keep_sharing(shares, count, 0);
    bool *member = calloc(count, sizeof *member);

    *sharing = 0;
    for (size_t i = 0; member != NULL && i < count; i++)
        member[i] = shares[i] && (double)keep_sharing(shares, count, i) >= MOST_OF * (double)all;
    for (size_t i = 0; member != NULL && i < count; i++) {
        shares[i] = member[i];
        *sharing += member[i];
    }
    free(member);
    /* The members of a group are a power of two, and here most of the places that seemed to share sets. */
    return *sharing > 0 && (*sharing & (*sharing - 1)) == 0 && (double)*sharing >= MOST_OF * (double)all;
}
