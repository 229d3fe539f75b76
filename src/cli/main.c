/* The command line: parse it, do what it asks for, return the exit status. */
#include <stdio.h>

#include "commands.h"

enum { EXIT_DONE = 0, EXIT_DIFFERENCE = 1, EXIT_BAD_INPUT = 2, EXIT_UNAVAILABLE = 3, EXIT_INTERRUPTED = 130 };

static int exit_status(int status)
{
    switch (status) {
    case HWC_OK:
        return EXIT_DONE;
    case HWC_DIFFERENCE:
        return EXIT_DIFFERENCE;
    case HWC_INTERRUPTED:
        return EXIT_INTERRUPTED;
    case HWC_BAD_INPUT:
        return EXIT_BAD_INPUT;
    default:
        return EXIT_UNAVAILABLE;
    }
}

/* Print one line: control characters, which the message may quote from its input, become question marks. */
static void complain(const struct hwc_error *error)
{
    fputs("hwchar: ", stderr);
    for (const char *c = error->message; *c != '\0'; c++)
        fputc((unsigned char)*c < ' ' || *c == 127 ? '?' : *c, stderr);
    fputc('\n', stderr);
}

int main(int argc, char **argv)
{
    struct hwc_options options;
    struct hwc_error error = {0};
    int status = hwc_options_parse(&options, argc, argv, &error);

    if (status == HWC_OK)
        status = hwc_command(&options, &error);
    if (status != HWC_OK && status != HWC_DIFFERENCE)
        complain(&error);
    return exit_status(status);
}
