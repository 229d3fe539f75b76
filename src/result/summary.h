/* What reports say in short: a phrase for each finding, and what is unknown, by what may help. */
#ifndef HWC_SUMMARY_H
#define HWC_SUMMARY_H

#include "profile.h"
#include "show.h"

/* A finding's phrase (show.h); "" also where it goes without saying. */
void hwc_record_phrase(char text[HWC_SHOWN], const struct hwc_record *record, enum hwc_field_id id);

/* Did any probe ask for something of this? */
bool hwc_any_asked(const struct hwc_place *place);
bool hwc_any_finding(const struct hwc_profile *profile);

/* Unknown findings that the same thing may help are a group; the groups are in the order of reports. */
enum { HWC_UNKNOWN_GROUPS = 6 };

bool hwc_is_unknown(const struct hwc_finding *finding, unsigned group);
bool hwc_any_unknown(const struct hwc_profile *profile);
const char *hwc_what_helps(const struct hwc_profile *profile, unsigned group);

#endif
