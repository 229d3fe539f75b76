/* The verdict on one finding by two witnesses. */
#include <math.h>
#include <string.h>

#include "show.h"
#include "validate.h"

static bool bounds_of(const struct hwc_finding *finding, double *low, double *high)
{
    struct hwc_bounds bounds = hwc_finding_bounds(finding, 0);

    *low = bounds.low;
    *high = bounds.high;
    return hwc_finding_is_told(finding);
}

static double tolerance(enum hwc_value_kind kind, double high)
{
    if (kind == HWC_VALUE_CYCLES)
        return hwc_same_cycles(high);
    return kind == HWC_VALUE_RATE || kind == HWC_VALUE_FREQUENCY ? HWC_SAME_RATE * high : 0;
}

/* Is the word among those, separated by spaces? */
static bool is_among(const char *word, const char *words)
{
    size_t length = strlen(word);

    for (const char *found = words; found != NULL && (found = strstr(found, word)) != NULL; found++)
        if ((found == words || found[-1] == ' ') && (found[length] == ' ' || found[length] == '\0'))
            return true;
    return false;
}

static bool same_word(const struct hwc_finding *one, const struct hwc_finding *other)
{
    return strcmp(one->text, other->text) == 0 || is_among(one->text, other->alternatives) ||
           is_among(other->text, one->alternatives);
}

static bool says_none(const struct hwc_finding *finding)
{
    return !hwc_finding_is_told(finding) && finding->why == HWC_WHY_NOTHING;
}

static bool has_answer(const struct hwc_finding *finding)
{
    return hwc_finding_is_told(finding) || says_none(finding);
}

enum hwc_relation hwc_relate(enum hwc_value_kind kind, const struct hwc_finding *one, const struct hwc_finding *other)
{
    double low[2], high[2], slack;

    if (!has_answer(one) || !has_answer(other))
        return HWC_OPEN;
    if (says_none(one) || says_none(other))
        return says_none(one) && says_none(other) ? HWC_SAME : HWC_APART;
    if (kind == HWC_VALUE_WORD)
        return same_word(one, other) ? HWC_SAME : HWC_APART;
    if (kind == HWC_VALUE_BOOLEAN)
        return (one->value != 0) == (other->value != 0) ? HWC_SAME : HWC_APART;
    bounds_of(one, &low[0], &high[0]);
    bounds_of(other, &low[1], &high[1]);
    slack = tolerance(kind, fmax(high[0], high[1]));
    return low[0] - high[1] <= slack && low[1] - high[0] <= slack ? HWC_SAME : HWC_APART;
}

bool hwc_witnesses_differ(const struct hwc_validated *row)
{
    return hwc_relate(hwc_fields[row->field].kind, &row->counter, &row->clock) == HWC_APART;
}

/* What is documented, as a finding; without an answer if nothing is. */
static struct hwc_finding documented_of(const struct hwc_finding *counter, const struct hwc_finding *clock)
{
    const struct hwc_finding *says = counter->has_documented ? counter : clock;
    struct hwc_finding documented = {.known = says->has_documented, .value = says->documented};

    return documented;
}

static void show(char text[HWC_SHOWN], const struct hwc_field *field, const struct hwc_finding *finding)
{
    hwc_show_value(text, field, finding);
    if (text[0] == '\0')
        hwc_write(text, HWC_SHOWN, "none");
}

static void set(struct hwc_verdict *verdict, enum hwc_says says, enum hwc_supported supports)
{
    *verdict = (struct hwc_verdict){.says = says, .supports = supports};
}

static void judge_alike(const struct hwc_field *field, const struct hwc_finding *counter,
                        const struct hwc_finding *clock, const struct hwc_finding *documented,
                        struct hwc_verdict *verdict)
{
    char figure[HWC_SHOWN], found[HWC_SHOWN];
    bool differs = hwc_relate(field->kind, counter, documented) == HWC_APART &&
                   hwc_relate(field->kind, clock, documented) == HWC_APART;

    set(verdict, differs ? HWC_DIFFER : HWC_AGREE, differs ? HWC_SUPPORTS_COUNTER : HWC_SUPPORTS_NONE);
    if (!differs)
        return;
    show(figure, field, documented);
    show(found, field, counter);
    hwc_write(verdict->why, sizeof verdict->why, "the counter and the clock both find %s; %s is documented", found,
              figure);
}

static void judge_apart(const struct hwc_field *field, const struct hwc_finding *counter,
                        const struct hwc_finding *clock, const struct hwc_finding *documented,
                        struct hwc_verdict *verdict)
{
    bool counter_as_documented = hwc_relate(field->kind, counter, documented) == HWC_SAME;
    bool clock_as_documented = hwc_relate(field->kind, clock, documented) == HWC_SAME;
    char by_counter[HWC_SHOWN], by_clock[HWC_SHOWN];
    const char *decides = "nothing tells which of them is right";

    set(verdict, HWC_DIFFER, HWC_SUPPORTS_NONE);
    if (counter_as_documented != clock_as_documented) {
        verdict->supports = counter_as_documented ? HWC_SUPPORTS_COUNTER : HWC_SUPPORTS_CLOCK;
        decides = counter_as_documented ? "the documentation says what the counter does"
                                        : "the documentation says what the clock does";
    }
    show(by_counter, field, counter);
    show(by_clock, field, clock);
    hwc_write(verdict->why, sizeof verdict->why, "%s by the counter, %s by the clock; %s", by_counter, by_clock,
              decides);
}

/* One witness at most has an answer. */
static void judge_open(const struct hwc_field *field, const struct hwc_finding *counter,
                       const struct hwc_finding *clock, const struct hwc_finding *documented,
                       struct hwc_verdict *verdict)
{
    bool by_counter = has_answer(counter), known = by_counter || has_answer(clock);
    const struct hwc_finding *said = by_counter ? counter : clock, *silent = by_counter ? clock : counter;
    enum hwc_supported whose = by_counter ? HWC_SUPPORTS_COUNTER : HWC_SUPPORTS_CLOCK;
    enum hwc_relation as_documented = known ? hwc_relate(field->kind, said, documented) : HWC_OPEN;
    char figure[HWC_SHOWN], found[HWC_SHOWN];

    if (as_documented == HWC_OPEN) {
        set(verdict, HWC_UNDECIDED, HWC_SUPPORTS_NONE);
        hwc_write(verdict->why, sizeof verdict->why, "%s: %s", !known ? HWC_NEITHER : by_counter ?
                  "only the counter tells" : "only the clock tells", known ? silent->reason : clock->reason);
        return;
    }
    set(verdict, as_documented == HWC_SAME ? HWC_AGREE : HWC_DIFFER, whose);
    if (as_documented == HWC_SAME)
        return;
    show(figure, field, documented);
    show(found, field, said);
    hwc_write(verdict->why, sizeof verdict->why, "the %s finds %s; %s is documented", hwc_supported_name(whose), found,
              figure);
}

void hwc_judge_row(const struct hwc_field *field, const struct hwc_finding *counter, const struct hwc_finding *clock,
                   struct hwc_verdict *verdict)
{
    struct hwc_finding documented = documented_of(counter, clock);

    switch (hwc_relate(field->kind, counter, clock)) {
    case HWC_SAME:
        judge_alike(field, counter, clock, &documented, verdict);
        break;
    case HWC_APART:
        judge_apart(field, counter, clock, &documented, verdict);
        break;
    case HWC_OPEN:
        judge_open(field, counter, clock, &documented, verdict);
    }
}
