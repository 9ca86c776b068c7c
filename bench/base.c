/* Calls a shared library of one function (bench/one.c): the baseline for bench/first.c. */
int bench_one(int n);

int main(void)
{
    return bench_one(0);
}
