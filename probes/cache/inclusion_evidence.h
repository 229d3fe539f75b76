/* Inclusion, from how often a line comes from beyond a level after this and after
 * that: the decision, apart from the measurement. Pure. */
#ifndef HWC_INCLUSION_EVIDENCE_H
#define HWC_INCLUSION_EVIDENCE_H

#include <stdbool.h>

#include "knowledge.h"
#include "late.h"

/* As machine files and reports name it. */
const char *hwc_inclusion_name(enum hwc_inclusion inclusion);

struct hwc_inclusion_evidence {
    /* A line in use in the level above, beside lines of its set of this level, and beside others: does it leave the
     * level above? Only an inclusive level takes it away. */
    struct hwc_late_pair taken;
    /* The same, each of the lines that fill this level being the one in use in turn: whichever the next line evicts. */
    struct hwc_late_pair taken_of_each;
    unsigned ways;           /* of these */
    /* In such plays, of one kind or of both: does it come from beyond the next level? Then that one, if it is inclusive,
     * may have put it out, and those lines are too many for a set of it. */
    struct hwc_late beyond_next;
    struct hwc_late emptied; /* not in use, it leaves the level above beside those others: they do compete there */
    /* Beside fewer and fewer of those others, the worst: does it go, or does the level above keep a line in use at all? What
     * goes first in first out leaves when its turn comes, and the turn may come beside one kind of lines only. */
    struct hwc_late turned;
    /* The same, for longer, and then the level above is emptied: does the line come from beyond this level, although it
     * was still above it before? Then this level did not hold it: it is neither inclusive nor filled with victims. */
    struct hwc_late_pair absent;
    bool alone;           /* then, when the level above was emptied, no other line of the set was in it */
    struct hwc_late held; /* beside lines of other sets, this level does hold it */
    /* Lines of a set, each visited once: how often each of them is late, all together; beside it, one of two lines.
     * Only an exclusive level and the one above hold as many lines as both have ways. */
    struct hwc_late_pair crowded;
    unsigned lines; /* of these */
    bool full;      /* as many as both have ways; else fewer */
    struct hwc_late overfull; /* the first of many more lines, several times: does it go? */
};

double hwc_late_share(const struct hwc_late *late);

/* Is a line late far more often with than without: by at least this share, and not by chance? */
bool hwc_is_later(const struct hwc_late_pair *pair, double by);

/* Does the line nearly always stay, or mostly go? */
bool hwc_stays(const struct hwc_late *late);
bool hwc_goes(const struct hwc_late *late);

/* Do all the lines that crowd a set stay? Does one or more go? Neither is true where this is not known. */
bool hwc_all_stay(const struct hwc_inclusion_evidence *evidence);
bool hwc_some_go(const struct hwc_inclusion_evidence *evidence);

/* Is a line in use taken from the level above, as far as is known? */
bool hwc_is_taken(const struct hwc_inclusion_evidence *evidence);

/* But may it be the next level that takes it, from this one, too? */
bool hwc_may_be_next(const struct hwc_inclusion_evidence *evidence);

/* HWC_INCLUSION_OPEN if the evidence is weak, or contradicts itself. Plays that were not made count as no evidence. */
enum hwc_inclusion hwc_judge_inclusion(const struct hwc_inclusion_evidence *evidence);

/* The least difference that tells anything of an inclusive level: where a policy evicts lines by chance, only some of
 * the plays show. */
#define HWC_TAKEN_BY 0.15
/* Of the others: nearly all plays show. */
#define HWC_ABSENT_BY 0.5

#endif
