/* Writes foreign text as XML 1.0, in an attribute or between tags. */
#ifndef BX_BASE_XML_H
#define BX_BASE_XML_H

#include "base/buf.h"

/* Appends text; characters that are not printable, which XML cannot hold, become '?'. */
void bx_xml_text(bx_buf *to, bx_str text);

#endif
