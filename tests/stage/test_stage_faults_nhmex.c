/* Faulty device files on the Xeon 7500. */
#include "stage/fault_injection.h"

int main(void)
{
    return inject_faults("virtual:nhmex,part=plain");
}
