/* What is read off the traditional surface: of models of one or two levels under LRU. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "saavedra.h"

struct level {
    double bytes, ways, cycles;
};

/* Do the array's lines all stay? Its references meet as many sets as lie within the way that they step through. */
static bool fits(const struct level *level, double size, double stride, double line)
{
    double way = level->bytes / level->ways, step = fmax(stride, line);

    return size / step <= level->ways * fmax(1, way / step);
}

/* Of `levels` levels and memory. Below the line size all but the first reference of a line hit the first level. */
static void model(const struct level *level, unsigned levels, double line, unsigned sizes, struct hwc_surface *surface)
{
    *surface = (struct hwc_surface){.first_size = 4096, .first_stride = 8, .sizes = sizes, .strides = sizes + 8};
    for (unsigned i = 0; i < sizes; i++)
        for (unsigned k = 0; k < surface->strides; k++) {
            double size = hwc_surface_size(surface, i), stride = hwc_surface_stride(surface, k);
            unsigned serves = 0;
            while (serves < levels && !fits(&level[serves], size, stride, line))
                serves++;
            surface->cycles[i][k] = level[0].cycles + (level[serves].cycles - level[0].cycles) * fmin(1, stride / line);
            if (stride > size / 2)
                surface->cycles[i][k] = NAN;
        }
}

static void all_is_read_off_powers_of_two(void **state)
{
    static const struct level levels[] = {{32768, 8, 3}, {1 << 20, 16, 21}, {0, 0, 298}};
    struct hwc_surface_reading reading;
    struct hwc_surface surface;

    (void)state;
    model(levels, 2, 64, 12, &surface);
    hwc_surface_read(&surface, &reading);
    assert_true(reading.line_bytes == 64 && reading.ways == 8 && reading.levels == 2);
    assert_true(reading.bytes[0] == 32768 && reading.bytes[1] == 1 << 20);
    assert_true(reading.beyond[0] == 65536 && reading.beyond[1] == 1 << 21 && reading.read_at == 64);
    assert_true(reading.cycles[0] == 3 && reading.cycles[1] == 21 && reading.cycles[2] == 298);
}

/* The method's own fault (X-Ray, SIGMETRICS 2005, 2): it has no size and no number of references in between. */
static void others_lie_between_two(void **state)
{
    static const struct level levels[] = {{49152, 12, 5}, {0, 0, 200}};
    struct hwc_surface_reading reading;
    struct hwc_surface surface;

    (void)state;
    model(levels, 1, 128, 10, &surface);
    hwc_surface_read(&surface, &reading);
    assert_true(reading.line_bytes == 128 && reading.levels == 1);
    assert_true(reading.bytes[0] == 32768 && reading.beyond[0] == 65536 && reading.ways == 8);
}

/* Strides up to half a page are followed: as long a time shows from a page's half on. */
static void levels_show_beyond_what_prefetchers_follow(void **state)
{
    static const struct level levels[] = {{49152, 12, 4}, {1 << 20, 16, 14}, {0, 0, 50}};
    struct hwc_surface_reading reading;
    struct hwc_surface surface;

    (void)state;
    model(levels, 2, 64, 13, &surface);
    for (unsigned i = 0; i < surface.sizes; i++)
        for (unsigned k = 0; hwc_surface_stride(&surface, k) < 1024; k++)
            surface.cycles[i][k] = 4 + 0.02 * k;
    hwc_surface_read(&surface, &reading);
    assert_true(reading.line_bytes == 0 && reading.read_at == 1024 && reading.levels == 2);
    assert_true(reading.bytes[0] == 32768 && reading.bytes[1] == 1 << 20 && reading.beyond[1] == 1 << 21);
    assert_true(reading.cycles[0] == 4 && reading.cycles[1] == 14 && reading.cycles[2] == 50);
}

static void what_others_add_is_no_level(void **state)
{
    static const struct level levels[] = {{32768, 8, 3}, {1 << 20, 16, 21}, {0, 0, 298}};
    struct hwc_surface_reading reading;
    struct hwc_surface surface;

    (void)state;
    model(levels, 2, 64, 12, &surface);
    surface.cycles[1][3] = 9; /* 8 KiB, lines */
    surface.cycles[6][3] = 60;
    hwc_surface_read(&surface, &reading);
    assert_true(reading.levels == 2 && reading.bytes[0] == 32768 && reading.bytes[1] == 1 << 20);
}

static void what_does_not_show_is_not_read_off(void **state)
{
    static const struct level levels[] = {{32768, 8, 3}, {0, 0, 298}};
    struct hwc_surface_reading reading;
    struct hwc_surface surface = {.sizes = 0};

    (void)state;
    hwc_surface_read(&surface, &reading);
    assert_true(reading.levels == 0 && reading.line_bytes == 0);
    model(levels, 1, 64, 4, &surface); /* all sizes fit */
    hwc_surface_read(&surface, &reading);
    assert_true(reading.levels == 0 && reading.line_bytes == 0 && reading.ways == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_read_off_powers_of_two),
        cmocka_unit_test(others_lie_between_two),
        cmocka_unit_test(levels_show_beyond_what_prefetchers_follow),
        cmocka_unit_test(what_others_add_is_no_level),
        cmocka_unit_test(what_does_not_show_is_not_read_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
