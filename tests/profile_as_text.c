#include "profile_as_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile_read.h"

char *written(const struct hwc_profile *profile, profile_writer write)
{
    struct hwc_error error = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    assert_non_null(stream);
    if (write(profile, stream, &error) != HWC_OK)
        fail_msg("%s", error.message);
    fclose(stream);
    return text;
}

int read_text(const char *text, struct hwc_profile *profile, struct hwc_error *error)
{
    FILE *stream = fmemopen((char *)(uintptr_t)text, strlen(text), "r");
    int status;

    assert_non_null(stream);
    status = hwc_profile_read(stream, profile, error);
    fclose(stream);
    return status;
}
