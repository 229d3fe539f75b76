/* Text in lines of a width: folded between words, never within one. */
#ifndef HWC_FOLD_H
#define HWC_FOLD_H

#include <stddef.h>
#include <stdio.h>

struct hwc_fold {
    FILE *stream;
    size_t width;  /* of a line */
    size_t indent; /* of further lines */
    size_t column; /* where the line is now */
};

/* Columns that the text takes: characters, not bytes. */
size_t hwc_width_of(const char *text);

/* Begin the line with a label, padded to the indent (which must leave room for it). */
void hwc_fold_begin(struct hwc_fold *fold, const char *label);

/* A piece that is kept together where a line can hold it, behind so many spaces if it is not the first of its line. */
void hwc_fold_piece(struct hwc_fold *fold, size_t gap, const char *piece);

/* Running text. */
void hwc_fold_text(struct hwc_fold *fold, const char *text);

/* Spaces up to a column, if that is further on. */
void hwc_fold_pad(struct hwc_fold *fold, size_t column);

void hwc_fold_end(struct hwc_fold *fold);

#endif
