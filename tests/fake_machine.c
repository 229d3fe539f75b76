#include "fake_machine.h"

#include <stdlib.h>
#include <string.h>

static int open_arena(struct hwc_machine *base, uint64_t bytes, enum hwc_pages pages, struct hwc_arena *arena,
                      struct hwc_error *error)
{
    (void)base, (void)pages, (void)error;
    *arena = (struct hwc_arena){.bytes = bytes, .page_bytes = 4096, .contiguous_bytes = 4096, .handle = arena};
    return HWC_OK;
}

static void close_arena(struct hwc_machine *base, struct hwc_arena *arena)
{
    (void)base;
    arena->handle = NULL;
}

static int play(struct hwc_machine *base, const struct hwc_experiment *experiment, struct hwc_sample *sample,
                struct hwc_error *error)
{
    struct fake_machine *fake = (struct fake_machine *)base;

    memset(sample, 0, sizeof *sample);
    for (unsigned i = 0; i < experiment->steps; i++)
        sample->readings += experiment->step[i].kind == HWC_MEASURE;
    fake->play(fake->context, fake->plays++, experiment, sample);
    return sample->stopped ? hwc_fail(error, HWC_UNAVAILABLE, "the counter is taken") : HWC_OK;
}

static void event_source(struct hwc_machine *base, enum hwc_event event, unsigned rank, struct hwc_event_source *source)
{
    const struct fake_machine *fake = (struct fake_machine *)base;

    *source = (struct hwc_event_source){.available = rank < fake->ways && event == fake->counts};
    hwc_write(source->counter, sizeof source->counter, "fake %u", rank);
}

static const struct hwc_machine_ops ops = {
    .arena_open = open_arena, .arena_close = close_arena, .play = play, .event_source = event_source};

void fake_machine_open(struct fake_machine *fake, fake_play playing, void *context)
{
    const struct hwc_settings settings = {.votes = 8, .samples = 8, .seed = 1};
    struct hwc_error error;

    *fake = (struct fake_machine){.base = {.ops = &ops,
                                           .has_clock = true,
                                           .interference = true,
                                           .reference_ns = 1,
                                           .page_bytes = 4096,
                                           .max_arena_bytes = UINT64_C(1) << 30},
                                  .play = playing,
                                  .counts = HWC_NO_EVENT,
                                  .ways = 1,
                                  .context = context};
    if (hwc_lab_open(&fake->lab, &fake->base, &settings, &error) != HWC_OK)
        abort();
}

void fake_machine_close(struct fake_machine *fake)
{
    hwc_lab_close(&fake->lab);
}

static bool is_alone(struct hwc_machine *base)
{
    return !((const struct fake_machine *)base)->busy;
}

void fake_machine_shares_core(struct fake_machine *fake, bool busy)
{
    fake->looking = *fake->base.ops;
    fake->looking.alone = is_alone;
    fake->base.ops = &fake->looking;
    fake->busy = busy;
}

bool fake_use(uint64_t *set, size_t ways, uint64_t used)
{
    size_t at = 0;
    bool hit;

    while (at < ways && set[at] != used)
        at++;
    hit = at < ways;
    memmove(set + 1, set, (hit ? at : ways - 1) * sizeof *set);
    set[0] = used;
    return hit;
}

static double cycles_of_step(double (*cycles_of)(uint64_t offset), const struct hwc_step *step)
{
    double cycles = 0;

    for (uint32_t pass = 0; pass < step->passes; pass++)
        for (size_t i = 0; i < step->walk->count; i++)
            cycles += cycles_of(step->walk->offsets[i]);
    return cycles;
}

void fake_references(double (*cycles_of)(uint64_t offset), const struct hwc_experiment *experiment,
                     struct hwc_sample *sample)
{
    unsigned reading = 0;

    for (unsigned i = 0; i < experiment->steps; i++) {
        double cycles = cycles_of_step(cycles_of, &experiment->step[i]);
        if (experiment->step[i].kind == HWC_MEASURE)
            sample->reading[reading++].cycles = cycles;
    }
}
