/* A column of a cache level: lines that all lie in one set of the level above.
 *
 * Beyond as many as that has ways, the next level serves them. They are few, and
 * come back within microseconds, so that others hardly put any out, and the level
 * shows all of its sets that such lines can reach: of so many columns as the level
 * above has sets. (Lines of a set, as a filter for what the next level gets: Zhao et
 * al., ASPLOS 2024.) */
#ifndef HWC_COLUMN_H
#define HWC_COLUMN_H

#include "set_of_lines.h"

/* Lines of the set beyond its ways, which show what one more takes. */
enum { HWC_COLUMN_SPARES = 2, HWC_COLUMN_PLACES = 16 };

/* A place of a page, and lines there of other sets, so many that they put each other out of the levels above that one. */
struct hwc_column_place {
    uint64_t moved; /* distance from the place of the set's own lines, as XOR */
    uint64_t other[HWC_SET_EVICTORS];
};

struct hwc_column {
    struct hwc_lab *lab;
    unsigned above; /* the level whose set they share */
    struct hwc_arena arena;
    uint64_t stride; /* of candidates: a page */
    size_t pages;
    struct hwc_column_place place[HWC_COLUMN_PLACES]; /* where lines of the set may lie, its own first */
    size_t places, asked; /* so many groups of pages have been asked about, each at every place */
    struct hwc_set set;  /* by which lines are told: as many of it fit as there are ways */
    size_t ways;
    struct hwc_walk walk, timed; /* of one question: all lines, and those of the set that are timed after them */
    double limit; /* cycles of these: more is late, and likely means a line of the set among those asked about */
    size_t members, strangers; /* lines that were asked about alone since that was set */
    uint64_t *line;
    size_t lines, room;
};

/* Find a set of the level above, and how it tells its lines, among so many pages, or as many as that level was searched on
 * if these are more. Close the column even if this fails. HWC_INCONCLUSIVE with the reason if a line more does not show. */
int hwc_column_open(struct hwc_lab *lab, unsigned above, size_t pages, struct hwc_column *column,
                    struct hwc_error *error);
void hwc_column_close(struct hwc_column *column);

/* Ask about more candidates until the column has so many lines, or there are no more candidates. */
int hwc_column_grow(struct hwc_column *column, size_t lines, struct hwc_error *error);

/* The line of a page at the place of the set's own lines, moved by this distance, as XOR. */
uint64_t hwc_column_line_at(const struct hwc_column *column, size_t page, uint64_t moved);

/* Is the line one of the set, or an evictor, by which others are told? It cannot be asked about. */
bool hwc_column_tells_by(const struct hwc_column *column, uint64_t line);

/* So many pages have been asked about: all of their lines that share the set are the column's. */
size_t hwc_column_pages_asked(const struct hwc_column *column);

/* Ask about each of the column's lines once more, and leave out those that are of other sets: such a share of them. */
int hwc_column_leave_out_strangers(struct hwc_column *column, double *share, struct hwc_error *error);

/* Is one of these lines, at this place, of the set, by any of some passes? Each misses some that are. At most as many lines
 * as hwc_column_group. */
int hwc_column_may_have(struct hwc_column *column, const struct hwc_column_place *place, const uint64_t *lines,
                        size_t count, bool *has, struct hwc_error *error);

/* So many lines can be asked about together. */
size_t hwc_column_group(const struct hwc_column *column);

/* Do lines of the set, moved by this distance, as XOR, share it still? */
int hwc_column_shares(struct hwc_column *column, uint64_t moved, bool *shares, struct hwc_error *error);

#endif
