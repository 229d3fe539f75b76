/* The loops of streams for vectors of one length: STREAM(read), STREAM(write) and
 * STREAM(copy), made of STREAM(vector). Included once for each length, with
 * STREAM_TARGET the attribute of functions that may use it.
 *
 * A compiler must neither leave references out nor put the C library's functions in
 * their place, which write past the caches where there is much to write: hence the
 * empty asm statements, which may read and write all memory. */

STREAM_TARGET static void STREAM(read)(char *base, uint64_t bytes, uint64_t passes)
{
    const STREAM(vector) *first = (const STREAM(vector) *)(const void *)base, *end = first + bytes / sizeof *first;
    STREAM(vector) a = {0}, b = a, c = a, d = a, e = a, f = a, g = a, h = a, all;

    for (; passes > 0; passes--) {
        for (const STREAM(vector) *at = first; at < end; at += 8) {
            a ^= at[0];
            b ^= at[1];
            c ^= at[2];
            d ^= at[3];
            e ^= at[4];
            f ^= at[5];
            g ^= at[6];
            h ^= at[7];
        }
        __asm__ volatile("" : : : "memory");
    }
    all = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
    __asm__ volatile("" : : "m"(all));
}

/* No zeros: some caches write lines of zeros back in less time. */
STREAM_TARGET static void STREAM(write)(char *base, uint64_t bytes, uint64_t passes)
{
    STREAM(vector) *first = (STREAM(vector) *)(void *)base, *end = first + bytes / sizeof *first;
    const STREAM(vector) value = ~(STREAM(vector)){0};

    for (; passes > 0; passes--)
        for (STREAM(vector) *at = first; at < end; at += 8) {
            at[0] = value;
            at[1] = value;
            at[2] = value;
            at[3] = value;
            at[4] = value;
            at[5] = value;
            at[6] = value;
            at[7] = value;
            __asm__ volatile("" : : : "memory");
        }
}

STREAM_TARGET static void STREAM(copy)(char *base, uint64_t bytes, uint64_t passes)
{
    STREAM(vector) *first = (STREAM(vector) *)(void *)base, *middle = first + bytes / 2 / sizeof *first;
    const uint64_t half = (uint64_t)(middle - first);

    for (; passes > 0; passes--)
        for (STREAM(vector) *at = first; at < middle; at += 8) {
            at[half] = at[0];
            at[half + 1] = at[1];
            at[half + 2] = at[2];
            at[half + 3] = at[3];
            at[half + 4] = at[4];
            at[half + 5] = at[5];
            at[half + 6] = at[6];
            at[half + 7] = at[7];
            __asm__ volatile("" : : : "memory");
        }
}

static const native_stream_loop STREAM(loops) = {
    [HWC_STREAM_READ] = STREAM(read), [HWC_STREAM_WRITE] = STREAM(write), [HWC_STREAM_COPY] = STREAM(copy)};
