/* The memory hierarchy drawn to scale: what each level holds, and what it takes. */
#ifndef HWC_HTML_HIERARCHY_H
#define HWC_HTML_HIERARCHY_H

#include <stdio.h>

#include "profile.h"

/* Nothing if no capacity and no latency is known. */
void hwc_html_hierarchy(FILE *stream, const struct hwc_profile *profile);

#endif
