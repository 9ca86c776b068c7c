/* Cores that ask for work in an order chosen by hand. The model executes nothing. */
#include "../cmocked.h"

#include "machine/program/task/task_cores.h"
#include "model/model.h"

enum { X = 5 };

struct cores {
    bx_tasks tasks;
    bx_model *model;
    bx_task_cores *cores;
};

static void begin_cores(struct cores *c, unsigned n)
{
    const bx_model_shape shape = {.packages = 1, .cores = n, .slices = n, .llc_bytes = 1 << 20};
    bx_core_list list = {.n = n};
    for (unsigned i = 0; i < n; i++)
        list.core[i] = (unsigned char)i;
    bx_error e;
    assert_non_null(c->model = bx_model_new("client", &shape, &e));
    assert_true(bx_tasks_begin(&c->tasks, &list, false));
    assert_non_null(c->cores = bx_task_cores_new(&c->tasks, c->model, &list, false));
    for (unsigned i = 0; i < n; i++)
        bx_model_feed(c->model, i, bx_task_cores_feed(c->cores, i));
}

static void end_cores(struct cores *c)
{
    bx_task_cores_free(c->cores);
    bx_tasks_end(&c->tasks);
    bx_model_free(c->model);
}

static bx_task *make_task(struct cores *c)
{
    bx_task *t = bx_task_new(&c->tasks, (bx_point){NULL, 0});
    assert_non_null(t);
    return t;
}

static void add_store(struct cores *c, bx_task *t)
{
    size_t room;
    bx_access *to = bx_task_room(&c->tasks, t, 1, &room);
    assert_non_null(to);
    *to = bx_access_make(X, BX_STORE, 0, 1);
    bx_task_add(t, 1);
}

static enum bx_feed_state ask(struct cores *c, unsigned core)
{
    bx_feed *feed = bx_task_cores_feed(c->cores, core);
    return feed->refill(feed);
}

/* Two tasks on a core each. The first one stores twice, in one batch, which its core takes. The
 * second one waits for the first of these stores, and then makes so many itself. */
static void begin_wait(struct cores *c, unsigned stores)
{
    begin_cores(c, 2);
    bx_task *first = make_task(c), *second = make_task(c);
    add_store(c, first);
    add_store(c, first);
    bx_task_hand_over(&c->tasks, first);
    bx_task_wait(&c->tasks, second, (bx_point){first, 1});
    bx_task_point(&c->tasks, second);
    for (unsigned i = 0; i < stores; i++)
        add_store(c, second);
    bx_task_complete(&c->tasks, first);
    bx_task_complete(&c->tasks, second);
    bx_tasks_set_over(&c->tasks);
    assert_int_equal(ask(c, 0), BX_FEED_MORE);
}

static void a_core_waits_for_an_access_in_the_middle_of_a_batch(void **state)
{
    (void)state;
    struct cores c;
    begin_wait(&c, 1);
    assert_int_equal(ask(&c, 1), BX_FEED_WAITS);
    assert_int_equal(ask(&c, 1), BX_FEED_MORE); /* the model: the access is made */
    assert_int_equal(ask(&c, 0), BX_FEED_WAITS);
    assert_int_equal(ask(&c, 1), BX_FEED_END);
    end_cores(&c);
}

/* The second task's batch is over as soon as another core asks after the first store. */
static void a_wait_may_be_over_before_its_core_is_asked(void **state)
{
    (void)state;
    struct cores c;
    begin_wait(&c, 0);
    assert_int_equal(ask(&c, 1), BX_FEED_WAITS);
    assert_int_equal(ask(&c, 0), BX_FEED_END); /* core 0 has made both, and finds the wait over */
    assert_int_equal(ask(&c, 1), BX_FEED_END);
    end_cores(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_waits_for_an_access_in_the_middle_of_a_batch),
        cmocka_unit_test(a_wait_may_be_over_before_its_core_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
