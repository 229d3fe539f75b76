/* A line of one set of a level, while other lines pass by: where is it afterwards?
 *
 * The line is visited after each of the others, and so stays in the level above,
 * while this level sees none of these visits; or it is not, and leaves both. The
 * others are of the line's set or, as a control, of another set of this level and
 * of the same one above. */
#ifndef HWC_HOT_LINE_H
#define HWC_HOT_LINE_H

#include "inclusion_evidence.h"
#include "set_of_lines.h"

enum { HWC_MOST_FILTERS = 64 };

struct hwc_hot_line {
    struct hwc_lab *lab;
    unsigned level;
    unsigned ways, ways_above; /* of this level, and of the next above */
    struct hwc_arena arena;
    struct hwc_set set; /* its first line is the one */
    /* Lines that follow each visit and evict the line from levels above the next above, so that this one sees the
     * visits: without them it would keep the line only for as long as it was not asked for. */
    uint64_t filter[HWC_MOST_FILTERS];
    size_t filters;
    struct hwc_walk both; /* the lines, and those of the other set */
    struct hwc_walk line, mate, others, beside, last, thinning, emptying;
};

/* What passes by the line, and what is asked of it. */
struct hwc_passing {
    bool of_its_set;   /* the other lines; else of another set of this level */
    size_t first;      /* visit so many of them before the line */
    size_t beside;     /* so many of them, the line being visited after each */
    uint32_t rounds;   /* of these */
    size_t last;       /* then so many, the line not being visited; 0 and no `beside`: all lines, `rounds` times */
    bool alone;        /* then lines of another set take the place of the others above, the line being visited again */
    bool empty_above;  /* then evict it from the level above */
    bool leaves_above; /* is it late when it comes from this level already? Else only from beyond */
    bool leaves_below; /* or only when it comes from beyond the next level */
};

/* Open on a random set, in a fresh arena. HWC_INCONCLUSIVE if too few lines of a set are found. Close it only if it
 * opened. */
int hwc_hot_line_open(struct hwc_hot_line *hot, struct hwc_lab *lab, unsigned level, struct hwc_error *error);
void hwc_hot_line_close(struct hwc_hot_line *hot);

/* How many lines share its set? */
static inline size_t hwc_hot_line_others(const struct hwc_hot_line *hot)
{
    return hot->set.lines - 1;
}

/* Add so many plays. Some may be disturbed, and are made again, as often. HWC_INCONCLUSIVE if nearly all are. */
int hwc_hot_line_play(struct hwc_hot_line *hot, const struct hwc_passing *passing, unsigned plays,
                      struct hwc_late *late, struct hwc_error *error);

#endif
