/* From a specification to C (X-Ray, Figure 3). Pure: text in, text out. */
#ifndef NANO_GENERATE_H
#define NANO_GENERATE_H

#include <stdio.h>

#include "nano.h"

/* Case labels in the loop: the fewest that unroll it enough, in whole rounds over the variables. */
unsigned nano_labels(const struct hwc_nano *nano);

/* Statements behind all of them. */
unsigned nano_statements(const struct hwc_nano *nano);

/* A flag without which the compiler does not know one of its types. NULL = it needs none. */
const char *nano_flag(const struct hwc_nano *nano);

/* What a file begins with. */
void nano_write_head(FILE *stream);

/* `void SYMBOL(unsigned long n)`, which goes n times through the loop. In its assembly the loop stands between
 * comments that say " SYMBOL begins " and " SYMBOL ends ". */
void nano_write(FILE *stream, const struct hwc_nano *nano, const char *symbol);

#endif
