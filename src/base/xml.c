/* Writes foreign text as XML. */
#include "base/xml.h"

#include "base/printable.h"

#include <string.h>

void bx_xml_text(bx_buf *to, bx_str text)
{
    static const char bytes[] = "<>&\"'";
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
    while (text.n) {
        bx_str character = bx_next_printable(&text);
        const char *special = strchr(bytes, *character.p);
        if (special)
            bx_buf_z(to, names[special - bytes]);
        else
            bx_buf_str(to, character);
    }
}
