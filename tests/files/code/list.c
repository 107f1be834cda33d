#include "list.h"
#include <stdlib.h>

#define MAX_LENGTH 100
#define SQUARE(x) ((x) * (x))

typedef int (*compare)(int, int);

static int twice(int value) {
    return value * 2;
}

/* Adds the values of a list. */
int list_sum(const List *list) {
    int sum = 0;
    for (; list; list = list->next) {
        sum += twice(list->value);
    }
    return SQUARE(sum);
}

struct list *list_new(int value)
{
    List *list = malloc(sizeof(List));
    list->value = value;
    return list;
}
