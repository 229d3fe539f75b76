/* Writing HTML and SVG. All text is escaped; what is no text (control characters, bytes that are no UTF-8) becomes
 * U+FFFD, so that no input can break a page. */
#ifndef HWC_HTML_H
#define HWC_HTML_H

#include <stdio.h>

void hwc_html_text(FILE *stream, const char *text);

/* An element with text. `attributes` go behind its name as they are, and are never text from outside; "" = none. */
void hwc_html_element(FILE *stream, const char *name, const char *attributes, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

enum hwc_anchor { HWC_FROM_HERE, HWC_AROUND_HERE, HWC_UP_TO_HERE };

/* A line of text in a drawing. `class` as attributes above. */
void hwc_svg_text(FILE *stream, double x, double y, enum hwc_anchor anchor, const char *class, const char *text);

/* The same around x, as far as it fits between two ends. */
void hwc_svg_text_within(FILE *stream, double x, double y, double from, double to, const char *class, const char *text);

void hwc_svg_line(FILE *stream, double x1, double y1, double x2, double y2, const char *class);

/* What a text takes in a drawing, about, and rather more than less: no font is known here. */
double hwc_svg_width(const char *text);

/* The style sheet of a page, in parts; NULL ends them. */
extern const char *const hwc_html_style[];

#endif
