#include "page_times.h"

#include <math.h>
#include <string.h>

#include "drawn_curve.h"
#include "sampler.h"
#include "statistics.h"

static const struct {
    uint64_t references;
    double of_middle;
} policy = {
    .references = 8192,
    /* Of six normal readings, the second and the median are 0.64 standard deviations apart, and the median's error is
     * 0.49 of one. Those above the median tell less: noise only adds to a time. */
    .of_middle = 0.77,
};

struct round {
    unsigned number;
    const struct hwc_page_look *look;
};

/* The pages of a round. All its points use the first of them: fresh ones for each would take most of the time. */
struct ground {
    struct hwc_arena pages, lines;
};

static struct hwc_drawn drawn_pages(const struct hwc_lab *lab, uint64_t pages, uint64_t pages_apart)
{
    uint64_t line = lab->known->level[1].line_bytes, page = lab->machine->page_bytes;

    return (struct hwc_drawn){.references = policy.references,
                              .cells = pages,
                              .spacing = pages_apart * page,
                              .line_shift = (unsigned)__builtin_ctzll(line),
                              .page_shift = (unsigned)__builtin_ctzll(page)};
}

/* As many lines of every level as of pages. */
static struct hwc_drawn drawn_lines(const struct hwc_lab *lab, uint64_t lines)
{
    return (struct hwc_drawn){.references = policy.references, .cells = lines,
                              .spacing = hwc_longest_line(lab, lab->known->levels)};
}

/* The system hands out memory in the order of first touches. */
static int touch_in_random_order(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_drawn *drawn,
                                 struct hwc_error *error)
{
    struct hwc_walk walk;
    int status;

    hwc_walk_init(&walk);
    status = hwc_walk_cells(&walk, drawn, error);
    if (status == HWC_OK) {
        hwc_walk_shuffle(&walk, &lab->random);
        walk.independent = true;
        status = hwc_lab_run(lab, arena, &walk, 1, error);
    }
    hwc_walk_free(&walk);
    return status;
}

static int open_ground(struct hwc_lab *lab, uint64_t most, uint64_t pages_apart, struct ground *ground,
                       struct hwc_error *error)
{
    const struct hwc_drawn pages = drawn_pages(lab, most, pages_apart), lines = drawn_lines(lab, most);

    TRY(lab->machine->ops->arena_open(lab->machine, hwc_drawn_bytes(&pages), HWC_SPARSE_PAGES, &ground->pages, error));
    TRY(touch_in_random_order(lab, &ground->pages, &pages, error));
    return lab->machine->ops->arena_open(lab->machine, hwc_drawn_bytes(&lines), HWC_BASE_PAGES, &ground->lines, error);
}

static void close_ground(struct hwc_lab *lab, struct ground *ground)
{
    hwc_close_arena(lab, &ground->pages);
    hwc_close_arena(lab, &ground->lines);
}

struct reading {
    const struct hwc_arena *arena;
    const struct hwc_drawn *drawn;
    struct hwc_estimate cycles;
};

static int read_once(struct hwc_lab *lab, void *context, struct hwc_error *error)
{
    struct reading *reading = context;

    return hwc_time_drawn_in(lab, reading->arena, reading->drawn, &reading->cycles, error);
}

static int take_time(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_drawn *drawn,
                     const struct round *round, struct hwc_page_times *times, struct hwc_error *error)
{
    struct reading reading = {.arena = arena, .drawn = drawn};
    int status = hwc_on_quiet_core(lab, round->look->quiet, read_once, &reading, error);

    if (status == HWC_UNAVAILABLE) {
        times->beside++;
        status = read_once(lab, &reading, error);
    }
    times->cycles[round->number] = reading.cycles.value;
    times->error = round->number > 0 ? fmin(times->error, reading.cycles.error) : reading.cycles.error;
    return status;
}

struct hwc_estimate hwc_middle_of_rounds(const struct hwc_page_times *times)
{
    double sorted[HWC_PAGE_ROUNDS], median;

    memcpy(sorted, times->cycles, sizeof sorted);
    median = hwc_median(sorted, HWC_PAGE_ROUNDS);
    return (struct hwc_estimate){.value = median,
                                 .error = hypot(times->error, policy.of_middle * (median - sorted[1])),
                                 .samples = HWC_PAGE_ROUNDS};
}

static int look_at(struct hwc_lab *lab, const struct ground *ground, const struct round *round,
                   struct hwc_page_point *point, struct hwc_error *error)
{
    const struct hwc_drawn apart = drawn_pages(lab, point->pages, round->look->pages_apart);
    const struct hwc_drawn packed = drawn_lines(lab, point->pages);

    TRY(take_time(lab, &ground->pages, &apart, round, &point->in_pages, error));
    return take_time(lab, &ground->lines, &packed, round, &point->in_lines, error);
}

/* A round, on fresh pages. */
static int look_at_all(struct hwc_lab *lab, const struct round *round, struct hwc_page_point *point, size_t points,
                       struct hwc_error *error)
{
    struct ground ground = {0};
    int status = open_ground(lab, point[points - 1].pages, round->look->pages_apart, &ground, error);

    for (size_t i = 0; i < points && status == HWC_OK; i++)
        status = look_at(lab, &ground, round, &point[i], error);
    close_ground(lab, &ground);
    return status;
}

/* Noise comes and goes: each point is looked at again when all others have been. */
int hwc_time_pages(struct hwc_lab *lab, const struct hwc_page_look *look, struct hwc_page_point *point, size_t points,
                   struct hwc_error *error)
{
    struct round round = {.look = look};

    for (; round.number < look->rounds && points > 0; round.number++)
        TRY(look_at_all(lab, &round, point, points, error));
    return HWC_OK;
}
