#include "profile.h"

const char *hwc_event_status_name(enum hwc_event_status status)
{
    static const char *const names[] = {"absent", "trusted", "biased", "rejected"};
    return names[status];
}
