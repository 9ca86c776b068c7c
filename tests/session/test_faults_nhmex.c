/* Faults at every register access on the Xeon 7500. */
#include "each_fault.h"

int main(void)
{
    return each_fault("virtual:nhmex,part=plain");
}
