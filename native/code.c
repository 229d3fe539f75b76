#include "code.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "under_valgrind.h"

static bool is_cell(const struct hwc_walk *walk, uint64_t offset)
{
    for (size_t i = 0; i < walk->count; i++)
        if (walk->offsets[i] == offset)
            return true;
    return false;
}

/* Bytes of filler in a cell, in front of `code_bytes` of code. */
static uint64_t filler_bytes(const struct hwc_walk *walk, uint64_t code_bytes)
{
    return walk->code_bytes > code_bytes ? walk->code_bytes - code_bytes : 0;
}

/* Find the last cell with room for the end's code, which is two cells long: the second must not be in use. */
static bool find_end(const struct hwc_walk *walk, uint64_t bytes, size_t *end)
{
    for (*end = walk->count; (*end)-- > 0;) {
        uint64_t after = walk->offsets[*end] + filler_bytes(walk, NATIVE_MOST_CODE_BYTES) + HWC_CELL_BYTES;
        if (after + HWC_CELL_BYTES <= bytes && !is_cell(walk, after))
            return true;
    }
    return false;
}

static bool protect(char *base, uint64_t bytes, int protection)
{
    return mprotect(base, bytes, PROT_READ | protection) == 0;
}

/* Writable and executable at once, where the system allows that: then only the first code of an arena changes its
 * pages' protection, which takes a virtual machine longer than most code. Valgrind must see code change. */
static bool allow_both(char *base, uint64_t bytes)
{
    return !RUNNING_ON_VALGRIND && protect(base, bytes, PROT_WRITE | PROT_EXEC);
}

static int refuse(const char *what, struct hwc_error *error)
{
    return hwc_fail(error, HWC_UNAVAILABLE, "memory cannot be made %s: %s; this system may forbid emitted code", what,
                    strerror(errno));
}

int native_code_unlock(char *base, uint64_t bytes, bool *both, struct hwc_error *error)
{
    *both = allow_both(base, bytes);
    return *both || protect(base, bytes, PROT_WRITE) ? HWC_OK : refuse("writable", error);
}

int native_code_lock(char *base, uint64_t bytes, bool both, struct hwc_error *error)
{
    return both || protect(base, bytes, PROT_EXEC) ? HWC_OK : refuse("executable", error);
}

/* Discard stale instructions from the instruction caches. */
static void synchronize(char *base, const struct hwc_walk *walk)
{
    for (size_t i = 0; i < walk->count; i++) {
        char *cell = base + walk->offsets[i];
        __builtin___clear_cache(
            cell, cell + (ptrdiff_t)(filler_bytes(walk, NATIVE_MOST_CODE_BYTES) + NATIVE_MOST_CODE_BYTES));
    }
}

/* No first data cache is larger, and no line is smaller. */
enum { OTHER_BYTES = 512 << 10, OTHER_STEP = 32 };

/* Lines that were just written lie in the first data cache, and a fetch that misses is not served from there as it is
 * from the next level: lines of 64 bytes passed for 128. So they are put out. */
static void put_out_of_data_cache(void)
{
    static char others[OTHER_BYTES];
    const volatile char *other = others;

    if (*other == 0)
        memset(others, 1, sizeof others); /* pages that were never written are all the same one */
    for (size_t at = 0; at < OTHER_BYTES; at += OTHER_STEP)
        (void)other[at];
}

static void put_cells(char *base, const struct hwc_walk *walk, const struct native_transfer_code *code)
{
    uint64_t filler = filler_bytes(walk, code->bytes);

    for (size_t i = 0; i < walk->count; i++) {
        native_put_filler(base + walk->offsets[i], filler);
        code->put(base, walk->offsets[i] + filler, walk->offsets[i + 1 < walk->count ? i + 1 : 0]);
    }
}

int native_code_lay_out(char *base, uint64_t bytes, const struct hwc_walk *walk, enum native_transfer transfer,
                        struct native_entry *entry, struct hwc_error *error)
{
    uint64_t call;
    size_t end;
    bool both;

    if (bytes > NATIVE_REACH_BYTES)
        return hwc_fail(error, HWC_UNAVAILABLE, "jumps do not reach across %llu MiB", (unsigned long long)bytes >> 20);
    if (!find_end(walk, bytes, &end))
        return hwc_fail(error, HWC_UNAVAILABLE, "the cells of a walk of jumps leave no room for its end");
    TRY(native_code_unlock(base, bytes, &both, error));
    put_cells(base, walk, &native_transfer_code[transfer]);
    entry->cell = walk->offsets[end + 1 < walk->count ? end + 1 : 0];
    call = native_put_end(base, walk->offsets[end] + filler_bytes(walk, NATIVE_MOST_CODE_BYTES), entry->cell);
    entry->call = transfer == NATIVE_RETURN ? call : 0;
    synchronize(base, walk);
    put_out_of_data_cache();
    return native_code_lock(base, bytes, both, error);
}

void native_code_run(const char *base, struct native_entry entry, uint32_t passes)
{
    if (entry.call > 0)
        native_enter_returns(base + entry.cell, passes, base + entry.call);
    else
        native_enter_code(base + entry.cell, passes);
}
