/* Faults at every register access on Ivy Bridge-EP. */
#include "each_fault.h"

int main(void)
{
    return each_fault("virtual:ivbep,part=plain");
}
