#include "profile_text.h"

#include <string.h>

#include "curve_text.h"
#include "fold.h"
#include "matrix_text.h"
#include "profile_rows.h"
#include "show.h"
#include "summary.h"
#include "validation_text.h"

/* Spaces between columns. */
#define GAP 2
/* A longer phrase does not widen its column: it only shifts the rest of its own line. */
#define WIDEST 30

/* Data and instruction caches share the columns of fields with the same key. */
static enum hwc_field_id column_of(enum hwc_field_id id)
{
    const struct hwc_field *field = &hwc_fields[id];

    if (field->group == HWC_OF_CODE_CACHE)
        HWC_EACH_FIELD(i, HWC_OF_CACHE)
            if (strcmp(hwc_fields[i].key, field->key) == 0)
                return i;
    return id;
}

struct layout {
    size_t name;               /* width of the longest name */
    size_t column[HWC_FIELDS]; /* width of the longest phrase; 0 = no column */
};

static void lay_out(const struct hwc_profile *profile, struct layout *layout)
{
    char text[HWC_SHOWN], name[HWC_PLACE_NAME];
    struct hwc_place place;

    *layout = (struct layout){.name = strlen("unknown")};
    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++) {
        size_t width = hwc_width_of(hwc_place_name(&place, name));
        if (hwc_any_asked(&place) && width > layout->name)
            layout->name = width;
        HWC_EACH_FIELD(id, place.group) {
            size_t *column = &layout->column[column_of(id)];
            hwc_record_phrase(text, place.record, id);
            if (hwc_width_of(text) > *column && hwc_width_of(text) <= WIDEST)
                *column = hwc_width_of(text);
        }
    }
}

/* Put the findings that are not boolean in columns; returns how many, and in *end where the columns end. */
static unsigned put_figures(struct hwc_fold *fold, const struct hwc_place *place, const struct layout *layout,
                            size_t *end)
{
    char text[HWC_SHOWN];
    size_t target = fold->indent;
    unsigned count = 0;

    HWC_EACH_FIELD(id, place->group) {
        size_t width = layout->column[column_of(id)];
        if (hwc_fields[id].kind == HWC_VALUE_BOOLEAN)
            continue;
        hwc_record_phrase(text, place->record, id);
        if (text[0] == '\0' && width == 0)
            continue;
        if (text[0] != '\0') {
            if (target + width <= fold->width && target + hwc_width_of(text) <= fold->width)
                hwc_fold_pad(fold, target);
            hwc_fold_piece(fold, fold->column == target ? 0 : GAP, text);
            count++;
        }
        target += width + GAP;
    }
    *end = target;
    return count;
}

static void put_trait(struct hwc_fold *fold, size_t column, bool first, const char *trait)
{
    bool aligned = first && column >= fold->column && column + hwc_width_of(trait) <= fold->width;

    if (aligned)
        hwc_fold_pad(fold, column);
    hwc_fold_piece(fold, aligned ? 0 : first ? GAP : 1, trait);
}

/* Put the boolean findings, separated by commas, from a column on; returns how many. */
static unsigned put_traits(struct hwc_fold *fold, const struct hwc_place *place, size_t column)
{
    char text[HWC_SHOWN], held[HWC_SHOWN] = ""; /* the last one, until it is known whether a comma follows */
    unsigned count = 0;

    HWC_EACH_FIELD(id, place->group) {
        hwc_record_phrase(text, place->record, id);
        if (hwc_fields[id].kind != HWC_VALUE_BOOLEAN || text[0] == '\0')
            continue;
        if (count++ > 0) {
            strncat(held, ",", sizeof held - strlen(held) - 1);
            put_trait(fold, column, count == 2, held);
        }
        memcpy(held, text, sizeof held);
    }
    if (count > 0)
        put_trait(fold, column, count == 1, held);
    return count;
}

/* A place without a phrase is unknown, unless the reason of all its findings is that there is no such thing. */
static void put_nothing(struct hwc_fold *fold, const struct hwc_place *place)
{
    const char *reason = NULL;
    bool unknown = false;

    HWC_EACH_FIELD(id, place->group) {
        const struct hwc_finding *finding = &place->record->finding[id];
        if (finding->asked && finding->why == HWC_WHY_NOTHING)
            reason = finding->reason;
        else if (finding->asked)
            unknown = true;
    }
    hwc_fold_piece(fold, GAP, unknown || reason == NULL ? "unknown" : "none:");
    if (!unknown && reason != NULL)
        hwc_fold_text(fold, reason);
}

