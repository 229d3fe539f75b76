/* What times and rates of instructions say of the core. Pure; times in cycles. */
#ifndef HWC_CORE_TIMES_H
#define HWC_CORE_TIMES_H

#include <stdbool.h>
#include <stddef.h>

enum hwc_said { HWC_SAID_NO, HWC_SAID_YES, HWC_SAID_NEITHER };

/* Is a rate, in operations a cycle, that of a whole number of places that each begin one in every cycle? *count: that
 * number, or, if not, the least that there must be. */
bool hwc_whole_rate(double rate, double *count);

/* The same of the highest of several rates that all go through the same places: something else may keep one of them
 * down to a whole number by chance, but hardly two. */
bool hwc_core_width(const double *rates, size_t rates_count, double *width);

/* Were moves eliminated that stand in a chain, by the times of the chain with and without them? */
enum hwc_said hwc_is_eliminated(double with, double without, double moves);

/* Was what was stored taken without a load, by the time from a store to the use of what is loaded from there, and that
 * of a load that hits? */
enum hwc_said hwc_is_renamed(double forwarded, double load);

/* What a load into a vector register takes. No chain of loads has it alone, as addresses are in integer registers: it
 * is known with the way back to one of these, and the way back with the way there. */
struct hwc_load_loops {
    double integer;         /* a load into an integer register; one into a vector register takes no less */
    double vector_and_back; /* a load into a vector register, and that to an integer register */
    double there_and_back;  /* from an integer register to a vector register, and back */
};

struct hwc_load_bounds {
    double low, high;
};

struct hwc_load_bounds hwc_vector_load(const struct hwc_load_loops *loops);

#endif
