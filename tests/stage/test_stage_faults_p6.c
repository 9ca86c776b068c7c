#include "stage/spoilt.h"

int main(void)
{
    return spoilt("virtual:p6");
}
