/* An audit's findings in words. */
#ifndef HWC_AUDIT_WORDS_H
#define HWC_AUDIT_WORDS_H

#include "audit_all.h"
#include "text.h"

/* The verdict on a counter: "counts another level: misses of level 1, not of level 2". */
void hwc_audit_say(const struct hwc_audited *audited, char text[HWC_MESSAGE]);

/* Where its counts rise: "0.00 at 32 KiB, 1.00 at 45 KiB: level 1"; "" if nothing was looked at. */
void hwc_audit_say_rises(const struct hwc_audited *audited, const struct hwc_audit_levels *levels,
                         char text[HWC_MESSAGE]);

/* What is in its counts: "loads, no stores, no fetches, no page walks, and no prefetching showed". */
void hwc_audit_say_parts(const struct hwc_audited *audited, char text[HWC_MESSAGE]);

/* Where levels end: "data caches end at 32 KiB and 1 MiB (by the clock)"; "" if none is known. */
void hwc_audit_say_levels(const struct hwc_audit_levels *levels, char text[HWC_MESSAGE]);

/* "in", "out" or NULL: not told. */
const char *hwc_prefetched_word(enum hwc_prefetched prefetched);

/* Of its rises: "bytes" or "pages". */
const char *hwc_outgrown_unit(enum hwc_outgrown outgrown);

#endif
