/* RUNNING_ON_VALGRIND, which is 0 if valgrind's headers are not installed. */
#ifndef HWC_NATIVE_UNDER_VALGRIND_H
#define HWC_NATIVE_UNDER_VALGRIND_H

#ifdef HWC_HAVE_CALLGRIND
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

#endif
