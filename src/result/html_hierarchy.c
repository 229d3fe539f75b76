#include "html_hierarchy.h"

#include <math.h>

#include "html.h"
#include "html_scale.h"

enum { MOST_ROWS = 2 * HWC_MAX_CACHE_LEVEL + HWC_MAX_TLBS + 1 };

/* Pixels: the drawing, the panel of capacities, and the panel of latencies, which narrow windows go without. */
struct size {
    const char *class;
    double width, left, right, latency_left, latency_right;
    double apart; /* sizes that are named */
};

static const struct size sizes[] = {{"wide", 1040, 112, 640, 690, 890, 70}, {"narrow", 366, 92, 364, 0, 0, 62}};

enum { ROW = 36, TOP = 24, BOTTOM = 24, BAR = 9, BELOW_LABEL = 21 /* the bar, from the top of its row */ };

/* Something that holds data. Sizes in bytes; 0 = not known. */
struct row {
    struct hwc_place place;
    double low, high;   /* what it holds */
    double effective;   /* the most that walks keep there, where that is less */
    double documented;  /* where that differs */
    char holds[HWC_SHOWN], takes[HWC_SHOWN];
    double cycles;
    bool penalty; /* the cycles come on top of what the reference takes */
};

struct drawing {
    FILE *stream;
    const struct size *size;
    unsigned rows;
    struct row row[MOST_ROWS];
    struct hwc_scale bytes, cycles;
};

static void take_bounds(struct row *row, const struct hwc_finding *finding, double unit)
{
    struct hwc_bounds bounds = hwc_finding_bounds(finding, 0);

    if (hwc_finding_is_told(finding)) {
        row->low = unit * bounds.low;
        row->high = unit * bounds.high;
    }
}

static void take_cycles(struct row *row, enum hwc_field_id id)
{
    const struct hwc_finding *finding = &row->place.record->finding[id];

    hwc_show_value(row->takes, &hwc_fields[id], finding);
    if (finding->known)
        row->cycles = finding->value;
}

/* What walks keep in a level or above, where that is less than the level has. */
static void take_effective(struct row *row, const struct hwc_finding *effective)
{
    double most = effective->known ? effective->value : effective->has_interval ? effective->high : 0;

    if (row->high == 0)
        take_bounds(row, effective, 1);
    else if (most < row->low)
        row->effective = most;
}

static void take_cache(struct row *row)
{
    bool code = row->place.group == HWC_OF_CODE_CACHE;
    enum hwc_field_id size = code ? HWC_CODE_CACHE_SIZE : HWC_CACHE_SIZE;
    const struct hwc_finding *finding = row->place.record->finding;

    take_bounds(row, &finding[size], 1);
    if (hwc_differs(&finding[size], hwc_fields[size].kind))
        row->documented = finding[size].documented;
    hwc_show_value(row->holds, &hwc_fields[size], &finding[size]);
    if (finding[size].asked && finding[size].why == HWC_WHY_NOTHING)
        hwc_write(row->holds, sizeof row->holds, "none");
    if (code)
        return;
    if (row->high == 0)
        hwc_show_value(row->holds, &hwc_fields[HWC_CACHE_EFFECTIVE_SIZE], &finding[HWC_CACHE_EFFECTIVE_SIZE]);
    take_effective(row, &finding[HWC_CACHE_EFFECTIVE_SIZE]);
    take_cycles(row, HWC_CACHE_LATENCY);
}

/* A TLB's reach is what its entries translate. */
static void take_tlb(struct row *row)
{
    const struct hwc_finding *finding = row->place.record->finding;
    char entries[HWC_SHOWN], page[HWC_SHOWN];

    if (finding[HWC_TLB_PAGE_SIZE].known)
        take_bounds(row, &finding[HWC_TLB_ENTRIES], finding[HWC_TLB_PAGE_SIZE].value);
    hwc_show_value(entries, &hwc_fields[HWC_TLB_ENTRIES], &finding[HWC_TLB_ENTRIES]);
    hwc_show_value(page, &hwc_fields[HWC_TLB_PAGE_SIZE], &finding[HWC_TLB_PAGE_SIZE]);
    if (entries[0] != '\0')
        hwc_write(row->holds, sizeof row->holds, "%s%s%s", entries, page[0] != '\0' ? " \xc3\x97 " : " entries", page);
    row->penalty = true;
    take_cycles(row, HWC_TLB_MISS_PENALTY);
}

static bool take(struct row *row)
{
    switch (row->place.group) {
    case HWC_OF_CACHE:
    case HWC_OF_CODE_CACHE:
        take_cache(row);
        return true;
    case HWC_OF_TLB:
        take_tlb(row);
        return true;
    case HWC_OF_MEMORY:
        take_cycles(row, HWC_MEMORY_LATENCY);
        return row->takes[0] != '\0';
    default:
        return false;
    }
}

