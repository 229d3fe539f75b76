#include "saavedra.h"

#include <math.h>
#include <string.h>

/* A curve that rises by less than this is flat: a level takes at least half as long again as the one above (X-Ray,
 * SIGMETRICS 2005, 4.1.1), and along the strides below the line size time nearly doubles from one to the next. */
static const double flat = 1.25;

double hwc_surface_size(const struct hwc_surface *surface, unsigned i)
{
    return ldexp(surface->first_size, (int)i);
}

double hwc_surface_stride(const struct hwc_surface *surface, unsigned k)
{
    return ldexp(surface->first_stride, (int)k);
}

/* Of the largest array, over all strides. */
static double longest_time(const struct hwc_surface *surface)
{
    double longest = 0;

    for (unsigned k = 0; k < surface->strides; k++)
        longest = fmax(longest, surface->cycles[surface->sizes - 1][k]); /* NAN is none */
    return longest;
}

/* From where on the curve of the largest array rises no more. Its index; false if it does not rise at all, or to its
 * end, or if it rises further on. */
static bool find_line(const struct hwc_surface *surface, unsigned *line)
{
    const double *cycles = surface->cycles[surface->sizes - 1];
    unsigned k = 0;

    while (k + 1 < surface->strides && cycles[k + 1] >= flat * cycles[k])
        k++;
    *line = k;
    return k > 0 && k + 1 < surface->strides && flat * cycles[k] >= longest_time(surface) && !isnan(cycles[k + 1]);
}

/* Where prefetchers follow strides, time does not rise with them up to the line size, but where they end. */
static unsigned past_prefetchers(const struct hwc_surface *surface)
{
    const double *cycles = surface->cycles[surface->sizes - 1];
    unsigned k = 0;

    while (k + 1 < surface->strides && !(flat * cycles[k] >= longest_time(surface)))
        k++;
    return k;
}

/* Time at that stride. A larger array takes no less: what takes more was disturbed. */
static double time_of(const struct hwc_surface *surface, unsigned size, unsigned stride)
{
    double least = NAN;

    for (unsigned i = size; i < surface->sizes; i++)
        least = fmin(least, surface->cycles[i][stride]);
    return least;
}

/* The last size of the plateau that begins at `first`. */
static unsigned end_of_plateau(const struct hwc_surface *surface, unsigned first, unsigned line)
{
    unsigned last = first;

    while (last + 1 < surface->sizes && time_of(surface, last + 1, line) < flat * time_of(surface, last, line))
        last++;
    return last;
}

/* The first size of the next one: a level that is no power of two, or not LRU, takes more than one size to fill up. */
static unsigned next_plateau(const struct hwc_surface *surface, unsigned last, unsigned line)
{
    unsigned first = last + 1;

    while (first + 1 < surface->sizes && time_of(surface, first + 1, line) >= flat * time_of(surface, first, line))
        first++;
    return first;
}

static void read_levels(const struct hwc_surface *surface, unsigned line, struct hwc_surface_reading *reading)
{
    unsigned first = 0, last;

    while (first + 1 < surface->sizes && isnan(surface->cycles[first][line]))
        first++;
    for (last = end_of_plateau(surface, first, line); last + 1 < surface->sizes && reading->levels < HWC_SURFACE_LEVELS;
         last = end_of_plateau(surface, first, line)) {
        first = next_plateau(surface, last, line);
        reading->cycles[reading->levels] = time_of(surface, last, line);
        reading->beyond[reading->levels] = hwc_surface_size(surface, first);
        reading->bytes[reading->levels++] = hwc_surface_size(surface, last);
    }
    reading->cycles[reading->levels] = time_of(surface, last, line);
}

/* Of arrays that do not fit the first level, the most references that hit it all the same. */
static double read_ways(const struct hwc_surface *surface, unsigned line, const struct hwc_surface_reading *reading)
{
    double ways = 0;

    for (unsigned i = 0; i < surface->sizes; i++)
        for (unsigned k = line + 1; k < surface->strides; k++)
            if (hwc_surface_size(surface, i) > reading->bytes[0] &&
                surface->cycles[i][k] < flat * reading->cycles[0])
                ways = fmax(ways, hwc_surface_size(surface, i) / hwc_surface_stride(surface, k));
    return ways;
}

void hwc_surface_read(const struct hwc_surface *surface, struct hwc_surface_reading *reading)
{
    unsigned line;

    memset(reading, 0, sizeof *reading);
    if (surface->sizes == 0)
        return;
    if (find_line(surface, &line))
        reading->line_bytes = hwc_surface_stride(surface, line);
    else
        line = past_prefetchers(surface);
    reading->read_at = hwc_surface_stride(surface, line);
    read_levels(surface, line, reading);
    if (reading->levels > 0)
        reading->ways = read_ways(surface, line, reading);
}
