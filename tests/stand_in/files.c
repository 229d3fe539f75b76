/* Files: those of the stand-in's directory are opened in place of the system's. */
#include "stand_in.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose.h"

bool stand_in_path(const char *below, char *path, size_t size)
{
    const char *directory = getenv("STAND_IN");

    if (directory == NULL)
        return false;
    snprintf(path, size, "%s%s", directory, below);
    return true;
}

static bool begins(const char *path, const char *with)
{
    return strncmp(path, with, strlen(with)) == 0;
}

/* PMUs are the stand-in's alone; of other files, those that it has. */
static const char *place_of(const char *path, char *place, size_t size)
{
    if (path == NULL || !(begins(path, "/sys/") || begins(path, "/proc/")) || !stand_in_path(path, place, size))
        return path;
    return begins(path, "/sys/bus/event_source/") || faccessat(AT_FDCWD, place, F_OK, 0) == 0 ? place : path;
}

FILE *stand_in_open(const char *path, const char *mode)
{
    NEXT(FILE *, fopen, const char *, const char *);

    return next(path, mode);
}

#define REDIRECT_FOPEN(name)                                                                                           \
    EXPORT FILE *name(const char *path, const char *mode)                                                              \
    {                                                                                                                  \
        char place[4096];                                                                                              \
        return stand_in_open(place_of(path, place, sizeof place), mode);                                               \
    }

REDIRECT_FOPEN(fopen)
REDIRECT_FOPEN(fopen64)

static int open_in_place(int directory, const char *path, int flags, mode_t mode)
{
    NEXT(int, openat, int, const char *, int, ...);
    char place[4096];

    return next(directory, place_of(path, place, sizeof place), flags, mode);
}

EXPORT int stand_in_open_file(const char *path, int flags, mode_t mode) AS(open);
EXPORT int stand_in_open64(const char *path, int flags, mode_t mode) AS(open64);
EXPORT int stand_in_openat(int directory, const char *path, int flags, mode_t mode) AS(openat);

int stand_in_open_file(const char *path, int flags, mode_t mode)
{
    return open_in_place(AT_FDCWD, path, flags, mode);
}

int stand_in_open64(const char *path, int flags, mode_t mode)
{
    return open_in_place(AT_FDCWD, path, flags, mode);
}

int stand_in_openat(int directory, const char *path, int flags, mode_t mode)
{
    return open_in_place(directory, path, flags, mode);
}

EXPORT DIR *opendir(const char *path)
{
    NEXT(DIR *, opendir, const char *);
    char place[4096];

    return next(place_of(path, place, sizeof place));
}

EXPORT int access(const char *path, int mode)
{
    NEXT(int, access, const char *, int);
    char place[4096];

    return next(place_of(path, place, sizeof place), mode);
}
