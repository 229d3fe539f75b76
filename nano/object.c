#include "object.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "page_in.h"

/* The trial of one object may take so many seconds. */
enum { TRIAL_SECONDS = 5, MOST_SYMBOLS = 64 };

enum outcome { NOT_TRIED, BEGAN, RUNS, ABSENT };

/* Shared with the child. */
struct trial {
    bool loaded;
    char fault[HWC_MESSAGE / 2]; /* why it cannot be loaded */
    enum outcome outcome[MOST_SYMBOLS];
};

/* A function, from the address that dlsym has. */
static nano_function *function_at(void *object, const char *name)
{
    void *address = dlsym(object, name);
    nano_function *function;

    memcpy(&function, &address, sizeof function);
    return function;
}

static void try_symbols(void *object, const struct nano_symbol *symbols, unsigned count, struct trial *trial)
{
    for (unsigned i = 0; i < count; i++) {
        nano_function *function;
        if (trial->outcome[i] != NOT_TRIED)
            continue;
        trial->outcome[i] = BEGAN;
        function = function_at(object, symbols[i].name);
        if (function != NULL)
            function(1);
        trial->outcome[i] = function != NULL ? RUNS : ABSENT;
    }
}

/* In the child. A signal ends it, as the parent's handlers know nothing of the trial; no core is to be left of it. */
static void try_out(const char *path, const struct nano_symbol *symbols, unsigned count, struct trial *trial)
{
    static const int faults[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP, SIGABRT, SIGALRM, SIGINT, SIGTERM};
    void *object;

    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        signal(faults[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    alarm(TRIAL_SECONDS);
    object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) {
        hwc_write(trial->fault, sizeof trial->fault, "%s", dlerror());
        _exit(0);
    }
    trial->loaded = true;
    try_symbols(object, symbols, count, trial);
    _exit(0);
}

static void say_died(struct nano_symbol *symbol, int status)
{
    symbol->refused = WIFSIGNALED(status) && WTERMSIG(status) == SIGILL;
    if (symbol->refused)
        hwc_write(symbol->reason, sizeof symbol->reason, "the CPU does not know one of its instructions");
    else if (WIFSIGNALED(status))
        hwc_write(symbol->reason, sizeof symbol->reason, "it ended by signal %d when it was tried out",
                  WTERMSIG(status));
    else
        hwc_write(symbol->reason, sizeof symbol->reason, "it ended when it was tried out");
}

/* A child tries what is untried; returns whether another one has to go on behind a function that ended it. */
static bool try_once(const char *path, struct nano_symbol *symbols, unsigned count, struct trial *trial)
{
    int status;
    pid_t child = fork();

    if (child == 0)
        try_out(path, symbols, count, trial);
    if (child < 0) {
        hwc_write(trial->fault, sizeof trial->fault, "no process can be started to try it");
        return false;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    if (!trial->loaded && trial->fault[0] == '\0')
        hwc_write(trial->fault, sizeof trial->fault, "to load it ends the process");
    for (unsigned i = 0; i < count; i++)
        if (trial->outcome[i] == BEGAN) {
            trial->outcome[i] = ABSENT;
            say_died(&symbols[i], status);
            return i + 1 < count;
        }
    return false;
}

static struct trial *try_all(const char *path, struct nano_symbol *symbols, unsigned count)
{
    struct trial *trial = mmap(NULL, sizeof *trial, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (trial == MAP_FAILED)
        return NULL;
    while (try_once(path, symbols, count, trial))
        continue;
    return trial;
}

static void take_symbols(void *object, const struct trial *trial, struct nano_symbol *symbols, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (trial->outcome[i] == RUNS)
            symbols[i].function = function_at(object, symbols[i].name);
        else if (symbols[i].reason[0] == '\0' && trial->outcome[i] == NOT_TRIED)
            hwc_write(symbols[i].reason, sizeof symbols[i].reason, "no process can be started to try it");
        else if (symbols[i].reason[0] == '\0')
            hwc_write(symbols[i].reason, sizeof symbols[i].reason,
                      "the object has no function \"%s\": is this a compiler of C?", symbols[i].name);
    }
}

static int load_from(const char *path, struct nano_symbol *symbols, unsigned count, struct hwc_error *error)
{
    struct trial *trial = count <= MOST_SYMBOLS ? try_all(path, symbols, count) : NULL;
    void *object = NULL;
    int status = HWC_OK;

    if (trial == NULL)
        return hwc_fail(error, HWC_UNAVAILABLE, "the compiler's object cannot be tried out");
    if (trial->loaded)
        object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (object != NULL) {
        nano_page_in(object);
        take_symbols(object, trial, symbols, count);
    } else
        status = hwc_fail(error, HWC_UNAVAILABLE, "the compiler's object cannot be loaded: %s",
                          trial->fault[0] != '\0' ? trial->fault : "the system refuses it");
    munmap(trial, sizeof *trial);
    return status;
}

/* A copy in memory, for directories from which nothing may be executed. -1 = there is none. */
static int copy_to_memory(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC), copy = -1;
    struct stat about;
    ssize_t copied = -1;

    if (file < 0)
        return -1;
    if (fstat(file, &about) == 0)
        copy = memfd_create("hwchar", MFD_CLOEXEC);
    if (copy >= 0)
        copied = sendfile(copy, file, NULL, (size_t)about.st_size);
    close(file);
    if (copy >= 0 && copied != (ssize_t)about.st_size) {
        close(copy);
        copy = -1;
    }
    return copy;
}

static bool read_header(const char *path, Elf64_Ehdr *header)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool is_read = file >= 0 && read(file, header, sizeof *header) == (ssize_t)sizeof *header &&
                   memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;

    if (file >= 0)
        close(file);
    return is_read;
}

/* The loader says of either that there is no such file. */
static int check_kind(const char *path, struct hwc_error *error)
{
    Elf64_Ehdr its, own;

    if (access(path, F_OK) != 0)
        return hwc_fail(error, HWC_UNAVAILABLE, "the compiler ended without an error, and wrote no object");
    if (read_header(path, &its) && read_header("/proc/self/exe", &own) &&
        (its.e_machine != own.e_machine || its.e_ident[EI_CLASS] != own.e_ident[EI_CLASS]))
        return hwc_fail(error, HWC_UNAVAILABLE, "the compiler makes code for another architecture than this program is for");
    return HWC_OK;
}

int nano_load(const char *path, struct nano_symbol *symbols, unsigned count, struct hwc_error *error)
{
    struct hwc_error again;
    char name[64];
    bool is_kind = check_kind(path, error) == HWC_OK;
    int status = is_kind ? load_from(path, symbols, count, error) : error->status, copy;

    if (status == HWC_OK || !is_kind) {
        unlink(path);
        return status;
    }
    copy = copy_to_memory(path);
    unlink(path);
    if (copy < 0)
        return status;
    /* The descriptor stays open: the next copy must not have the same name, by which the loader knows what it has. */
    hwc_write(name, sizeof name, "/proc/self/fd/%d", copy);
    if (load_from(name, symbols, count, &again) == HWC_OK)
        return HWC_OK;
    close(copy);
    return status;
}
