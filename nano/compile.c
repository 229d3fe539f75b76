#include "compile.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"
#include "seconds.h"

enum { MOST_JOBS = 16, WORDS_OF_STEP = 5 };

/* What statements mean: overflow wraps around, square roots set no errno, and a product and a sum may be fused. */
#define MODES "-fPIC -w -fwrapv -fno-math-errno -ffp-contract=fast"

/* From C to assembly, which is read, and from that to an object. */
enum step { TO_ASSEMBLY, TO_OBJECT };

struct job {
    struct nano_unit *unit;
    enum step step;
    pid_t pid;
    double waited; /* seconds that this process saw pass: while it is stopped itself, a compiler does not hang */
};

struct work {
    const struct nano_compiler *compiler;
    const struct nano_directory *directory;
    struct job job[MOST_JOBS];
    unsigned jobs;
    char temporary[NANO_PATH + 16];
    char **environment;
    char *text; /* in which the words lie that all commands begin with, */
    char **word; /* `words` of them; behind these is room for those of a step */
    size_t words;
    const struct nano_unit *hangs; /* no other is begun then; NULL = none does */
};

static bool is_in_path(const char *command)
{
    const char *from = getenv("PATH");
    char path[1024];

    while (from != NULL && *from != '\0') {
        size_t length = strcspn(from, ":");
        hwc_write(path, sizeof path, "%.*s/%s", (int)length, from, command);
        if (access(path, X_OK) == 0)
            return true;
        from += length + (from[length] == ':');
    }
    return false;
}

const char *nano_find_compiler(void)
{
    static const char *const usual[] = {"cc", "gcc", "clang"};

    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (is_in_path(usual[i]))
            return usual[i];
    return NULL;
}

static size_t count_of(char **list)
{
    size_t count = 0;

    while (list[count] != NULL)
        count++;
    return count;
}

/* The environment, but for these: the compiler's own files go into the directory, and its messages are in English. */
static bool prepare_environment(struct work *work)
{
    size_t count = 0;

    work->environment = calloc(count_of(environ) + 3, sizeof *work->environment);
    if (work->environment == NULL)
        return false;
    hwc_write(work->temporary, sizeof work->temporary, "TMPDIR=%s", work->directory->path);
    for (char **entry = environ; *entry != NULL; entry++)
        if (strncmp(*entry, "TMPDIR=", 7) != 0 && strncmp(*entry, "LC_ALL=", 7) != 0)
            work->environment[count++] = *entry;
    work->environment[count++] = work->temporary;
    work->environment[count] = "LC_ALL=C";
    return true;
}

/* The user's command is split at blanks, unless a program has that name as a whole; so are flags. File names, which come
 * behind them, are not. */
static bool prepare_words(struct work *work)
{
    const struct nano_compiler *compiler = work->compiler;
    size_t bytes = strlen(compiler->command) + strlen(compiler->flags) + sizeof MODES + 2;
    char *rest = NULL, *from;

    work->text = malloc(bytes);
    work->word = calloc(bytes / 2 + WORDS_OF_STEP + 1, sizeof *work->word);
    if (work->text == NULL || work->word == NULL)
        return false;
    snprintf(work->text, bytes, "%s %s %s", compiler->command, compiler->flags, MODES);
    from = work->text;
    if (access(compiler->command, X_OK) == 0) {
        work->word[work->words++] = work->text;
        from += strlen(compiler->command);
        *from++ = '\0';
    }
    for (char *word = strtok_r(from, " \t\n", &rest); word != NULL; word = strtok_r(NULL, " \t\n", &rest))
        work->word[work->words++] = word;
    return true;
}

static int spawn(struct work *work, struct job *job)
{
    bool to_assembly = job->step == TO_ASSEMBLY;
    char from[NANO_PATH], to[NANO_PATH], log[NANO_PATH], flag[64], **word = work->word + work->words;
    const struct nano_program program = {.words = work->word, .environment = work->environment, .input = -1, .log = log,
                                         .flags = POSIX_SPAWN_SETPGROUP};

    nano_file(work->directory, job->unit->name, to_assembly ? "c" : "s", from);
    nano_file(work->directory, job->unit->name, to_assembly ? "s" : "so", to);
    nano_file(work->directory, job->unit->name, "log", log);
    if (job->unit->flag != NULL) {
        hwc_write(flag, sizeof flag, "%s", job->unit->flag);
        *word++ = flag;
    }
    *word++ = to_assembly ? "-S" : "-shared";
    *word++ = "-o";
    *word++ = to;
    *word++ = from;
    *word = NULL;
    return nano_spawn(&program, &job->pid);
}

static void tell_keeper(const struct work *work, bool begins)
{
    pid_t groups[MOST_JOBS];

    for (unsigned i = 0; i < work->jobs; i++)
        groups[i] = work->job[i].pid;
    nano_directory_in_use(work->directory, groups, work->jobs, begins);
}

static int start(struct work *work, struct nano_unit *unit, enum step step)
{
    struct job *job = &work->job[work->jobs];
    int failed;

    *job = (struct job){.unit = unit, .step = step};
    tell_keeper(work, true);
    failed = spawn(work, job);
    work->jobs += failed == 0;
    tell_keeper(work, false);
    if (failed != 0)
        hwc_write(unit->reason, sizeof unit->reason, "the compiler \"%.100s\" cannot be run: %s",
                  work->compiler->command, strerror(failed));
    return failed;
}

/* What failed has given its own room back by now, and others of this time may have, too. */
static bool has_room(const struct nano_directory *directory)
{
    const uint64_t least = 1 << 20;
    struct statvfs about;

    return statvfs(directory->path, &about) != 0 || about.f_bavail * (uint64_t)about.f_frsize >= least;
}

