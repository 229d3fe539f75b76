#include "competitors.h"

#include <stdlib.h>
#include <string.h>

#define GROUPS 16

struct range {
    size_t begin, end;
};

struct halving {
    struct hwc_conflict_test *test;
    uint64_t *lines; /* the kept lines, then the rejected one */
    uint64_t *left;  /* room for the lines outside a range */
    struct range *open;
    size_t opened, found;
};

/* Does the rejected line fit without the lines of this range? */
static int fits_without(struct halving *halving, struct range gone, bool *fits, struct hwc_error *error)
{
    struct hwc_conflict_test *test = halving->test;
    size_t count = test->count + 1, left = count - (gone.end - gone.begin);
    enum hwc_side side;

    memcpy(halving->left, halving->lines, gone.begin * sizeof *halving->left);
    memcpy(halving->left + gone.begin, halving->lines + gone.end, (count - gone.end) * sizeof *halving->left);
    TRY(hwc_ask(test, halving->left, left, NULL, 0, HWC_SURELY, &side, NULL, error));
    *fits = side == HWC_BELOW;
    if (side == HWC_STRADDLES)
        return hwc_fail(error, HWC_INCONCLUSIVE,
                        "which of %zu lines compete with one more cannot be told from the noise", test->count);
    return HWC_OK;
}

static void note(struct halving *halving, struct range range)
{
    size_t middle = range.begin + (range.end - range.begin) / 2;

    if (range.end - range.begin == 1) {
        halving->test->competes[range.begin] = true;
        halving->found++;
        return;
    }
    halving->open[halving->opened++] = (struct range){range.begin, middle};
    halving->open[halving->opened++] = (struct range){middle, range.end};
}

static int halve(struct halving *halving, struct hwc_error *error)
{
    size_t count = halving->test->count, group = count / GROUPS > 0 ? count / GROUPS : 1;

    for (size_t at = 0; at < count; at += group)
        halving->open[halving->opened++] = (struct range){at, at + group < count ? at + group : count};
    while (halving->opened > 0) {
        struct range range = halving->open[--halving->opened];
        bool fits;
        TRY(fits_without(halving, range, &fits, error));
        if (fits)
            note(halving, range);
    }
    return HWC_OK;
}

int hwc_find_competitors(struct hwc_conflict_test *test, uint64_t rejected, size_t *found, struct hwc_error *error)
{
    size_t count = test->count + 1;
    struct halving halving = {.test = test,
                              .lines = malloc(2 * count * sizeof *halving.lines),
                              .open = malloc(2 * (count + GROUPS) * sizeof *halving.open)};
    int status = HWC_OK;

    *found = 0;
    memset(test->competes, 0, test->count * sizeof *test->competes);
    if (halving.lines == NULL || halving.open == NULL) {
        status = hwc_fail(error, HWC_NO_MEMORY, "no memory for a conflict test");
    } else {
        halving.left = halving.lines + count;
        memcpy(halving.lines, test->kept, test->count * sizeof *halving.lines);
        halving.lines[test->count] = rejected;
        status = halve(&halving, error);
    }
    *found = halving.found;
    free(halving.open);
    free(halving.lines);
    return status;
}
