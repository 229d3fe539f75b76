/* What share of references drawn at random misses a cache, by how many times its
 * capacity they are drawn from. Pure.
 *
 * Of n > w lines that fall into a set of w ways, w are there, whichever they are:
 * references that are independent of each other hit them with the chance w / n,
 * under any policy that leaves no way empty. Lines are spread evenly over the
 * sets, as in contiguous memory; or by chance (Poisson), as in pages at random
 * places or under a hash: then some sets have lines to spare while others are
 * not full, the more so the fewer ways they have. */
#ifndef HWC_HELD_SHARE_H
#define HWC_HELD_SHARE_H

/* Evenly, or by chance over sets of 512, 256, ... 4, 3, 2, 1 ways. Few caches have that many; but what the levels above
 * hold is spread by chance, too, and what is spread evenly with some chance is as if sets had more ways. */
enum { HWC_SPREAD_EVENLY, HWC_SPREADS = 12 };

/* A level of fewer ways than these is full little by little, if lines are spread by chance. */
enum { HWC_FEW_WAYS = 4 };

/* Ways of a set; 0 = spread evenly. */
unsigned hwc_spread_ways(unsigned spread);

/* Others who use the level, too, take the more of it the less often we come back to our lines, so that the share that
 * hits is a power of what it would be: 1 (no rivals), 1.5, 2, 3, 4. */
enum { HWC_RIVALRIES = 5 };

/* The tables of shares; some milliseconds. */
enum { HWC_SHARE_BELOW = 8, HWC_SHARE_ABOVE = 3, HWC_SHARES_PER_OCTAVE = 32 };
enum { HWC_SHARES = (HWC_SHARE_BELOW + HWC_SHARE_ABOVE) * HWC_SHARES_PER_OCTAVE + 1 };

struct hwc_held_share {
    double misses[HWC_RIVALRIES][HWC_SPREADS][HWC_SHARES];
};

void hwc_held_share_init(struct hwc_held_share *share);

/* The share that misses, of references to 2^octaves times the capacity. */
double hwc_miss_share(const struct hwc_held_share *share, unsigned spread, unsigned rivalry, double octaves);

#endif
