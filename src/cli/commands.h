/* Do what the command line asks for. Returns a status and leaves the message in
 * the error; results go to standard output and to the files named. */
#ifndef HWC_COMMANDS_H
#define HWC_COMMANDS_H

#include "options.h"

int hwc_command(const struct hwc_options *options, struct hwc_error *error);

#endif
