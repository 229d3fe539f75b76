/* Functions of the C library that are replaced, and those that they replace. */
#ifndef INTERPOSE_H
#define INTERPOSE_H

#include <dlfcn.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Of a variadic function: its arguments are registers here as there, and whether they were given does not matter. */
#define AS(name) __asm__(#name)

/* `next`: the function of this name that the program would have called. ISO C does not convert void * to a function. */
#define NEXT(type, name, ...)                                                                                          \
    static type (*next)(__VA_ARGS__);                                                                                  \
    if (next == NULL) {                                                                                                \
        void *found = dlsym(RTLD_NEXT, #name);                                                                         \
        memcpy(&next, &found, sizeof next);                                                                            \
    }                                                                                                                  \
    (void)next

#endif