/* The first line of its messages that has an error, else the first line. What only says that the linker failed is none. */
static void read_complaint(const struct work *work, const struct nano_unit *unit, char *line, size_t size)
{
    char path[NANO_PATH], read[HWC_MESSAGE / 2];
    FILE *stream;

    nano_file(work->directory, unit->name, "log", path);
    line[0] = '\0';
    stream = fopen(path, "re");
    if (stream == NULL)
        return;
    while (fgets(read, sizeof read, stream) != NULL) {
        bool error = strstr(read, "error") != NULL;
        read[strcspn(read, "\n")] = '\0';
        if (strstr(read, "ld returned") != NULL)
            continue;
        if (line[0] == '\0' || error)
            hwc_write(line, size, ": %s", read);
        if (error)
            break;
    }
    fclose(stream);
}

static void say_failed(const struct work *work, const struct job *job, int status)
{
    struct nano_unit *unit = job->unit;
    char complaint[HWC_MESSAGE / 2 + 4], how[32];
    const char *room = "";

    read_complaint(work, unit, complaint, sizeof complaint);
    unit->lacks_room = !has_room(work->directory);
    if (unit->lacks_room)
        room = complaint[0] == '\0' ? ": there is hardly room in " : "; there is hardly room in ";
    if (WIFSIGNALED(status))
        hwc_write(how, sizeof how, "was ended by signal %d", WTERMSIG(status));
    else
        hwc_write(how, sizeof how, "failed with status %d", WEXITSTATUS(status));
    hwc_write(unit->reason, sizeof unit->reason, "the compiler \"%.100s\" %s%s%s%s", work->compiler->command, how,
              complaint, room, unit->lacks_room ? work->directory->path : "");
}

/* The whole group, so that what the compiler has started ends with it. */
static void kill_job(const struct job *job)
{
    kill(-job->pid, SIGKILL);
    kill(job->pid, SIGKILL);
    while (waitpid(job->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

static void forget(struct work *work, unsigned i)
{
    work->job[i] = work->job[--work->jobs];
    tell_keeper(work, false);
}

static void say_hangs(struct work *work, const struct job *job)
{
    job->unit->hangs = true;
    hwc_write(job->unit->reason, sizeof job->unit->reason, "the compiler \"%.100s\" did not end within %g s",
              work->compiler->command, work->compiler->patience);
    work->hangs = job->unit;
}

static void go_on(struct work *work, const struct job *job, int status)
{
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        say_failed(work, job, status);
    else if (job->step == TO_ASSEMBLY)
        start(work, job->unit, TO_OBJECT);
    else
        job->unit->done = true;
}

/* Has the job ended, or taken too long? Then it is forgotten, or goes on with its next step. */
static bool tend(struct work *work, unsigned i)
{
    struct job job = work->job[i];
    int status;
    pid_t ended = waitpid(job.pid, &status, WNOHANG);

    if (ended == 0 && job.waited < work->compiler->patience)
        return false;
    if (ended == 0)
        kill_job(&job);
    forget(work, i);
    if (ended == 0)
        say_hangs(work, &job);
    else if (ended == job.pid)
        go_on(work, &job, status);
    else
        hwc_write(job.unit->reason, sizeof job.unit->reason, "how the compiler \"%.100s\" ended cannot be learned",
                  work->compiler->command);
    return true;
}

unsigned nano_jobs(void)
{
    cpu_set_t allowed;
    int cpus = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;

    return cpus > MOST_JOBS ? MOST_JOBS : cpus < 1 ? 1 : (unsigned)cpus;
}

static bool must_stop(const struct nano_compiler *compiler)
{
    return compiler->stop != NULL && *compiler->stop != NULL && **compiler->stop != 0;
}

static const struct {
    long nanoseconds;    /* between two looks: some hundredths of what the shortest compilation takes */
    double most_seconds; /* that a look may be late for other reasons than that this process was stopped */
} moment = {.nanoseconds = 500000, .most_seconds = 0.1};

static void wait_a_moment(struct work *work)
{
    double begin = hwc_seconds(CLOCK_MONOTONIC);

    nanosleep(&(struct timespec){.tv_nsec = moment.nanoseconds}, NULL);
    for (unsigned i = 0; i < work->jobs; i++)
        work->job[i].waited += fmin(hwc_seconds(CLOCK_MONOTONIC) - begin, moment.most_seconds);
}

static void tend_all(struct work *work)
{
    bool any = false;

    for (unsigned i = work->jobs; i > 0; i--)
        any = tend(work, i - 1) || any;
    if (!any)
        wait_a_moment(work);
}

static void compile_units(struct work *work, struct nano_unit *units, unsigned count)
{
    unsigned next = 0, most = nano_jobs();

    while (!must_stop(work->compiler) && ((next < count && work->hangs == NULL) || work->jobs > 0)) {
        if (next < count && work->hangs == NULL && work->jobs < most)
            start(work, &units[next++], TO_ASSEMBLY);
        else
            tend_all(work);
    }
    for (; work->jobs > 0; forget(work, 0))
        kill_job(&work->job[0]);
    for (; next < count && work->hangs != NULL; next++)
        hwc_write(units[next].reason, sizeof units[next].reason, "%s", work->hangs->reason);
}

int nano_compile(const struct nano_compiler *compiler, const struct nano_directory *directory, struct nano_unit *units,
                 unsigned count, struct hwc_error *error)
{
    struct work work = {.compiler = compiler, .directory = directory};
    bool ready = prepare_environment(&work) && prepare_words(&work);

    if (ready)
        compile_units(&work, units, count);
    free(work.environment);
    free(work.text);
    free(work.word);
    if (!ready)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory to compile");
    return must_stop(compiler) ? hwc_fail(error, HWC_INTERRUPTED, "interrupted") : HWC_OK;
}
