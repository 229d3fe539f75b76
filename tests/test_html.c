/* What pages are made of: text as it may stand in HTML, and the scales and named values of axes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "html.h"
#include "html_marker.h"
#include "html_scale.h"
#include "read_off.h"

static void assert_html(const char *text, const char *expected)
{
    char *written = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&written, &size);

    assert_non_null(stream);
    hwc_html_text(stream, text);
    fclose(stream);
    assert_string_equal(written, expected);
    free(written);
}

#define NO_TEXT "\xef\xbf\xbd"

static void text_is_escaped(void **state)
{
    (void)state;
    assert_html("a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c&#39;");
    assert_html("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    assert_html("\x01\x1f\x7f\n", NO_TEXT NO_TEXT NO_TEXT "\n");
    assert_html("\xff\xc3<", NO_TEXT NO_TEXT "&lt;");                   /* no UTF-8; cut off before markup */
    assert_html("\xc0\xbc\xe0\x80\xbc", NO_TEXT NO_TEXT NO_TEXT NO_TEXT NO_TEXT); /* "<" in more bytes than it takes */
    assert_html("\xed\xa0\x80", NO_TEXT NO_TEXT NO_TEXT);               /* a surrogate */
    assert_html("\xe2\x82", NO_TEXT NO_TEXT);                           /* cut off at the end */
}

static void sizes_far_apart_are_on_powers_of_two(void **state)
{
    struct hwc_scale scale = hwc_scale_of_sizes(4096, 1 << 20, 0, 400);
    double ticks[HWC_MOST_TICKS];

    (void)state;
    assert_int_equal(scale.kind, HWC_BINARY_LOG);
    assert_true(fabs(hwc_scale_place(&scale, 65536) - 200) < 1e-9);
    assert_int_equal(hwc_scale_ticks(&scale, 50, ticks), 9);
    assert_true(ticks[0] == 4096 && ticks[8] == 1 << 20);
    assert_int_equal(hwc_scale_ticks(&scale, 51, ticks), 5); /* every other, and none out of step */
    assert_true(ticks[0] == 4096 && ticks[1] == 16384);
    assert_true(hwc_scale_place(&scale, 0) == 0 && hwc_scale_place(&scale, 1e12) == 400);
}

static void values_are_on_a_scale_that_suits_them(void **state)
{
    struct hwc_scale times = hwc_scale_of_values(4, 252, 200, 0), misses = hwc_scale_of_values(0, 4.4e6, 200, 0);
    struct hwc_scale near = hwc_scale_of_values(61, 69, 200, 0), flat = hwc_scale_of_values(0, 0, 200, 0);
    struct hwc_scale vast = hwc_scale_of_values(1e-9, 4e6, 200, 0);

    (void)state;
    assert_true(times.kind == HWC_DECIMAL_LOG && times.low == 2 && times.high == 500);
    assert_true(misses.kind == HWC_LINEAR && misses.low == 0 && misses.high == 6e6);
    assert_true(near.kind == HWC_LINEAR && near.low == 60 && near.high == 70);
    assert_true(flat.low == 0 && flat.high > 0);
    assert_true(vast.kind == HWC_LINEAR && vast.low == 0);
}

/* Whatever the range: named values lie within it, ascend, and are as far apart as asked. */
static void named_values_keep_their_distance(void **state)
{
    const double ranges[][2] = {{0, 1}, {-3, 5}, {1, 3}, {0, 1e-9}, {4, 300}, {1, 8}, {0.02, 40}, {1e9, 1e9 + 1},
                                {64, 1 << 21}, {1, 1e12}, {5, 5}};
    double ticks[HWC_MOST_TICKS];

    (void)state;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        const struct hwc_scale scales[] = {hwc_scale_of_sizes(ranges[i][0], ranges[i][1], 60, 360),
                                           hwc_scale_of_values(ranges[i][0], ranges[i][1], 300, 90)};
        for (size_t k = 0; k < 2; k++) {
            unsigned count = hwc_scale_ticks(&scales[k], 20, ticks);
            assert_in_range(count, 1, HWC_MOST_TICKS);
            for (unsigned n = 0; n + 1 < count; n++)
                assert_true(fabs(hwc_scale_place(&scales[k], ticks[n + 1]) - hwc_scale_place(&scales[k], ticks[n])) >=
                            20 - 1e-6);
        }
    }
}

static void assert_shown(const char *unit, double value, const char *tick, const char *whole)
{
    char text[HWC_SHOWN];

    hwc_show_tick(text, unit, value);
    assert_string_equal(text, tick);
    hwc_show_in_unit(text, unit, value);
    assert_string_equal(text, whole);
}

