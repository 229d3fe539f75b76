#include "profile_text.h"

#include <string.h>

#include "curve_text.h"
#include "fold.h"
#include "profile_rows.h"
#include "show.h"

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

/* The effective size is not shown where it is unknown or may be the size. */
static bool goes_without_saying(const struct hwc_record *record, enum hwc_field_id id)
{
    const struct hwc_finding *size = &record->finding[HWC_CACHE_SIZE], *finding = &record->finding[id];

    if (id != HWC_CACHE_EFFECTIVE_SIZE)
        return false;
    if (!finding->known && finding->has_interval)
        return size->known && finding->low <= size->value && size->value <= finding->high;
    return !finding->known || (size->known && size->value == finding->value);
}

static void phrase_of(char text[HWC_SHOWN], const struct hwc_record *record, enum hwc_field_id id)
{
    if (goes_without_saying(record, id))
        text[0] = '\0';
    else
        hwc_show_phrase(text, &hwc_fields[id], &record->finding[id]);
}

static bool any_asked(const struct hwc_place *place)
{
    HWC_EACH_FIELD(id, place->group)
        if (place->record->finding[id].asked)
            return true;
    return false;
}

static bool has_findings(const struct hwc_profile *profile)
{
    struct hwc_place place;

    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++)
        if (any_asked(&place))
            return true;
    return false;
}

static void lay_out(const struct hwc_profile *profile, struct layout *layout)
{
    char text[HWC_SHOWN], name[HWC_PLACE_NAME];
    struct hwc_place place;

    *layout = (struct layout){.name = strlen("unknown")};
    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++) {
        size_t width = hwc_width_of(hwc_place_name(&place, name));
        if (any_asked(&place) && width > layout->name)
            layout->name = width;
        HWC_EACH_FIELD(id, place.group) {
            size_t *column = &layout->column[column_of(id)];
            phrase_of(text, place.record, id);
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
        phrase_of(text, place->record, id);
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
        phrase_of(text, place->record, id);
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
        if (!any_asked(&place))
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

/* Whatever a larger budget helps is told apart from the rest. */
enum { OUT_OF_BUDGET = HWC_WHYS, GROUPS };

static bool is_unknown(const struct hwc_place *place, enum hwc_field_id id, unsigned group)
{
    const struct hwc_finding *finding = &place->record->finding[id];
    bool spent = strncmp(finding->reason, HWC_BUDGET_SPENT, strlen(HWC_BUDGET_SPENT)) == 0;

    return finding->asked && !finding->known && !finding->has_interval &&
           (spent ? (unsigned)OUT_OF_BUDGET : (unsigned)finding->why) == group;
}

static void put_unknown_of(struct list *list, const struct hwc_place *place, unsigned group)
{
    char name[HWC_PLACE_NAME], item[HWC_SHOWN];
    unsigned count = 0;

    HWC_EACH_FIELD(id, place->group) {
        if (!is_unknown(place, id, group))
            continue;
        if (count++ == 0)
            hwc_write(item, sizeof item, "%s %s", hwc_place_name(place, name), hwc_fields[id].label);
        else
            hwc_write(item, sizeof item, "%s", hwc_fields[id].label);
        put_item(list, count == 1 ? ";" : ",", item);
    }
}

static const char *what_helps(const struct hwc_profile *profile, unsigned group)
{
    bool counters = strcmp(profile->backend, "none") != 0;

    switch (group) {
    case HWC_WHY_UNAVAILABLE:
        return counters ? "cannot be asked here." : "cannot be asked here; --counters may help.";
    case HWC_WHY_INCONCLUSIVE:
        return counters ? "did not show; a quieter machine may help."
                        : "did not show; a quieter machine or --counters may help.";
    case HWC_WHY_UNDECIDED:
        return "the votes disagree; a quieter machine or more --votes may settle it.";
    case HWC_WHY_DEPENDS:
        return "hang on others that are unknown.";
    case OUT_OF_BUDGET:
        return "the budget was spent; a larger --budget may show them.";
    default:
        return "no reason is on record.";
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
    put_item(&list, ":", what_helps(profile, group));
    hwc_fold_text(fold, list.held);
}

static bool any_unknown(const struct hwc_profile *profile)
{
    struct hwc_place place;

    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++)
        HWC_EACH_FIELD(id, place.group)
            for (unsigned group = 0; group < GROUPS; group++)
                if (group != HWC_WHY_NOTHING && is_unknown(&place, id, group))
                    return true;
    return false;
}

/* List all unknown findings in one paragraph, grouped by what would help. */
static void put_unknown(const struct hwc_profile *profile, struct hwc_fold *fold)
{
    static const unsigned order[] = {HWC_WHY_UNDECIDED, HWC_WHY_INCONCLUSIVE, HWC_WHY_UNAVAILABLE,
                                     HWC_WHY_DEPENDS,   OUT_OF_BUDGET,        HWC_WHY_NOT_SAID};

    if (!any_unknown(profile))
        return;
    hwc_fold_begin(fold, "unknown");
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        put_unknown_because(profile, fold, order[i]);
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
    for (unsigned i = 0; i < notes->count; i++) {
        hwc_fold_begin(&fold, "-");
        hwc_fold_text(&fold, notes->text[i]);
        hwc_fold_end(&fold);
    }
}

void hwc_profile_write_text(const struct hwc_profile *profile, const struct hwc_text_style *style, FILE *stream)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width};
    struct layout layout;

    lay_out(profile, &layout);
    fold.indent = layout.name + GAP;
    put_host(&profile->host, &fold);
    if (style->verbose) {
        hwc_profile_write_rows(profile, fold.indent, style, stream);
    } else {
        put_lines(profile, &layout, &fold);
        put_unknown(profile, &fold);
    }
    hwc_curves_write_text(&profile->curves, has_findings(profile), style, stream);
    put_notes(&profile->notes, style, stream);
}
