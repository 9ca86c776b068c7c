/* The live page; the build makes these from page.html, page.js and page.css. */
#ifndef BX_SERVE_PAGE_H
#define BX_SERVE_PAGE_H

extern const unsigned char bx_serve_page[], bx_serve_script[], bx_serve_style[];

#endif
