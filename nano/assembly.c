#include "assembly.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Both are marked by comments, which stand on lines of their own; clang writes them anew, as the assembler's own. */
static const char *find_mark(const char *assembly, const char *symbol, const char *what)
{
    char mark[96];

    snprintf(mark, sizeof mark, " %s %s ", symbol, what);
    return strstr(assembly, mark);
}

/* Without its comment. For aarch64 a hash sign begins constants, too, behind which nothing is sought. */
static size_t length_of(const char *line)
{
    size_t length = strcspn(line, "\n#");
    const char *comment = memmem(line, length, "//", 2);

    return comment != NULL ? (size_t)(comment - line) : length;
}

/* A line with an instruction, not a label, a directive or a comment. */
static bool is_instruction(const char *line, size_t length)
{
    size_t i = 0;

    while (i < length && isspace((unsigned char)line[i]))
        i++;
    return i > 0 && i < length && isalpha((unsigned char)line[i]) && memchr(line + i, ':', length - i) == NULL;
}

static bool has(const char *line, size_t length, const char *text)
{
    return memmem(line, length, text, strlen(text)) != NULL;
}

/* The loop has no memory of its own: whatever it loads or stores are variables that found no register. */
static bool touches_memory(const char *line, size_t length)
{
    return memchr(line, '(', length) != NULL || memchr(line, '[', length) != NULL;
}

/* Integers may also be put aside in vector or mask registers. */
static bool changes_kind(const char *line, size_t length)
{
    bool vector = has(line, length, "%xmm") || has(line, length, "%k");

    return (vector && (has(line, length, "%r") || has(line, length, "%e"))) || has(line, length, "fmov\t") ||
           has(line, length, "fmv.");
}

/* What conditional jumps begin with, on the architectures that are known. No other instruction does, but for jmp. */
static bool is_conditional_jump(const char *line)
{
    static const char *const names[] = {"j",    "b.",  "cbz", "cbnz", "tbz", "tbnz",
                                        "beq",  "bne", "blt", "bge",  "bgt", "ble"};

    line += strspn(line, " \t");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(line, names[i], strlen(names[i])) == 0)
            return strncmp(line, "jmp", 3) != 0;
    return false;
}

/* The next line with an instruction, after this line and before the end; NULL = there is none. */
static const char *next_instruction(const char *line, const char *end)
{
    for (line += strcspn(line, "\n"); line < end; line += strcspn(line, "\n")) {
        line++;
        if (is_instruction(line, length_of(line)))
            return line;
    }
    return NULL;
}

bool nano_read_loop(const char *assembly, const char *symbol, struct nano_loop *loop)
{
    const char *line = find_mark(assembly, symbol, "begins"), *end = find_mark(assembly, symbol, "ends");

    *loop = (struct nano_loop){0};
    if (line == NULL || end == NULL || end < line)
        return false;
    while ((line = next_instruction(line, end)) != NULL) {
        size_t length = length_of(line);
        loop->instructions++;
        loop->spills += touches_memory(line, length) || changes_kind(line, length);
    }
    return true;
}

unsigned nano_read_jumps(const char *assembly, const char *symbol)
{
    char begins[96], ends[96];
    const char *line, *end;
    unsigned count = 0;

    snprintf(begins, sizeof begins, "\n%s:", symbol);
    snprintf(ends, sizeof ends, ".size\t%s,", symbol);
    line = strstr(assembly, begins);
    end = line != NULL ? strstr(line, ends) : NULL;
    if (end == NULL)
        return 0;
    line++; /* to the symbol's own line */
    while ((line = next_instruction(line, end)) != NULL)
        count += is_conditional_jump(line);
    return count;
}
