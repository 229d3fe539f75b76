#include "parts.h"

#include <string.h>

unsigned ctr_parts(const char *native, char part[CTR_MOST_PARTS][HWC_NATIVE_NAME])
{
    for (unsigned count = 0; count < CTR_MOST_PARTS; count++) {
        size_t length = strcspn(native, "+");
        if (length == 0 || length >= HWC_NATIVE_NAME)
            return 0;
        memcpy(part[count], native, length);
        part[count][length] = '\0';
        if (native[length] == '\0')
            return count + 1;
        native += length + 1;
    }
    return 0;
}