/* The memory comes behind the caches, and what translates comes last. */
static bool belongs(enum hwc_group group, unsigned pass)
{
    return pass == 0 ? group != HWC_OF_TLB && group != HWC_OF_MEMORY : group == (pass == 1 ? HWC_OF_MEMORY : HWC_OF_TLB);
}

static void collect(struct drawing *drawing, const struct hwc_profile *profile)
{
    struct hwc_place place;

    for (unsigned pass = 0; pass < 3; pass++)
        for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++) {
            struct row *row = &drawing->row[drawing->rows];
            *row = (struct row){.place = place};
            if (belongs(place.group, pass) && drawing->rows < MOST_ROWS && take(row))
                drawing->rows++;
        }
}

/* Sizes run from an octave below the least to beyond the largest, where memory goes on; cycles from 1 on. */
static void scale(struct drawing *drawing)
{
    const struct size *size = drawing->size;
    double low = INFINITY, high = 0, longest = 0;

    for (unsigned i = 0; i < drawing->rows; i++) {
        const struct row *row = &drawing->row[i];
        if (row->low > 0) {
            low = fmin(low, fmin(row->low, row->effective > 0 ? row->effective : row->low));
            high = fmax(high, fmax(row->high, row->documented));
        }
        longest = fmax(longest, row->cycles);
    }
    if (high == 0)
        low = high = 1 << 20;
    drawing->bytes = hwc_scale_of_sizes(exp2(floor(log2(low) - 1)), exp2(ceil(log2(high) + 0.5) + 1), size->left,
                                        size->right);
    drawing->cycles = hwc_scale_of_values(1, fmax(longest, 100), size->latency_left, size->latency_right);
}

static void put_bar(const struct drawing *drawing, double from, double to, double y, double height, const char *class)
{
    fprintf(drawing->stream, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>", from, y,
            fmax(to - from, 0.5), height, class);
}

/* Memory has no end that is measured: its bar ends in an arrow. */
static void draw_memory(const struct drawing *drawing, double y)
{
    fprintf(drawing->stream, "<path d=\"M%.1f %.1fH%.1fl8 %.1fl-8 %.1fH%.1fz\" class=\"memory\"/>",
            drawing->size->left, y, drawing->size->right - 8, BAR / 2.0, BAR / 2.0, drawing->size->left);
}

static void draw_bar(const struct drawing *drawing, const struct row *row, double top)
{
    const double beyond = 3, thin = 3; /* of the mark of what is documented; bar of what is effective */
    double y = top + BELOW_LABEL, from = drawing->size->left, low = hwc_scale_place(&drawing->bytes, row->low);
    double documented = hwc_scale_place(&drawing->bytes, row->documented);
    bool tlb = row->place.group == HWC_OF_TLB;

    if (row->place.group == HWC_OF_MEMORY)
        draw_memory(drawing, y);
    if (row->high > 0)
        put_bar(drawing, from, low, y, BAR, tlb ? "reach" : "cache");
    if (row->high > row->low)
        put_bar(drawing, low, hwc_scale_place(&drawing->bytes, row->high), y, BAR, "between");
    if (row->effective > 0)
        put_bar(drawing, from, hwc_scale_place(&drawing->bytes, row->effective), y + (BAR - thin) / 2, thin,
                "effective");
    if (row->documented > 0)
        hwc_svg_line(drawing->stream, documented, y - beyond, documented, y + BAR + beyond, "documented");
}

static void draw_latency(const struct drawing *drawing, const struct row *row, const char *takes, double top)
{
    const double radius = 4, right = 10, down = 4;
    double x = hwc_scale_place(&drawing->cycles, row->cycles), y = top + BELOW_LABEL + BAR / 2.0;

    hwc_svg_line(drawing->stream, drawing->size->latency_left, y, drawing->size->latency_right, y, "grid");
    if (row->cycles == 0)
        return;
    hwc_svg_line(drawing->stream, drawing->size->latency_left, y, x, y, "stem");
    fprintf(drawing->stream, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\" class=\"%s\"/>", x, y, radius,
            row->penalty ? "penalty" : "latency");
    hwc_svg_text(drawing->stream, x + right, y + down, HWC_FROM_HERE, "label halo", takes);
}

