/* Profiles: all findings of one machine, and the only input of reports,
 * comparisons and baselines. */
#ifndef HWC_PROFILE_H
#define HWC_PROFILE_H

#include "audit_all.h"
#include "curve.h"
#include "event.h"
#include "fields.h"
#include "finding.h"
#include "host_record.h"
#include "lab.h"
#include "matrix.h"
#include "policy.h"
#include "qualify.h"
#include "validation.h"

/* The findings on one level, on memory or on the core. Only the findings whose
 * fields belong to the record's group are ever asked. */
struct hwc_record {
    unsigned level; /* from 1; 0 = it has none */
    bool code;      /* measured by fetches, not by loads */
    bool large;     /* TLB: measured with pages that were requested as large */
    char name[24], type[16]; /* instruction: "add", "f64" */
    char policies[HWC_POLICY_NAMES]; /* not distinguishable from the replacement policy found; separated by spaces */
    struct hwc_finding finding[HWC_FIELDS];
};

static inline enum hwc_structure hwc_structure_of(const struct hwc_record *tlb)
{
    return tlb->code ? hwc_code_tlb(tlb->level) : hwc_data_tlb(tlb->level);
}

enum { HWC_DOCTORED = 2048 }; /* bytes of a paragraph on what counting lacks here */
enum { HWC_MAX_TLBS = 8 };
enum { HWC_MAX_BTBS = 3 };

struct hwc_profile {
    char version[32]; /* of the hwchar that measured it */
    struct hwc_host host;
    char backend[32];
    char backend_reason[HWC_DOCTORED]; /* why there are no counters; empty if there are, or none were asked for */
    unsigned events;
    struct hwc_event_record event[HWC_EVENT_COUNT];
    struct hwc_audits audits; /* of counters by their own names */
    unsigned caches;
    bool all_levels; /* of data caches are these: what was seen leaves no room for another */
    struct hwc_record cache[HWC_MAX_CACHE_LEVEL];
    unsigned code_caches; /* instruction caches that hold no data */
    struct hwc_record code_cache[HWC_MAX_CACHE_LEVEL];
    unsigned tlbs;
    struct hwc_record tlb[HWC_MAX_TLBS];
    unsigned btbs;
    struct hwc_record btb[HWC_MAX_BTBS]; /* the levels of branch target buffers that timing shows */
    struct hwc_record memory, core;
    unsigned instructions;
    struct hwc_record *instruction; /* on the heap: there may be many */
    struct hwc_curves curves;
    struct hwc_matrices matrices;
    struct hwc_validation *validation; /* by both witnesses; NULL = there was none */
    struct hwc_notes notes;
};

/* Free what it points to. Does nothing to one that is all zero. */
void hwc_profile_close(struct hwc_profile *profile);

/* The same for a profile on the heap, which is freed, too; or NULL. */
void hwc_profile_free(struct hwc_profile *profile);

enum { HWC_MAX_INSTRUCTIONS = 256 };

/* A new record of an instruction, or NULL if there are too many or is no memory for it. Those before it may have moved. */
struct hwc_record *hwc_profile_add_instruction(struct hwc_profile *profile, const char *name, const char *type);

/* A record and what it describes. */
struct hwc_place {
    enum hwc_group group;
    const struct hwc_record *record;
};

/* The record of this group, level and kind; NULL = there is none. */
struct hwc_record *hwc_profile_find(struct hwc_profile *profile, enum hwc_group group, unsigned level, bool code,
                                    bool large);

/* Its row in the validation, if there is one; else NULL. */
const struct hwc_validated *hwc_profile_validated(const struct hwc_profile *profile, const struct hwc_place *place,
                                                  enum hwc_field_id field);

/* The i-th record, i = 0, 1, ..., in the order of reports; false after the last. */
bool hwc_profile_place(const struct hwc_profile *profile, unsigned i, struct hwc_place *place);

enum { HWC_PLACE_NAME = 24 };

/* "L1d", "L2", "L1i", "DTLB1", "BTB1", "memory", "core". */
const char *hwc_place_name(const struct hwc_place *place, char name[HWC_PLACE_NAME]);

/* The same of what a row of the validation is about. */
const char *hwc_validated_place(const struct hwc_validated *row, char name[HWC_PLACE_NAME]);

/* Add the documented figures to the findings, to be shown beside the measured values; they are used nowhere else. */
void hwc_profile_document(struct hwc_profile *profile, const struct hwc_documented *documented);

#endif
