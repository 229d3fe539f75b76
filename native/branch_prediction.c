#include "branch_prediction.h"

#include <math.h>
#include <sys/mman.h>

#include "kernels.h"
#include "random.h"

static const struct {
    size_t cells, spacing, bytes;
    uint32_t passes;
    int rounds;
    double predicted;
} policy = {
    .cells = 32, /* short walks are predicted best */
    .spacing = 128,
    .bytes = (size_t)32 * 128,
    .passes = 64,
    .rounds = 16,
    .predicted = 0.7, /* a predicted transfer takes a few cycles, a mispredicted one a pipeline refill */
};

/* Fewest ticks in which a round of passes ran; infinite if the walk cannot be laid out. */
static double ticks_of(char *base, const struct hwc_walk *walk, enum native_transfer transfer)
{
    struct hwc_error error;
    struct native_entry entry;
    double least = INFINITY;

    if (native_code_lay_out(base, policy.bytes, walk, transfer, &entry, &error) != HWC_OK)
        return INFINITY;
    for (int round = 0; round < policy.rounds; round++) {
        uint64_t begin = native_ticks();
        native_code_run(base, entry, policy.passes);
        least = fmin(least, (double)(native_ticks() - begin));
    }
    return least;
}

static int make_round(struct hwc_walk *walk, struct hwc_error *error)
{
    struct hwc_random random;
    int status;

    hwc_random_seed(&random, 1);
    hwc_walk_init(walk);
    walk->access = HWC_FETCH;
    status = hwc_walk_sequence(walk, 0, policy.spacing, policy.cells, error);
    if (status == HWC_OK)
        hwc_walk_shuffle(walk, &random);
    return status;
}

enum native_transfer native_unpredicted_transfer(void)
{
    enum native_transfer transfer = NATIVE_CALLED_RETURN;
    struct hwc_error error;
    struct hwc_walk walk;
    char *base = mmap(NULL, policy.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (base == MAP_FAILED)
        return transfer;
    if (make_round(&walk, &error) == HWC_OK) {
        double bare = ticks_of(base, &walk, NATIVE_RETURN);
        double called = ticks_of(base, &walk, NATIVE_CALLED_RETURN);
        if (isfinite(bare) && bare >= policy.predicted * called)
            transfer = NATIVE_RETURN;
    }
    hwc_walk_free(&walk);
    munmap(base, policy.bytes);
    return transfer;
}
