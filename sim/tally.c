/* Sums and differences of the counts that accesses add to. */
#include "hierarchy.h"

#define COUNTS (sizeof(struct sim_counts) / sizeof(uint64_t))

/* struct sim_counts consists of uint64_t only. */
static uint64_t *numbers_of(struct sim_counts *counts)
{
    return (uint64_t *)(void *)counts;
}

void sim_counts_add(struct sim_counts *counts, const struct sim_counts *adds, uint64_t times)
{
    struct sim_counts added = *adds;

    for (size_t i = 0; i < COUNTS; i++)
        numbers_of(counts)[i] += times * numbers_of(&added)[i];
}

void sim_counts_between(const struct sim_counts *then, const struct sim_counts *now, struct sim_counts *added)
{
    struct sim_counts before = *then;

    *added = *now;
    for (size_t i = 0; i < COUNTS; i++)
        numbers_of(added)[i] -= numbers_of(&before)[i];
}
