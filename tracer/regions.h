/* Regions that the program marks (include/boxscore/region.h). */
#ifndef BX_TRACER_REGIONS_H
#define BX_TRACER_REGIONS_H

void bx_regions_setup(void); /* call it when the tool is registered */

#endif