static void assert_read_off(const char *name, const char *unit, double value, const char *shown, const char *bounds)
{
    struct hwc_read_off read_off = hwc_read_off_of(name, unit, "");
    char text[HWC_SHOWN];

    hwc_show_read_off(text, &read_off);
    assert_string_equal(text, "unknown");
    hwc_read_off_bound(&read_off, value, 2 * value, "why");
    hwc_show_read_off(text, &read_off);
    assert_string_equal(text, bounds);
    hwc_read_off_know(&read_off, value);
    hwc_show_read_off(text, &read_off);
    assert_string_equal(text, shown);
}

static void what_is_read_off_is_shown_in_its_unit_once(void **state)
{
    (void)state;
    assert_read_off("L1 size", "bytes", 49152, "48 KiB", "48 to 96 KiB");
    assert_read_off("L1 associativity", "ways", 8, "8 ways", "8 to 16 ways");
    assert_read_off("DTLB1 entries", "entries", 96, "96", "96 to 192");
    assert_read_off("L2 time", "cycles", 14, "14.0 cycles", "14.0 to 28.0 cycles");
}

static struct hwc_curve *curve_of_sizes(struct hwc_curves *curves)
{
    struct hwc_curve *curve;
    struct hwc_error error;

    assert_int_equal(hwc_curve_add(curves, "papi_cacheSize", "int", "array size", "bytes", &curve, &error), HWC_OK);
    return curve;
}

static void what_a_curve_says_is_marked_where_no_finding_is(void **state)
{
    struct hwc_read_off size = hwc_read_off_of("L1 size", "bytes", "");
    struct hwc_read_off bounds = hwc_read_off_of("L2 size", "bytes", "");
    struct hwc_read_off hidden = hwc_read_off_of("L3 size", "bytes", "");
    struct hwc_profile *profile = calloc(1, sizeof *profile);
    struct hwc_curves curves = {0};
    struct hwc_curve *curve = curve_of_sizes(&curves);
    struct hwc_markers markers;
    struct hwc_error error;

    (void)state;
    hwc_read_off_know(&size, 32768);
    hwc_read_off_show_at(&size, 32768);
    hwc_read_off_bound(&bounds, 1 << 19, 1 << 20, "why");
    hwc_read_off_show_at(&bounds, 700000);
    assert_int_equal(hwc_read_off_add(curve, &size, &error), HWC_OK);
    assert_int_equal(hwc_read_off_add(curve, &bounds, &error), HWC_OK);
    assert_int_equal(hwc_read_off_add(curve, &hidden, &error), HWC_OK);
    hwc_markers_of(&markers, profile, curve, 1024, 1 << 26);
    assert_int_equal(markers.count, 2);
    assert_string_equal(markers.marker[0].label, "L1 size 32 KiB");
    assert_true(markers.marker[1].low == 1 << 19 && markers.marker[1].high == 1 << 20);
    hwc_curves_free(&curves);
    free(profile);
}

static void values_are_shown_in_the_units_of_the_field(void **state)
{
    (void)state;
    assert_shown("bytes", 65536, "64 KiB", "64 KiB");
    assert_shown("cycles", 20, "20", "20.0 cycles");
    assert_shown(HWC_YES_OR_NO, 1, "1", "yes");
    assert_shown(HWC_YES_OR_NO, 0, "0", "no");
    assert_shown("MB/s", 12500, "12.5 GB/s", "12.5 GB/s");
    assert_shown("pages", 65536, "64 Ki", "64 Ki pages");
    assert_shown("misses", 1500000, "1.5 M", "1.5 M misses");
    assert_shown("", 8, "8", "8");
    assert_shown("share", 0.25, "0.25", "0.25 share");
}

static void labels_of_boundaries_do_not_collide(void **state)
{
    const struct hwc_scale x = hwc_scale_of_sizes(4096, 1 << 30, 60, 360);
    struct hwc_markers markers = {.count = 3};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        markers.marker[i].low = markers.marker[i].high = (i + 1.0) * (1 << 20);
        snprintf(markers.marker[i].label, sizeof markers.marker[i].label, "L%u %u MiB", i + 1, i + 1);
    }
    hwc_markers_lay_out(&markers, &x);
    assert_int_equal(markers.rows, 3);
    markers.marker[2].low = markers.marker[2].high = 1 << 30;
    hwc_markers_lay_out(&markers, &x);
    assert_int_equal(markers.rows, 2);
    assert_int_equal(markers.marker[2].row, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(sizes_far_apart_are_on_powers_of_two),
        cmocka_unit_test(values_are_on_a_scale_that_suits_them),
        cmocka_unit_test(named_values_keep_their_distance),
        cmocka_unit_test(values_are_shown_in_the_units_of_the_field),
        cmocka_unit_test(what_is_read_off_is_shown_in_its_unit_once),
        cmocka_unit_test(what_a_curve_says_is_marked_where_no_finding_is),
        cmocka_unit_test(labels_of_boundaries_do_not_collide),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
