#include "curve_text.h"

#include <string.h>

#include "fold.h"
#include "read_off.h"

/* The curve whose series it is. */
static const struct hwc_series *series_of(const struct hwc_curve *curve, const struct hwc_read_off *read_off)
{
    for (size_t i = 0; i < curve->count; i++)
        if (strcmp(curve->series[i]->axis.name, read_off->series) == 0)
            return curve->series[i];
    return NULL;
}

static void put_how(const struct hwc_curve *curve, const struct hwc_read_off *read_off, struct hwc_fold *fold)
{
    const struct hwc_series *series = series_of(curve, read_off);

    if (!read_off->known)
        hwc_fold_text(fold, read_off->reason);
    else if (series != NULL && series->how[0] != '\0')
        hwc_fold_text(fold, series->how);
    else if (series != NULL)
        hwc_fold_text(fold, series->axis.name);
}

static void put_each(const struct hwc_curve *curve, struct hwc_fold *fold)
{
    char value[HWC_SHOWN], text[HWC_SHOWN];

    for (size_t i = 0; i < curve->read; i++) {
        const struct hwc_read_off *read_off = &curve->read_off[i];
        hwc_show_read_off(value, read_off);
        hwc_write(text, sizeof text, "%s %s%s", read_off->axis.name, value, read_off->known ? "," : ":");
        hwc_fold_begin(fold, "  ");
        hwc_fold_text(fold, text);
        put_how(curve, read_off, fold);
        hwc_fold_end(fold);
    }
}

static void put_all(const struct hwc_curve *curve, struct hwc_fold *fold)
{
    char value[HWC_SHOWN], text[HWC_SHOWN];

    hwc_fold_begin(fold, "  ");
    for (size_t i = 0; i < curve->read; i++) {
        hwc_show_read_off(value, &curve->read_off[i]);
        hwc_write(text, sizeof text, "%s %s%s", curve->read_off[i].axis.name, value, i + 1 < curve->read ? "," : "");
        hwc_fold_text(fold, text);
    }
    hwc_fold_end(fold);
}

void hwc_curves_write_text(const struct hwc_curves *curves, bool gap, const struct hwc_text_style *style,
                           FILE *stream)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width, .indent = 2};

    for (size_t i = 0; i < curves->count; i++) {
        const struct hwc_curve *curve = curves->curve[i];
        if (curve->read == 0)
            continue;
        fprintf(stream, "%s%s, %s\n", gap ? "\n" : "", curve->name, curve->type);
        gap = true;
        if (style->verbose)
            put_each(curve, &fold);
        else
            put_all(curve, &fold);
    }
}
