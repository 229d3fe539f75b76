/* Text folded to a line width, between words and never within one. */
#ifndef HWC_FOLD_H
#define HWC_FOLD_H

#include <stddef.h>
#include <stdio.h>

struct hwc_fold {
    FILE *stream;
    size_t width;  /* of a line */
    size_t indent; /* of the second and later lines */
    size_t column; /* current column */
};

/* The columns that a text takes: characters, not bytes. */
size_t hwc_width_of(const char *text);

/* Begin a line with a label, padded to the indent (which must leave room for it). */
void hwc_fold_begin(struct hwc_fold *fold, const char *label);

/* Put a piece, on one line if a line can hold it; `gap` spaces go before it unless it begins its line. */
void hwc_fold_piece(struct hwc_fold *fold, size_t gap, const char *piece);

/* Put running text, folded between any two words. */
void hwc_fold_text(struct hwc_fold *fold, const char *text);

/* The same for text with names of counters, which may be longer than a line: those are folded after a colon, a comma or a
 * slash, or else where the line ends. Nothing is added, so that the parts make the name. */
void hwc_fold_name(struct hwc_fold *fold, const char *text);

/* Put spaces up to a column, unless the line has already passed it. */
void hwc_fold_pad(struct hwc_fold *fold, size_t column);

void hwc_fold_end(struct hwc_fold *fold);

/* Text behind a label, in lines of its own; nothing if there is no text. Names of counters may be in it. */
void hwc_fold_paragraph(struct hwc_fold *fold, const char *label, const char *text);

#endif
