/* An audit of counters as text, JSON and CSV. */
#ifndef HWC_AUDIT_REPORT_H
#define HWC_AUDIT_REPORT_H

#include "json_writer.h"
#include "profile_text.h"

void hwc_audit_write_text(const struct hwc_profile *profile, const struct hwc_text_style *style, FILE *stream);

json_t *hwc_audit_json(struct hwc_json_writer *writer, const struct hwc_audits *audits);

/* A row for each counter. */
int hwc_audit_write_csv(const struct hwc_profile *profile, FILE *stream, struct hwc_error *error);

#endif
