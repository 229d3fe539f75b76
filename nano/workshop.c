#include "workshop.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assembly.h"
#include "generate.h"

/* Functions of a file: a compiler takes some hundredths of a second to start, and a file that it refuses is compiled
 * again in halves. */
enum { MOST_ENTRIES = 4096, MOST_IN_UNIT = 24, MOST_UNITS = 512 };

/* Seconds that a compiler may take: for one small function, and for a file of them, once it has shown that it ends. On a
 * busy CPU clang took more than twenty for a function of 128 variables. */
static const struct {
    double trial, file;
} patience = {.trial = 8, .file = 60};

struct entry {
    uint64_t hash; /* of its C */
    struct hwc_nano nano;
    struct hwc_nano_code code;
    nano_function *function;
    char reason[HWC_MESSAGE];
};

struct nano_workshop {
    struct nano_compiler compiler;
    struct nano_directory directory;
    bool begun;
    char reason[HWC_MESSAGE]; /* why nothing can be compiled; "" = it can, as far as is known */
    char shortage[HWC_MESSAGE]; /* what happened where there was no room for a file; "" = nothing did */
    unsigned entries, files;
    struct entry *entry[MOST_ENTRIES];
};

/* Entries that are compiled as one file. */
struct batch {
    unsigned count;
    const char *flag; /* of them all, beside the user's; NULL = none */
    struct entry *entry[MOST_IN_UNIT];
};

struct batches {
    unsigned count;
    struct batch batch[MOST_UNITS];
};

struct nano_workshop *nano_workshop_open(const char *command, const char *flags,
                                         const volatile sig_atomic_t *const *stop)
{
    struct nano_workshop *workshop = calloc(1, sizeof *workshop);

    if (workshop != NULL)
        workshop->compiler = (struct nano_compiler){
            .command = command, .flags = flags != NULL ? flags : "-O2", .stop = stop};
    return workshop;
}

/* FNV-1a */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037u;

    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

