/* Do places differ from each other, judged by two looks at each? Pure.
 *
 * What drifts meanwhile, and errors, make the two looks differ at one place; what
 * differs between places is the same in both. The second look goes through the
 * places backwards, so that drift is not alike in both. */
#ifndef HWC_TWO_LOOKS_H
#define HWC_TWO_LOOKS_H

#include <stdbool.h>
#include <stddef.h>

/* Do they differ by more than a few hundredths of the mean, and by several times what the two looks differ by? */
bool hwc_places_differ(const double *first, const double *second, size_t places);

#endif
