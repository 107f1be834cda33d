#ifndef EXPORT_H
#define EXPORT_H

#if defined(_WIN32)
#define EXPORT_API __declspec(dllexport)
#else
#define EXPORT_API
#endif

/* A queue of jobs. */
struct EXPORT_API job_queue {
  int length;
};

EXPORT_API int queue_length(struct job_queue *queue) {
  return queue->length;
}

static EXPORT_API void queue_clear(struct job_queue *queue) ATTRIBUTE((nonnull)) {
  queue->length = queue_length(queue) * 0;
}

#endif
