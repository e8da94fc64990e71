package access

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// Conn is a connection to the process that holds a store, for one command.
type Conn struct {
	About Owner // describes the process that holds the store
	c     net.Conn
	wire  wire
	send  sync.Mutex // held for Encode
}

// Dial connects to the process that holds the store in the folder dir. It fails with errNobody if no process accepts
// commands, errUntrusted if another user may have made the socket, errSilent if the process does not answer, and
// errProtocol if its version does not fit. In the last case the Conn is closed but not nil, and About describes the
// process.
func Dial(dir string) (*Conn, error) {
	n, err := dial(dir)
	if err != nil {
		return nil, err
	}
	c := &Conn{c: n, wire: newWire(n)}
	_ = n.SetDeadline(time.Now().Add(helloWithin))
	switch err := c.wire.Decode(&c.About); {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errors.Join(errSilent, n.Close())
	case err != nil:
		return nil, errors.Join(errNobody, n.Close()) // it is ending
	case c.About.Protocol != protocol:
		return c, errors.Join(errProtocol, n.Close())
	}
	_ = n.SetDeadline(time.Time{})
	return c, nil
}

// Close closes the connection, which ends its command.
func (c *Conn) Close() error { return c.c.Close() }

func (c *Conn) tell(m any) error {
	c.send.Lock()
	defer c.send.Unlock()
	return c.wire.Encode(m)
}

// Run runs a command line in the other process and returns its exit code. When ctx ends, the command is interrupted
// there, and Run waits for its remaining output. It fails with errEnded if the other process ended first, and with
// errNobody if that was before it received the command.
func (c *Conn) Run(ctx context.Context, cmd commandLine, in io.Reader, out, errs io.Writer) (code int, err error) {
	cmd.DirID = seen(cmd.Dir)
	if c.tell(cmd) != nil {
		return 0, errNobody
	}
	stop := context.AfterFunc(ctx, func() { _ = c.tell(toHolder{Cancel: true}) })
	defer stop()
	for {
		var m fromHolder
		if c.wire.Decode(&m) != nil {
			return 0, errEnded
		}
		_, err := out.Write(m.Out)
		if err == nil {
			_, err = errs.Write(m.Err)
		}
		if err != nil {
			return 0, fmt.Errorf("print what the command says: %w", err)
		}
		if m.Ended {
			return m.Code, nil
		}
		if m.Want > 0 {
			go c.hand(in, min(m.Want, mostRead)) // concurrently with output: a read may wait for a person
		}
	}
}

// hand reads standard input once and sends the result. A read that still waits when the command has ended is abandoned;
// the process ends soon.
func (c *Conn) hand(in io.Reader, most int) {
	b := make([]byte, most)
	n, err := in.Read(b)
	for n == 0 && err == nil {
		n, err = in.Read(b)
	}
	m := toHolder{In: b[:n], End: err != nil}
	if err != nil && !errors.Is(err, io.EOF) {
		m.Error = err.Error()
	}
	_ = c.tell(m) // Run detects that the other process is gone
}
