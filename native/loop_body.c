#include "loop_body.h"

#include <string.h>
#include <sys/mman.h>

#include "code.h"
#include "instructions.h"
#include "memory.h"

#define CODE_BYTES (UINT64_C(1) << 20)
#define MAPPED_BYTES (CODE_BYTES + (UINT64_C(1) << 16)) /* pages have up to 64 KiB */

static const uint64_t first_draw = UINT64_C(0x9e3779b97f4a7c15);

static int map(struct native_loop_body *loop, struct hwc_error *error)
{
    char *base = mmap(NULL, MAPPED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *scratch = base + CODE_BYTES;
    char *self = scratch + NATIVE_SCRATCH_SELF;
    uintptr_t address = (uintptr_t)self;

    if (base == MAP_FAILED)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for code");
    memcpy(self, &address, sizeof address);
    memcpy(scratch + NATIVE_SCRATCH_DRAW, &first_draw, sizeof first_draw);
    for (uint32_t i = 0; i < NATIVE_INDICES; i++)
        memcpy(scratch + NATIVE_SCRATCH_INDICES + i * sizeof i, &i, sizeof i);
    loop->base = base;
    loop->scratch = scratch;
    return HWC_OK;
}

static bool same_stretch(const struct hwc_stretch *one, const struct hwc_stretch *other)
{
    return one->kinds == other->kinds && one->count == other->count &&
           memcmp(one->kind, other->kind, one->kinds * sizeof one->kind[0]) == 0;
}

static bool same_body(const struct hwc_body *one, const struct hwc_body *other)
{
    if (one->calls != other->calls || one->functions != other->functions || one->line != other->line ||
        one->stretches != other->stretches)
        return false;
    for (size_t i = 0; i < one->stretches; i++)
        if (!same_stretch(&one->stretch[i], &other->stretch[i]))
            return false;
    return true;
}

/* Do all its instructions exist here, and is there room for it? */
static int check(const struct hwc_body *body, struct hwc_error *error)
{
    uint64_t bytes = NATIVE_FRAME_BYTES + HWC_CODE_LINES * HWC_CODE_LINE +
                     (body->calls + body->functions) * NATIVE_CALL_APART;

    for (size_t i = 0; i < body->stretches; i++) {
        const struct hwc_stretch *stretch = &body->stretch[i];
        bytes += stretch->count * NATIVE_MOST_OP_BYTES;
        for (size_t kind = 0; kind < stretch->kinds; kind++) {
            const char *reason = native_lacks_op(stretch->kind[kind]);
            if (reason != NULL)
                return hwc_fail(error, HWC_UNAVAILABLE, "%s", reason);
        }
    }
    if (bytes > CODE_BYTES)
        return hwc_fail(error, HWC_UNAVAILABLE, "the body of a loop is larger than %llu KiB",
                        (unsigned long long)CODE_BYTES >> 10);
    return HWC_OK;
}

/* Where the entry begins if the loop behind it is to begin with a line. */
static char *place_entry(char *base, size_t line)
{
    size_t bytes = (size_t)(native_put_entry(base) - base), over = bytes % HWC_CODE_LINE;

    return base + line % HWC_CODE_LINES * HWC_CODE_LINE + (over > 0 ? HWC_CODE_LINE - over : 0);
}

/* Returns the end of the code. */
static char *put_loop(char *at, const struct hwc_body *body)
{
    char *first = at = native_put_entry(at);

    if (body->calls > 0)
        at = native_put_calls(at, body->calls, body->functions);
    for (size_t i = 0; i < body->stretches; i++)
        for (size_t n = 0; n < body->stretch[i].count; n++)
            at = native_put_op(at, body->stretch[i].kind[n % body->stretch[i].kinds], n);
    return native_put_turn(at, first);
}

static int write_code(struct native_loop_body *loop, const struct hwc_body *body, struct hwc_error *error)
{
    bool both;
    char *end;

    loop->written = false;
    TRY(native_code_unlock(loop->base, CODE_BYTES, &both, error));
    loop->entry = place_entry(loop->base, body->line);
    end = put_loop(loop->entry, body);
    __builtin___clear_cache(loop->base, end);
    TRY(native_code_lock(loop->base, CODE_BYTES, both, error));
    loop->body = *body;
    loop->written = true;
    native_occupy_vectors();
    return HWC_OK;
}

static void write_chains(char *base, const struct hwc_walk *walk)
{
    for (size_t i = 0; i < walk->count; i++) {
        size_t next = i + 2 < walk->count ? i + 2 : i % 2;
        uint64_t link = native_chains_of_addresses ? (uintptr_t)(base + walk->offsets[next])
                                                   : walk->offsets[next] / HWC_CELL_BYTES;
        memcpy(base + walk->offsets[i], &link, sizeof link);
    }
}

int native_lay_out_body(struct native_loop_body *loop, const struct hwc_arena *arena, const struct hwc_walk *walk,
                        struct hwc_error *error)
{
    if (walk->count < 2)
        return hwc_fail(error, HWC_SYSTEM, "two chains need two cells");
    TRY(check(walk->body, error));
    if (loop->base == NULL)
        TRY(map(loop, error));
    if (!loop->written || !same_body(&loop->body, walk->body))
        TRY(write_code(loop, walk->body, error));
    if (loop->arena != arena->handle || loop->serial != walk->serial)
        write_chains(((const struct native_block *)arena->handle)->base, walk);
    loop->arena = arena->handle;
    loop->serial = walk->serial;
    return HWC_OK;
}

void native_take_turns(const struct native_loop_body *loop, const uint64_t *cells, uint64_t first, uint64_t second,
                       uint64_t turns)
{
    const struct native_turns taken = {
        .cells = cells, .first = first, .second = second, .scratch = loop->scratch, .turns = turns};

    native_enter_body(loop->entry, &taken);
}

void native_forget_chains(struct native_loop_body *loop)
{
    loop->arena = NULL;
}

void native_loop_body_free(struct native_loop_body *loop)
{
    if (loop->base != NULL)
        munmap(loop->base, MAPPED_BYTES);
    *loop = (struct native_loop_body){0};
}
