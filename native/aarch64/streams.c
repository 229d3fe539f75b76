/* The loops of streams, by vectors that the compiler makes the best of. */
#include "kernels.h"

typedef uint64_t vector_of_16 __attribute__((vector_size(16), may_alias));

#define STREAM(name) name##_of_16
#define STREAM_TARGET
#include "stream_loops.h"

void native_play_stream(const struct hwc_stream *stream, char *base, uint64_t passes)
{
    loops_of_16[stream->kind](base, stream->bytes, passes);
}
