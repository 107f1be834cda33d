#ifndef LIST_H
#define LIST_H

typedef struct list {
    struct list *next;
    int value;
} List;

enum order { UP, DOWN };

int list_sum(const List *list);

#endif
