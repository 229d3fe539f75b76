#include "html_marker.h"

#include <math.h>
#include <string.h>

#include "html.h"
#include "read_off.h"

static void add(struct hwc_markers *markers, const struct hwc_place *place, enum hwc_field_id id)
{
    const struct hwc_finding *finding = &place->record->finding[id];
    struct hwc_marker *marker = &markers->marker[markers->count];
    char value[HWC_SHOWN], name[HWC_PLACE_NAME];

    if (markers->count == HWC_MOST_MARKERS || !hwc_finding_is_told(finding))
        return;
    hwc_show_value(value, &hwc_fields[id], finding);
    hwc_write(marker->label, sizeof marker->label, "%s %s", hwc_place_name(place, name), value);
    marker->low = finding->known ? finding->value : finding->low;
    marker->high = finding->known ? finding->value : finding->high;
    markers->count++;
}

/* What is kept in a level or above is what a footprint meets. */
static enum hwc_field_id boundary_of(const struct hwc_record *cache)
{
    const struct hwc_finding *effective = &cache->finding[HWC_CACHE_EFFECTIVE_SIZE];

    return effective->known || (effective->has_interval && !cache->finding[HWC_CACHE_SIZE].known)
               ? HWC_CACHE_EFFECTIVE_SIZE
               : HWC_CACHE_SIZE;
}

static bool shows_capacities(const struct hwc_axis *x)
{
    return strcmp(x->unit, "bytes") == 0 && strstr(x->name, "stride") == NULL;
}

static bool lies_within(const struct hwc_marker *marker, double low, double high)
{
    return marker->high >= low && marker->low <= high;
}

/* Boundaries that were found. */
static void mark_findings(struct hwc_markers *markers, const struct hwc_profile *profile, const struct hwc_axis *x,
                          double low, double high)
{
    bool pages = strcmp(x->unit, "pages") == 0;
    struct hwc_place place;

    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++) {
        const struct hwc_record *record = place.record;
        if (place.group == HWC_OF_CACHE && shows_capacities(x))
            add(markers, &place, boundary_of(record));
        else if (place.group == HWC_OF_TLB && pages && !record->code && !record->large)
            add(markers, &place, HWC_TLB_ENTRIES);
        else
            continue;
        if (markers->count > 0 && !lies_within(&markers->marker[markers->count - 1], low, high))
            markers->count--;
    }
}

/* What is read off the curve itself. */
static void mark_read_off(struct hwc_markers *markers, const struct hwc_curve *curve)
{
    char value[HWC_SHOWN];

    for (size_t i = 0; i < curve->read && markers->count < HWC_MOST_MARKERS; i++) {
        const struct hwc_read_off *read_off = &curve->read_off[i];
        struct hwc_marker *marker = &markers->marker[markers->count];
        bool bounded = !read_off->known && read_off->has_interval;
        if (!read_off->shows)
            continue;
        hwc_show_read_off(value, read_off);
        hwc_write(marker->label, sizeof marker->label, "%s %s", read_off->axis.name, value);
        marker->low = bounded ? read_off->low : read_off->at;
        marker->high = bounded ? read_off->high : read_off->at;
        markers->count++;
    }
}

void hwc_markers_of(struct hwc_markers *markers, const struct hwc_profile *profile, const struct hwc_curve *curve,
                    double low, double high)
{
    *markers = (struct hwc_markers){0};
    mark_findings(markers, profile, &curve->x, low, high);
    if (markers->count == 0)
        mark_read_off(markers, curve);
}

/* Where a label begins that is drawn in the middle of what it names, as far as there is room. */
static double begin_of(const struct hwc_marker *marker, const struct hwc_scale *x)
{
    double width = hwc_svg_width(marker->label);
    double middle = (hwc_scale_place(x, marker->low) + hwc_scale_place(x, marker->high)) / 2;

    return fmax(x->from, fmin(middle - width / 2, x->to - width));
}

void hwc_markers_lay_out(struct hwc_markers *markers, const struct hwc_scale *x)
{
    const double gap = 8;
    double end[HWC_MOST_MARKERS] = {0};

    markers->rows = 0;
    for (unsigned i = 0; i < markers->count; i++) {
        struct hwc_marker *marker = &markers->marker[i];
        double begin = begin_of(marker, x);
        marker->row = 0;
        while (marker->row < markers->rows && begin < end[marker->row] + gap)
            marker->row++;
        end[marker->row] = begin + hwc_svg_width(marker->label);
        if (marker->row == markers->rows)
            markers->rows++;
    }
}

static double row_of(const struct hwc_marker *marker, double top)
{
    const double above = 5;

    return top - above - marker->row * HWC_MARKER_ROW;
}

void hwc_markers_draw_labels(FILE *stream, const struct hwc_markers *markers, const struct hwc_scale *x, double top)
{
    for (unsigned i = 0; i < markers->count; i++) {
        const struct hwc_marker *marker = &markers->marker[i];
        double middle = begin_of(marker, x) + hwc_svg_width(marker->label) / 2;
        hwc_svg_text(stream, middle, row_of(marker, top), HWC_AROUND_HERE, "mark", marker->label);
    }
}

void hwc_markers_draw(FILE *stream, const struct hwc_markers *markers, const struct hwc_scale *x, double top,
                      double bottom)
{
    for (unsigned i = 0; i < markers->count; i++) {
        const struct hwc_marker *marker = &markers->marker[i];
        double from = hwc_scale_place(x, marker->low), to = hwc_scale_place(x, marker->high);
        if (to > from)
            fprintf(stream, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"band\"/>", from, top,
                    to - from, bottom - top);
        else
            hwc_svg_line(stream, from, top, from, bottom, "mark");
    }
}