static int text_of(const struct hwc_nano *nano, uint64_t *hash, struct hwc_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    if (stream == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for generated code");
    nano_write(stream, nano, "nano");
    if (fclose(stream) != 0) {
        free(text);
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for generated code");
    }
    *hash = hash_of(text);
    free(text);
    return HWC_OK;
}

static int find_or_add(struct nano_workshop *workshop, const struct hwc_nano *nano, unsigned *handle, bool *added,
                       struct hwc_error *error)
{
    struct entry *entry;
    uint64_t hash;

    TRY(text_of(nano, &hash, error));
    *added = false;
    for (unsigned i = 0; i < workshop->entries; i++)
        if (workshop->entry[i]->hash == hash) {
            *handle = i;
            return HWC_OK;
        }
    entry = workshop->entries < MOST_ENTRIES ? calloc(1, sizeof *entry) : NULL;
    if (entry == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for more generated code");
    entry->hash = hash;
    entry->nano = *nano;
    entry->code.statements = nano_statements(nano);
    entry->code.reason = entry->reason;
    *handle = workshop->entries;
    *added = true;
    workshop->entry[workshop->entries++] = entry;
    return HWC_OK;
}

static void symbol_of(unsigned i, char *text, size_t size)
{
    hwc_write(text, size, "hwchar_nano_%u", i);
}

static int write_file(const struct nano_workshop *workshop, const struct batch *batch, const char *name,
                      struct hwc_error *error)
{
    char path[NANO_PATH], symbol[32];
    FILE *stream;
    bool failed;

    nano_file(&workshop->directory, name, "c", path);
    stream = fopen(path, "wxe");
    if (stream == NULL)
        return hwc_fail(error, HWC_UNAVAILABLE, "%s cannot be written to", workshop->directory.path);
    nano_write_head(stream);
    for (unsigned i = 0; i < batch->count; i++) {
        symbol_of(i, symbol, sizeof symbol);
        nano_write(stream, &batch->entry[i]->nano, symbol);
    }
    failed = ferror(stream) != 0;
    failed = fclose(stream) != 0 || failed;
    return failed ? hwc_fail(error, HWC_UNAVAILABLE, "%s has no room", workshop->directory.path) : HWC_OK;
}

/* The whole file; the caller's to free. NULL = it cannot be read. */
static char *read_file(const char *path)
{
    FILE *stream = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;

    if (stream == NULL)
        return NULL;
    if (getdelim(&text, &size, '\0', stream) < 0) {
        free(text);
        text = NULL;
    }
    fclose(stream);
    return text;
}

static void take_assembly(const struct nano_workshop *workshop, const struct batch *batch, const char *name)
{
    char path[NANO_PATH], symbol[32];
    char *text;

    nano_file(&workshop->directory, name, "s", path);
    text = read_file(path);
    for (unsigned i = 0; text != NULL && i < batch->count; i++) {
        struct hwc_nano_code *code = &batch->entry[i]->code;
        struct nano_loop loop;
        symbol_of(i, symbol, sizeof symbol);
        code->assembled = nano_read_loop(text, symbol, &loop) && loop.instructions >= code->statements;
        code->instructions = loop.instructions;
        code->fused = loop.fused;
        code->spills = loop.spills;
        code->jumps = nano_read_jumps(text, symbol);
    }
    free(text);
}

static void fail_all(const struct batch *batch, const char *reason)
{
    for (unsigned i = 0; i < batch->count; i++)
        hwc_write(batch->entry[i]->reason, sizeof batch->entry[i]->reason, "%s", reason);
}

static void take_object(const struct nano_workshop *workshop, const struct batch *batch, const char *name)
{
    struct nano_symbol symbols[MOST_IN_UNIT] = {0};
    char path[NANO_PATH];
    struct hwc_error error;

    for (unsigned i = 0; i < batch->count; i++)
        symbol_of(i, symbols[i].name, sizeof symbols[i].name);
    nano_file(&workshop->directory, name, "so", path);
    if (nano_load(path, symbols, batch->count, &error) != HWC_OK) {
        fail_all(batch, error.message);
        return;
    }
    for (unsigned i = 0; i < batch->count; i++) {
        struct entry *entry = batch->entry[i];
        entry->function = symbols[i].function;
        entry->code.runs = entry->function != NULL;
        entry->code.refused = symbols[i].refused;
        hwc_write(entry->reason, sizeof entry->reason, "%s", symbols[i].reason);
    }
}

/* All of it is read by now. */
static void remove_files(const struct nano_workshop *workshop, const char *name)
{
    static const char *const endings[] = {"c", "s", "so", "log"};
    char path[NANO_PATH];

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        nano_file(&workshop->directory, name, endings[i], path);
        unlink(path);
    }
}

static void add_half(struct batches *batches, const struct batch *batch, unsigned from, unsigned count)
{
    struct batch *half = &batches->batch[batches->count];

    if (batches->count == MOST_UNITS)
        return; /* they keep the reason of the whole file */
    batches->count++;
    half->count = count;
    half->flag = batch->flag;
    for (unsigned i = 0; i < count; i++)
        half->entry[i] = batch->entry[from + i];
}

/* What the compiler refuses may be one function of the file: its halves are to come. */
static void take_unit(struct nano_workshop *workshop, const struct batch *batch, const struct nano_unit *unit,
                      struct batches *next)
{
    if (unit->done)
        take_assembly(workshop, batch, unit->name);
    if (unit->done)
        take_object(workshop, batch, unit->name);
    else
        fail_all(batch, unit->reason);
    if (unit->lacks_room)
        hwc_write(workshop->shortage, sizeof workshop->shortage, "%s", unit->reason);
    if (unit->hangs)
        hwc_write(workshop->reason, sizeof workshop->reason, "%s", unit->reason);
    else if (!unit->done && batch->count > 1) {
        add_half(next, batch, 0, batch->count / 2);
        add_half(next, batch, batch->count / 2, batch->count - batch->count / 2);
    }
    remove_files(workshop, unit->name);
}

/* One round: each batch is a file. What failed as a whole is left in *next, in halves. */
static int compile_round(struct nano_workshop *workshop, const struct batches *batches, struct batches *next,
                         struct hwc_error *error)
{
    struct nano_unit *units = calloc(batches->count, sizeof *units);
    int status = HWC_OK;

    next->count = 0;
    if (units == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory to compile");
    for (unsigned i = 0; status == HWC_OK && i < batches->count; i++) {
        hwc_write(units[i].name, sizeof units[i].name, "%u", workshop->files++);
        units[i].flag = batches->batch[i].flag;
        status = write_file(workshop, &batches->batch[i], units[i].name, error);
    }
    if (status == HWC_OK)
        status = nano_compile(&workshop->compiler, &workshop->directory, units, batches->count, error);
    for (unsigned i = 0; status == HWC_OK && i < batches->count; i++)
        take_unit(workshop, &batches->batch[i], &units[i], next);
    free(units);
    return status;
}

static int compile_all(struct nano_workshop *workshop, struct batches *batches, struct hwc_error *error)
{
    struct batches *next = malloc(sizeof *next);
    int status = next != NULL ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "no memory to compile");

    while (status == HWC_OK && batches->count > 0 && workshop->reason[0] == '\0') {
        status = compile_round(workshop, batches, next, error);
        *batches = *next;
    }
    free(next);
    return status;
}

/* So many functions in a file that every job has some files. */
static unsigned share_of(unsigned count)
{
    unsigned share = 1 + count / (2 * nano_jobs());

    return share < MOST_IN_UNIT ? share : MOST_IN_UNIT;
}

static void add_to(struct batches *batches, struct entry *entry, unsigned share)
{
    struct batch *last = &batches->batch[batches->count - (batches->count > 0)];
    const char *flag = nano_flag(&entry->nano);

    if (batches->count == 0 || last->count == share || last->flag != flag) {
        if (batches->count == MOST_UNITS)
            return;
        last = &batches->batch[batches->count++];
        last->count = 0;
        last->flag = flag;
    }
    last->entry[last->count++] = entry;
}

/* What was not compiled, from this entry on, will not be. */
static void say_why(struct nano_workshop *workshop, unsigned first, const char *reason)
{
    for (unsigned i = first; i < workshop->entries; i++)
        if (!workshop->entry[i]->code.runs && workshop->entry[i]->reason[0] == '\0')
            hwc_write(workshop->entry[i]->reason, sizeof workshop->entry[i]->reason, "%s", reason);
}

static int compile_new(struct nano_workshop *workshop, const struct hwc_nano *nanos, unsigned count, unsigned *handles,
                       struct hwc_error *error)
{
    struct batches *batches = calloc(1, sizeof *batches);
    int status = batches != NULL ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "no memory to compile");
    unsigned first = workshop->entries;
    bool added;

    for (unsigned i = 0; status == HWC_OK && i < count; i++) {
        status = find_or_add(workshop, &nanos[i], &handles[i], &added, error);
        if (status == HWC_OK && added)
            add_to(batches, workshop->entry[handles[i]], share_of(count));
    }
    if (status == HWC_OK)
        status = compile_all(workshop, batches, error);
    if (status != HWC_OK)
        say_why(workshop, first, error->message);
    free(batches);
    return status;
}

