#include "least.h"

void hwc_least_add(struct hwc_least *least, double reading)
{
    if (least->taken++ == 0) {
        least->value = reading;
    } else if (reading < least->value) {
        least->second = least->value;
        least->value = reading;
    } else if (least->taken == 2 || reading < least->second) {
        least->second = reading;
    }
}

bool hwc_least_settled(const struct hwc_least *least, double within)
{
    return least->taken >= 2 && least->second - least->value <= within;
}
