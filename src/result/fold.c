#include "fold.h"

#include <string.h>

static size_t columns_of(const char *text, size_t bytes)
{
    size_t columns = 0;

    for (size_t i = 0; i < bytes; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80; /* UTF-8 continuation bytes take no column */
    return columns;
}

size_t hwc_width_of(const char *text)
{
    return columns_of(text, strlen(text));
}

static void put(struct hwc_fold *fold, const char *text, size_t bytes)
{
    fwrite(text, 1, bytes, fold->stream);
    fold->column += columns_of(text, bytes);
}

static void spaces(struct hwc_fold *fold, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fputc(' ', fold->stream);
    fold->column += count;
}

static void next_line(struct hwc_fold *fold)
{
    fputc('\n', fold->stream);
    fold->column = 0;
    spaces(fold, fold->indent);
}

void hwc_fold_begin(struct hwc_fold *fold, const char *label)
{
    fold->column = 0;
    put(fold, label, strlen(label));
    hwc_fold_pad(fold, fold->indent);
}

void hwc_fold_pad(struct hwc_fold *fold, size_t column)
{
    if (column > fold->column)
        spaces(fold, column - fold->column);
}

static void put_word(struct hwc_fold *fold, size_t gap, const char *word, size_t bytes)
{
    if (fold->column > fold->indent && fold->column + gap + columns_of(word, bytes) > fold->width)
        next_line(fold);
    else if (fold->column > fold->indent)
        spaces(fold, gap);
    put(fold, word, bytes);
}

void hwc_fold_text(struct hwc_fold *fold, const char *text)
{
    while (*text != '\0') {
        size_t bytes = strcspn(text, " ");
        if (bytes > 0)
            put_word(fold, 1, text, bytes);
        text += bytes + strspn(text + bytes, " ");
    }
}

/* Of a name that no line holds: how much of it fits in the line, up to where it is best folded. */
static size_t part_that_fits(const struct hwc_fold *fold, const char *name, size_t bytes)
{
    size_t room = fold->width > fold->column ? fold->width - fold->column : 1;
    size_t most = bytes < room ? bytes : room, end = most;

    while (end > 0 && end < bytes && strchr(":,/", name[end - 1]) == NULL)
        end--;
    return end > 0 ? end : most;
}

static void put_long_word(struct hwc_fold *fold, const char *word, size_t bytes)
{
    if (fold->column > fold->indent)
        next_line(fold);
    while (bytes > 0) {
        size_t part = part_that_fits(fold, word, bytes);
        put(fold, word, part);
        word += part;
        bytes -= part;
        if (bytes > 0)
            next_line(fold);
    }
}

void hwc_fold_name(struct hwc_fold *fold, const char *text)
{
    while (*text != '\0') {
        size_t bytes = strcspn(text, " ");
        if (fold->indent + bytes > fold->width)
            put_long_word(fold, text, bytes);
        else if (bytes > 0)
            put_word(fold, 1, text, bytes);
        text += bytes + strspn(text + bytes, " ");
    }
}

void hwc_fold_piece(struct hwc_fold *fold, size_t gap, const char *piece)
{
    size_t width = hwc_width_of(piece);

    if (fold->column > fold->indent && fold->column + gap + width > fold->width)
        next_line(fold);
    if (fold->indent + width > fold->width) /* no line holds it */
        hwc_fold_text(fold, piece);
    else
        put_word(fold, gap, piece, strlen(piece));
}

void hwc_fold_end(struct hwc_fold *fold)
{
    fputc('\n', fold->stream);
    fold->column = 0;
}

void hwc_fold_paragraph(struct hwc_fold *fold, const char *label, const char *text)
{
    if (text[0] == '\0')
        return;
    hwc_fold_begin(fold, label);
    hwc_fold_name(fold, text);
    hwc_fold_end(fold);
}
