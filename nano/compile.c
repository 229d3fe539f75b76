#include "compile.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "seconds.h"

enum { MOST_WORDS = 64, MOST_JOBS = 16, WORDS_TEXT = 2048, MOST_ENVIRONMENT = 512 };

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
    char *environment[MOST_ENVIRONMENT];
    char temporary[NANO_PATH + 16];
};

/* The environment, but for these: the compiler's own files go into the directory, and its messages are in English. */
static void prepare_environment(struct work *work)
{
    size_t count = 0;

    hwc_write(work->temporary, sizeof work->temporary, "TMPDIR=%s", work->directory->path);
    for (char **entry = environ; *entry != NULL && count + 3 < MOST_ENVIRONMENT; entry++)
        if (strncmp(*entry, "TMPDIR=", 7) != 0 && strncmp(*entry, "LC_ALL=", 7) != 0)
            work->environment[count++] = *entry;
    work->environment[count++] = work->temporary;
    work->environment[count++] = "LC_ALL=C";
    work->environment[count] = NULL;
}

struct words {
    char text[WORDS_TEXT];
    char *word[MOST_WORDS + 1];
    unsigned count;
};

/* Words lie behind each other in the text, each with its end. */
static void add_words(struct words *words, const char *text)
{
    const char *last = words->count > 0 ? words->word[words->count - 1] : NULL;
    char *rest = NULL, *from = last != NULL ? words->text + (last - words->text) + strlen(last) + 1 : words->text;

    hwc_write(from, sizeof words->text - (size_t)(from - words->text), "%s", text);
    for (char *word = strtok_r(from, " \t\n", &rest); word != NULL && words->count < MOST_WORDS;
         word = strtok_r(NULL, " \t\n", &rest))
        words->word[words->count++] = word;
    words->word[words->count] = NULL;
}

static void command_of(const struct work *work, const struct job *job, struct words *words)
{
    const char *path = work->directory->path, *name = job->unit->name;
    char files[3 * NANO_PATH];

    *words = (struct words){.count = 0};
    add_words(words, work->compiler->command);
    add_words(words, work->compiler->flags);
    if (job->step == TO_ASSEMBLY)
        hwc_write(files, sizeof files, MODES " -S -o %s/%s.s %s/%s.c", path, name, path, name);
    else
        hwc_write(files, sizeof files, MODES " -shared -o %s/%s.so %s/%s.s", path, name, path, name);
    add_words(words, files);
}

static void path_of(const struct work *work, const struct nano_unit *unit, const char *ending, char *path, size_t size)
{
    hwc_write(path, size, "%s/%s.%s", work->directory->path, unit->name, ending);
}

static int spawn(struct work *work, struct job *job)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    struct words words;
    char log[NANO_PATH + 64];
    int failed;

    command_of(work, job, &words);
    path_of(work, job->unit, "log", log, sizeof log);
    if (posix_spawn_file_actions_init(&files) != 0)
        return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    failed = posix_spawnp(&job->pid, words.word[0], &files, &attributes, words.word, work->environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

static void tell_keeper(const struct work *work)
{
    pid_t groups[MOST_JOBS];

    for (unsigned i = 0; i < work->jobs; i++)
        groups[i] = work->job[i].pid;
    nano_directory_in_use(work->directory, groups, work->jobs);
}

static int start(struct work *work, struct nano_unit *unit, enum step step)
{
    struct job *job = &work->job[work->jobs];
    int failed;

    *job = (struct job){.unit = unit, .step = step};
    failed = spawn(work, job);
    if (failed != 0) {
        hwc_write(unit->reason, sizeof unit->reason, "the compiler \"%.100s\" cannot be run: %s",
                  work->compiler->command, strerror(failed));
        return failed;
    }
    work->jobs++;
    tell_keeper(work);
    return 0;
}

/* The first line of its messages that has an error, else the first line. */
static void read_complaint(const struct work *work, const struct nano_unit *unit, char *line, size_t size)
{
    char path[NANO_PATH + 64], read[HWC_MESSAGE / 2];
    FILE *stream;

    path_of(work, unit, "log", path, sizeof path);
    line[0] = '\0';
    stream = fopen(path, "re");
    if (stream == NULL)
        return;
    while (fgets(read, sizeof read, stream) != NULL) {
        bool error = strstr(read, "error") != NULL;
        read[strcspn(read, "\n")] = '\0';
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
    char complaint[HWC_MESSAGE / 2 + 4];

    read_complaint(work, unit, complaint, sizeof complaint);
    if (WIFSIGNALED(status))
        hwc_write(unit->reason, sizeof unit->reason, "the compiler \"%.100s\" was ended by signal %d%s",
                  work->compiler->command, WTERMSIG(status), complaint);
    else
        hwc_write(unit->reason, sizeof unit->reason, "the compiler \"%.100s\" failed with status %d%s",
                  work->compiler->command, WEXITSTATUS(status), complaint);
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
    tell_keeper(work);
}

/* Has the job ended, or taken too long? Then it is forgotten, or goes on with its next step. */
static bool tend(struct work *work, unsigned i)
{
    struct job job = work->job[i];
    int status;

    if (waitpid(job.pid, &status, WNOHANG) == 0) {
        if (job.waited < work->compiler->patience)
            return false;
        kill_job(&job);
        job.unit->hangs = true;
        hwc_write(job.unit->reason, sizeof job.unit->reason, "the compiler \"%.100s\" did not end within %g s",
                  work->compiler->command, work->compiler->patience);
        forget(work, i);
        return true;
    }
    forget(work, i);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        say_failed(work, &job, status);
    else if (job.step == TO_ASSEMBLY)
        start(work, job.unit, TO_OBJECT);
    else
        job.unit->done = true;
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

int nano_compile(const struct nano_compiler *compiler, const struct nano_directory *directory, struct nano_unit *units,
                 unsigned count, struct hwc_error *error)
{
    struct work work = {.compiler = compiler, .directory = directory};
    unsigned next = 0, most = nano_jobs();

    prepare_environment(&work);
    while (!must_stop(compiler) && (next < count || work.jobs > 0)) {
        if (next < count && work.jobs < most)
            start(&work, &units[next++], TO_ASSEMBLY);
        else
            tend_all(&work);
    }
    for (; work.jobs > 0; forget(&work, 0))
        kill_job(&work.job[0]);
    return must_stop(compiler) ? hwc_fail(error, HWC_INTERRUPTED, "interrupted") : HWC_OK;
}
