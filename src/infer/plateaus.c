#include "plateaus.h"

#define SAME_PLATEAU 1.15

static void join_close(struct hwc_plateau *plateaus, size_t *count)
{
    for (size_t i = 1; i < *count;) {
        if (plateaus[i].cycles > plateaus[i - 1].cycles * SAME_PLATEAU) {
            i++;
            continue;
        }
        plateaus[i - 1].last_bytes = plateaus[i].last_bytes;
        plateaus[i - 1].cycles = (plateaus[i - 1].cycles + plateaus[i].cycles) / 2;
        for (size_t k = i + 1; k < *count; k++)
            plateaus[k - 1] = plateaus[k];
        (*count)--;
    }
}

size_t hwc_find_plateaus(const struct hwc_curve *curve, struct hwc_plateau *plateaus)
{
    size_t count = 0;

    for (size_t i = 0; i < curve->points;) {
        size_t end = i + 1;
        double sum = curve->cycles[i];
        while (end < curve->points && curve->cycles[end] < curve->cycles[end - 1] * HWC_FLAT_STEP &&
               curve->cycles[end] > curve->cycles[end - 1] / HWC_FLAT_STEP)
            sum += curve->cycles[end++];
        if (end - i >= 3 && count < HWC_MAX_PLATEAUS)
            plateaus[count++] = (struct hwc_plateau){curve->bytes[i], curve->bytes[end - 1], sum / (double)(end - i)};
        i = end;
    }
    join_close(plateaus, &count);
    return count;
}
