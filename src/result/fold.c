#include "fold.h"

#include <string.h>

size_t hwc_width_of(const char *text)
{
    size_t width = 0;

    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80; /* UTF-8's further bytes take no column */
    return width;
}

static void put(struct hwc_fold *fold, const char *text, size_t bytes)
{
    char word[512];

    while (bytes > 0) {
        size_t part = bytes < sizeof word - 1 ? bytes : sizeof word - 1;
        memcpy(word, text, part);
        word[part] = '\0';
        fputs(word, fold->stream);
        fold->column += hwc_width_of(word);
        text += part;
        bytes -= part;
    }
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
    if (fold->column > fold->indent && fold->column + gap + bytes > fold->width)
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
