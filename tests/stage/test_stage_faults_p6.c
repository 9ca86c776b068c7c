/* Faulty device files on the P6. */
#include "stage/fault_injection.h"

int main(void)
{
    return inject_faults("virtual:p6,part=plain");
}
