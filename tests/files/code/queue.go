// Package queue is a fixture.
package queue

import (
	"errors"
	str "strings"
)

// ErrEmpty is returned by Pop.
var ErrEmpty = errors.New("empty")

const (
	Small = iota
	Large
)

// Named has a name.
type Named interface {
	Name() string
}

type base struct{ label string }

func (b base) Name() string { return str.ToUpper(b.label) }

// Queue is a queue of named values.
type Queue[T Named] struct {
	base
	items []T
	next  *Queue[T]
}

type Handler func(n Named) error

func (h Handler) Handle(n Named) error { return h(n) }

func New[T Named](label string) *Queue[T] {
	return &Queue[T]{base: base{label: label}}
}

func (q *Queue[T]) Push(items ...T) *Queue[T] {
	for _, item := range items {
		q.items = append(q.items, item)
		_ = item.Name()
	}
	return q
}

func (q *Queue[T]) Pop() (first T, err error) {
	if len(q.items) == 0 {
		return first, ErrEmpty
	}
	first, q.items = q.items[0], q.items[1:]
	return
}

func run(value any) string {
	switch v := value.(type) {
	case *base:
		return v.Name()
	}
	q := New[base]("q").Push(base{})
	if first, err := q.Pop(); err == nil {
		return first.Name()
	}
	return q.Name()
}
