/* The table of findings (fields.def) and the groups that they belong to. */
#ifndef HWC_FIELDS_H
#define HWC_FIELDS_H

#include <stddef.h>

/* What a finding describes. */
enum hwc_group {
    HWC_OF_CACHE,      /* a level of the data caches */
    HWC_OF_CODE_CACHE, /* a level of instruction caches that hold no data */
    HWC_OF_TLB,
    HWC_OF_BTB,
    HWC_OF_MEMORY,
    HWC_OF_CORE,
    HWC_OF_INSTRUCTION, /* an operation of the core, on operands of a type */
    HWC_GROUPS
};

/* Bytes and counts are whole numbers; a rate is in millions of bytes a second, a frequency in MHz. */
enum hwc_value_kind {
    HWC_VALUE_BYTES,
    HWC_VALUE_COUNT,
    HWC_VALUE_CYCLES,
    HWC_VALUE_RATE,
    HWC_VALUE_FREQUENCY,
    HWC_VALUE_BOOLEAN,
    HWC_VALUE_WORD
};

/* The documented figure (machine.h) that is shown beside a finding. */
enum hwc_documented_figure {
    HWC_DOCUMENTED_NOTHING,
    HWC_DOCUMENTED_LINE_SIZE,
    HWC_DOCUMENTED_SIZE,
    HWC_DOCUMENTED_WAYS,
    HWC_DOCUMENTED_LATENCY,
    HWC_DOCUMENTED_SHARED_BY,
    HWC_DOCUMENTED_PAGE_SIZE,
    HWC_DOCUMENTED_MEMORY_LATENCY,
};

enum hwc_field_id {
    HWC_NO_FIELD, /* ends lists */
#define HWC_FIELD(id, group, key, label, kind, unit, documented, phrase) HWC_##id,
#include "fields.def"
#undef HWC_FIELD
    HWC_FIELDS
};

struct hwc_field {
    const char *id; /* "CACHE_SIZE" */
    enum hwc_group group;
    const char *key;
    const char *label;
    enum hwc_value_kind kind;
    const char *unit;
    enum hwc_documented_figure documented;
    const char *phrase; /* NULL = none */
};

/* Indexed by id; the row of HWC_NO_FIELD is empty and belongs to no group. */
extern const struct hwc_field hwc_fields[HWC_FIELDS];

/* The next field of a group after `id`, or the first after HWC_NO_FIELD; HWC_NO_FIELD after the last. */
enum hwc_field_id hwc_next_field(enum hwc_group group, enum hwc_field_id id);

/* Loop over the fields of a group, in the order of the table. */
#define HWC_EACH_FIELD(id, group)                                                                                      \
    for (enum hwc_field_id id = hwc_next_field(group, HWC_NO_FIELD); id != HWC_NO_FIELD;                               \
         id = hwc_next_field(group, id))

#endif
