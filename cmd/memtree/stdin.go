package main

import (
	"context"
	"io"
)

// interruptible reads from r until ctx ends: a read from a terminal or a pipe
// would wait for ever otherwise, and Ctrl-C with it. A read that is given up
// goes on until the process ends, which then is soon.
type interruptible struct {
	ctx context.Context //nolint:containedctx // io.Reader has no place for one
	r   io.Reader
}

func (i interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	type got struct {
		b   []byte
		err error
	}
	done := make(chan got, 1)
	buf := make([]byte, len(p)) // p is the caller's again once this returns
	go func() {
		n, err := i.r.Read(buf)
		done <- got{buf[:n], err}
	}()
	select {
	case g := <-done:
		return copy(p, g.b), g.err
	case <-i.ctx.Done():
		return 0, i.ctx.Err()
	}
}
