#include "html.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "fold.h"
#include "text.h"

/* Bytes of the UTF-8 sequence that begins with this byte; 0 = none does. */
static size_t length_after(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first < 0xe0)
        return 2;
    if (first >= 0xe0 && first < 0xf0)
        return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/* Bytes of the character here; 0 = it is none that a page may hold. */
static size_t character_at(const unsigned char *text)
{
    size_t length = length_after(text[0]);

    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] >= 0xa0) || /* too long; surrogates */
        (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] >= 0x90))
        return 0;
    return length == 1 && (text[0] < ' ' || text[0] == 127) && text[0] != '\n' && text[0] != '\t' ? 0 : length;
}

static const char *escape_of(char character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void hwc_html_text(FILE *stream, const char *text)
{
    while (*text != '\0') {
        size_t length = character_at((const unsigned char *)text);
        const char *escape = escape_of(*text);
        if (length == 0)
            fputs("\xef\xbf\xbd", stream);
        else if (escape != NULL)
            fputs(escape, stream);
        else
            fwrite(text, 1, length, stream);
        text += length > 0 ? length : 1;
    }
}

void hwc_html_element(FILE *stream, const char *name, const char *attributes, const char *format, ...)
{
    char text[2 * HWC_MESSAGE];
    va_list arguments;

    va_start(arguments, format);
    hwc_write_list(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stream, "<%s%s%s>", name, attributes[0] != '\0' ? " " : "", attributes);
    hwc_html_text(stream, text);
    fprintf(stream, "</%s>", name);
}

void hwc_svg_text(FILE *stream, double x, double y, enum hwc_anchor anchor, const char *class, const char *text)
{
    static const char *const anchors[] = {
        [HWC_FROM_HERE] = "", [HWC_AROUND_HERE] = " text-anchor=\"middle\"", [HWC_UP_TO_HERE] = " text-anchor=\"end\""};

    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\"%s class=\"%s\">", x, y, anchors[anchor], class);
    hwc_html_text(stream, text);
    fputs("</text>", stream);
}

void hwc_svg_text_within(FILE *stream, double x, double y, double from, double to, const char *class, const char *text)
{
    double half = hwc_svg_width(text) / 2;

    hwc_svg_text(stream, fmax(from + half, fmin(x, to - half)), y, HWC_AROUND_HERE, class, text);
}

void hwc_svg_line(FILE *stream, double x1, double y1, double x2, double y2, const char *class)
{
    fprintf(stream, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>", x1, y1, x2, y2, class);
}

double hwc_svg_width(const char *text)
{
    const double character = 6.6; /* at the 12 pixels that the style sheet sets */

    return character * (double)hwc_width_of(text);
}
