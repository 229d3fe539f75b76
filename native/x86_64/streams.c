/* The loops of streams, by vectors of SSE2, AVX2 or AVX-512: their length decides how many bytes a first level
 * delivers. */
#include "kernels.h"

typedef uint64_t vector_of_16 __attribute__((vector_size(16), may_alias));
typedef uint64_t vector_of_32 __attribute__((vector_size(32), may_alias));
typedef uint64_t vector_of_64 __attribute__((vector_size(64), may_alias));

#define STREAM(name) name##_of_16
#define STREAM_TARGET
#include "stream_loops.h"
#undef STREAM
#undef STREAM_TARGET

#define STREAM(name) name##_of_32
#define STREAM_TARGET __attribute__((target("avx2")))
#include "stream_loops.h"
#undef STREAM
#undef STREAM_TARGET

#define STREAM(name) name##_of_64
#define STREAM_TARGET __attribute__((target("avx512f")))
#include "stream_loops.h"

void native_play_stream(const struct hwc_stream *stream, char *base, uint64_t passes)
{
    if (__builtin_cpu_supports("avx512f"))
        loops_of_64[stream->kind](base, stream->bytes, passes);
    else if (__builtin_cpu_supports("avx2"))
        loops_of_32[stream->kind](base, stream->bytes, passes);
    else
        loops_of_16[stream->kind](base, stream->bytes, passes);
}
