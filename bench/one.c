/* The smallest possible shared library. */
int bench_one(int n);

int bench_one(int n)
{
    return n;
}