static void draw_row(const struct drawing *drawing, const struct row *row, double top)
{
    const double down = 15; /* the base line of a label */
    const struct size *size = drawing->size;
    bool narrow = size->latency_left == 0, memory = row->place.group == HWC_OF_MEMORY;
    char name[HWC_PLACE_NAME], takes[HWC_SHOWN];

    hwc_svg_text(drawing->stream, 0, top + down, HWC_FROM_HERE, "name", hwc_place_name(&row->place, name));
    if (row->holds[0] != '\0' || !memory)
        hwc_svg_text(drawing->stream, size->left, top + down, HWC_FROM_HERE, row->holds[0] != '\0' ? "label" : "tick",
                     row->holds[0] != '\0' ? row->holds : "unknown");
    draw_bar(drawing, row, top);
    hwc_write(takes, sizeof takes, "%s%s", row->penalty && row->takes[0] != '\0' ? "+" : "", row->takes);
    if (narrow)
        hwc_svg_text(drawing->stream, size->right, top + down, HWC_UP_TO_HERE, "label", takes);
    else
        draw_latency(drawing, row, takes, top);
}

static void draw_grid(const struct drawing *drawing, const struct hwc_scale *scale, const char *unit, double apart,
                      double bottom)
{
    const double down = 16;
    double ticks[HWC_MOST_TICKS];
    unsigned count = hwc_scale_ticks(scale, apart, ticks);
    char text[HWC_SHOWN];

    for (unsigned i = 0; i < count; i++) {
        double x = hwc_scale_place(scale, ticks[i]);
        hwc_svg_line(drawing->stream, x, TOP, x, bottom, "grid");
        hwc_show_tick(text, unit, ticks[i]);
        hwc_svg_text_within(drawing->stream, x, bottom + down, 0, drawing->size->width, "tick", text);
    }
}

static void draw(struct drawing *drawing)
{
    const struct size *size = drawing->size;
    double bottom = TOP + ROW * drawing->rows, height = bottom + BOTTOM;

    scale(drawing);
    fprintf(drawing->stream,
            "<svg class=\"%s\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" role=\"img\">"
            "<title>The levels, their capacities and their latencies</title>",
            size->class, size->width, height, size->width, height);
    hwc_svg_text(drawing->stream, size->left, TOP - 9, HWC_FROM_HERE, "title", "holds (log scale)");
    draw_grid(drawing, &drawing->bytes, "bytes", size->apart, bottom);
    if (size->latency_left > 0) {
        hwc_svg_text(drawing->stream, size->latency_left, TOP - 9, HWC_FROM_HERE, "title", "takes, cycles (log scale)");
        draw_grid(drawing, &drawing->cycles, "cycles", 30, bottom);
    } else {
        hwc_svg_text(drawing->stream, size->right, TOP - 9, HWC_UP_TO_HERE, "title", "takes");
    }
    for (unsigned i = 0; i < drawing->rows; i++)
        draw_row(drawing, &drawing->row[i], TOP + ROW * i);
    fputs("</svg>\n", drawing->stream);
}

static bool any_row(const struct drawing *drawing, bool (*is)(const struct row *))
{
    for (unsigned i = 0; i < drawing->rows; i++)
        if (is(&drawing->row[i]))
            return true;
    return false;
}

static bool is_tlb(const struct row *row)
{
    return row->penalty;
}

static bool is_between(const struct row *row)
{
    return row->high > row->low;
}

static bool keeps_less(const struct row *row)
{
    return row->effective > 0;
}

static bool differs(const struct row *row)
{
    return row->documented > 0;
}

static void put_key(const struct drawing *drawing)
{
    static const struct {
        bool (*is)(const struct row *);
        const char *text;
    } keys[] = {
        {is_tlb, " A TLB holds what its entries translate; what a miss in it adds is marked by a ring and +."},
        {is_between, " Pale: between the bounds of what is not known exactly."},
        {keeps_less, " A dark line in a bar: the most that walks can keep there."},
        {differs, " A mark across a bar: what is documented, where that differs."},
    };

    fputs("<figcaption class=\"soft\">Lengths are to scale: each line of the grid is as many times the one before.",
          drawing->stream);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (any_row(drawing, keys[i].is))
            fputs(keys[i].text, drawing->stream);
    fputs("</figcaption>", drawing->stream);
}

void hwc_html_hierarchy(FILE *stream, const struct hwc_profile *profile)
{
    struct drawing drawing = {.stream = stream};
    bool any = false;

    collect(&drawing, profile);
    for (unsigned i = 0; i < drawing.rows; i++)
        any = any || drawing.row[i].high > 0 || drawing.row[i].cycles > 0;
    if (!any)
        return;
    fputs("<figure class=\"hierarchy\">", stream);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        drawing.size = &sizes[i];
        draw(&drawing);
    }
    put_key(&drawing);
    fputs("</figure>\n", stream);
}