static const struct hwc_core_type plain = {.name = "i32", .element = "int"};

/* A compiler that cannot do this can do nothing: then the others are not tried. */
static int try_compiler(struct nano_workshop *workshop, struct hwc_error *error)
{
    const struct hwc_nano addition = {
        .statement = {{.text = "{i} = {i} + {c}", .type = &plain, .first = "1", .other = "1"}},
        .statements = 1, .variables = 1, .per_label = 1};
    unsigned handle;

    workshop->compiler.patience = patience.trial;
    TRY(compile_new(workshop, &addition, 1, &handle, error));
    workshop->compiler.patience = patience.file;
    if (!workshop->entry[handle]->code.runs)
        hwc_write(workshop->reason, sizeof workshop->reason, "%s", workshop->entry[handle]->reason);
    return HWC_OK;
}

static int begin(struct nano_workshop *workshop, struct hwc_error *error)
{
    workshop->begun = true;
    if (workshop->compiler.command == NULL)
        workshop->compiler.command = nano_find_compiler();
    if (workshop->compiler.command == NULL)
        hwc_write(workshop->reason, sizeof workshop->reason,
                  "there is no C compiler in PATH (cc, gcc or clang); --cc may name one");
    else if (nano_directory_open(&workshop->directory, error) != HWC_OK)
        hwc_write(workshop->reason, sizeof workshop->reason, "%s", error->message);
    else
        return try_compiler(workshop, error);
    return HWC_OK;
}

static int prepare(struct nano_workshop *workshop, const struct hwc_nano *nanos, unsigned count, unsigned *handles,
                   struct hwc_error *error)
{
    if (!workshop->begun)
        TRY(begin(workshop, error));
    if (workshop->reason[0] == '\0')
        TRY(compile_new(workshop, nanos, count, handles, error));
    return workshop->reason[0] == '\0' ? HWC_OK : hwc_fail(error, HWC_UNAVAILABLE, "%s", workshop->reason);
}

/* Whoever started this process may have it ignore the ends of its children: then nobody learns how these ended. */
int nano_prepare(struct nano_workshop *workshop, const struct hwc_nano *nanos, unsigned count, unsigned *handles,
                 struct hwc_error *error)
{
    struct sigaction before, usual = {.sa_handler = SIG_DFL};
    bool ignored = sigaction(SIGCHLD, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
    int status;

    if (ignored)
        sigaction(SIGCHLD, &usual, NULL);
    status = prepare(workshop, nanos, count, handles, error);
    if (ignored)
        sigaction(SIGCHLD, &before, NULL);
    return status;
}

bool nano_trouble(const struct nano_workshop *workshop, char *text, size_t size)
{
    if (workshop->reason[0] != '\0')
        hwc_write(text, size, "no code was made to be timed: %s", workshop->reason);
    else if (workshop->shortage[0] != '\0')
        hwc_write(text, size, "not all code was made that was to be timed: %s", workshop->shortage);
    return workshop->reason[0] != '\0' || workshop->shortage[0] != '\0';
}

const struct hwc_nano_code *nano_code_of(const struct nano_workshop *workshop, unsigned handle)
{
    return &workshop->entry[handle]->code;
}

nano_function *nano_function_of(const struct nano_workshop *workshop, unsigned handle)
{
    return workshop->entry[handle]->function;
}

void nano_workshop_close(struct nano_workshop *workshop)
{
    if (workshop == NULL)
        return;
    nano_directory_close(&workshop->directory);
    for (unsigned i = 0; i < workshop->entries; i++)
        free(workshop->entry[i]);
    free(workshop);
}