static void put_lines(const struct hwc_profile *profile, const struct layout *layout, struct hwc_fold *fold)
{
    char name[HWC_PLACE_NAME];
    struct hwc_place place;

    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++) {
        unsigned pieces;
        size_t end;
        if (!hwc_any_asked(&place))
            continue;
        hwc_fold_begin(fold, hwc_place_name(&place, name));
        pieces = put_figures(fold, &place, layout, &end);
        if (pieces + put_traits(fold, &place, end) == 0)
            put_nothing(fold, &place);
        hwc_fold_end(fold);
    }
}

/* A list holds its last item back until the punctuation after it is known. */
struct list {
    struct hwc_fold *fold;
    char held[HWC_SHOWN];
    unsigned items;
};

static void put_item(struct list *list, const char *before, const char *item)
{
    if (list->held[0] != '\0') {
        strncat(list->held, before, sizeof list->held - strlen(list->held) - 1);
        hwc_fold_text(list->fold, list->held);
    }
    hwc_write(list->held, sizeof list->held, "%s", item);
    list->items++;
}

static void put_unknown_of(struct list *list, const struct hwc_place *place, unsigned group)
{
    char name[HWC_PLACE_NAME], item[HWC_SHOWN];
    unsigned count = 0;

    HWC_EACH_FIELD(id, place->group) {
        if (!hwc_is_unknown(&place->record->finding[id], group))
            continue;
        if (count++ == 0)
            hwc_write(item, sizeof item, "%s %s", hwc_place_name(place, name), hwc_fields[id].label);
        else
            hwc_write(item, sizeof item, "%s", hwc_fields[id].label);
        put_item(list, count == 1 ? ";" : ",", item);
    }
}

static void put_unknown_because(const struct hwc_profile *profile, struct hwc_fold *fold, unsigned group)
{
    struct list list = {.fold = fold};
    struct hwc_place place;

    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++)
        put_unknown_of(&list, &place, group);
    if (list.items == 0)
        return;
    put_item(&list, ":", hwc_what_helps(profile, group));
    hwc_fold_text(fold, list.held);
}

/* List all unknown findings in one paragraph, grouped by what would help. */
static void put_unknown(const struct hwc_profile *profile, struct hwc_fold *fold)
{
    if (!hwc_any_unknown(profile))
        return;
    hwc_fold_begin(fold, "unknown");
    for (unsigned group = 0; group < HWC_UNKNOWN_GROUPS; group++)
        put_unknown_because(profile, fold, group);
    hwc_fold_text(fold, "-v gives the reasons.");
    hwc_fold_end(fold);
}

static void put_host(const struct hwc_host *host, struct hwc_fold *fold)
{
    char cpu[32] = "";

    if (host->cpu >= 0)
        hwc_write(cpu, sizeof cpu, ", CPU %d", host->cpu);
    fprintf(fold->stream, "%s, %s%s%s%s\n\n", host->cpu_model[0] != '\0' ? host->cpu_model : "unknown CPU", host->arch,
            host->hypervisor[0] != '\0' ? ", under " : "", host->hypervisor, cpu);
}

static void put_notes(const struct hwc_notes *notes, const struct hwc_text_style *style, FILE *stream)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width, .indent = 2};

    if (notes->count > 0)
        fputs("\nnotes\n", stream);
    for (unsigned i = 0; i < notes->count; i++)
        hwc_fold_paragraph(&fold, "-", notes->text[i]);
}

void hwc_profile_write_text(const struct hwc_profile *profile, const struct hwc_text_style *style, FILE *stream)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width};
    struct layout layout;

    lay_out(profile, &layout);
    fold.indent = layout.name + GAP;
    put_host(&profile->host, &fold);
    if (profile->validation != NULL) {
        hwc_validation_write_text(profile, style, stream);
        fputc('\n', stream);
    }
    if (style->verbose) {
        hwc_profile_write_rows(profile, fold.indent, style, stream);
    } else {
        put_lines(profile, &layout, &fold);
        put_unknown(profile, &fold);
    }
    hwc_curves_write_text(&profile->curves, hwc_any_finding(profile), style, stream);
    hwc_matrices_write_text(&profile->matrices, hwc_any_finding(profile) || profile->curves.count > 0, style->width,
                            stream);
    put_notes(&profile->notes, style, stream);
}
