package input

import (
	"context"
	"io"
)

// Until returns a reader that reads from r until ctx ends. A plain read from a terminal or a pipe could block for ever
// and would not notice Ctrl-C. When ctx ends, a blocked read is abandoned.
func Until(ctx context.Context, r io.Reader) io.Reader { return interruptible{ctx, r} }

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
	buf := make([]byte, len(p)) // an abandoned read must not write to p
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
