/* Writes a stored profile as a page: write_page PROFILE.json > PAGE.html. test_page.py looks at the pages. */
#include <stdio.h>
#include <stdlib.h>

#include "profile_html.h"
#include "profile_read.h"

int main(int argc, char **argv)
{
    struct hwc_error error = {0};
    struct hwc_profile *profile = calloc(1, sizeof *profile);
    int status = profile != NULL && argc == 2 ? hwc_profile_read_file(argv[1], profile, &error) : HWC_BAD_INPUT;

    if (status == HWC_OK)
        status = hwc_profile_write_html(profile, stdout, &error);
    if (status != HWC_OK)
        fprintf(stderr, "%s\n", error.message);
    if (profile != NULL)
        hwc_profile_close(profile);
    free(profile);
    return status == HWC_OK ? 0 : 1;
}
