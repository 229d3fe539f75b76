/* The texts made from the tables: --help, --list and the man page. */
#ifndef HWC_HELP_H
#define HWC_HELP_H

#include <stdio.h>

void hwc_print_help(FILE *stream);
void hwc_print_list(FILE *stream);

/* hwchar.1, in mdoc. */
void hwc_print_manual(FILE *stream);

#endif
