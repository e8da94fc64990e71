package jsonstore

import (
	"iter"
	"math/rand/v2"
)

// sorted is an immutable map, sorted by key. put and del return another map, which shares the equal parts. So a reader
// uses its map while a writer makes the next one, and neither waits for the other.
//
// It is a treap (Seidel and Aragon, Randomized Search Trees, Algorithmica 16, 1996). The zero value is empty.
type sorted[V any] struct {
	root *twig[V]
	n    int
}

// twig is a node of the treap: keys are in order from left to right, and no priority exceeds that of its parent.
type twig[V any] struct {
	key         string
	val         V
	pri         uint32
	left, right *twig[V]
}

func (s sorted[V]) get(key string) (V, bool) {
	for t := s.root; t != nil; {
		switch {
		case key < t.key:
			t = t.left
		case key > t.key:
			t = t.right
		default:
			return t.val, true
		}
	}
	var none V
	return none, false
}

func (s sorted[V]) put(key string, val V) sorted[V] {
	//nolint:gosec // the shape of a tree in memory, no secret
	root, added := put(s.root, &twig[V]{key: key, val: val, pri: rand.Uint32()})
	return sorted[V]{root: root, n: s.n + added}
}

// put returns a copy of t with add in it, and 1 if its key is new.
func put[V any](t, add *twig[V]) (*twig[V], int) {
	if t == nil {
		return add, 1
	}
	c := *t
	n := 0
	switch {
	case add.key < t.key:
		c.left, n = put(t.left, add)
		if l := c.left; l.pri > c.pri { // l may be changed, since put has just made it
			c.left, l.right = l.right, &c
			return l, n
		}
	case add.key > t.key:
		c.right, n = put(t.right, add)
		if r := c.right; r.pri > c.pri {
			c.right, r.left = r.left, &c
			return r, n
		}
	default:
		c.val = add.val
	}
	return &c, n
}

func (s sorted[V]) del(key string) sorted[V] {
	if _, ok := s.get(key); !ok {
		return s
	}
	return sorted[V]{root: del(s.root, key), n: s.n - 1}
}

// del returns a copy of t without the key, which must be in it.
func del[V any](t *twig[V], key string) *twig[V] {
	if key == t.key {
		return join(t.left, t.right)
	}
	c := *t
	if key < t.key {
		c.left = del(t.left, key)
	} else {
		c.right = del(t.right, key)
	}
	return &c
}

// join returns the union of two trees. Every key of a is before every key of b.
func join[V any](a, b *twig[V]) *twig[V] {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.pri > b.pri:
		c := *a
		c.right = join(a.right, b)
		return &c
	default:
		c := *b
		c.left = join(a, b.left)
		return &c
	}
}

// from yields the entries whose keys are not before key, in order.
func (s sorted[V]) from(key string) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		c := s.cursor(key)
		for t := c.next(); t != nil; t = c.next() {
			if !yield(t.key, t.val) {
				return
			}
		}
	}
}

// cursor walks through a sorted map, one entry at a time.
type cursor[V any] struct{ stack []*twig[V] }

// cursor returns a cursor before the first key that is not less than key.
func (s sorted[V]) cursor(key string) *cursor[V] {
	c := &cursor[V]{}
	for t := s.root; t != nil; {
		if t.key < key {
			t = t.right
			continue
		}
		c.stack = append(c.stack, t)
		t = t.left
	}
	return c
}

// next returns the next twig, nil after the last.
func (c *cursor[V]) next() *twig[V] {
	if len(c.stack) == 0 {
		return nil
	}
	top := c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
	for t := top.right; t != nil; t = t.left {
		c.stack = append(c.stack, t)
	}
	return top
}
