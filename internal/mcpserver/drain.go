package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// drainWithin is how long running calls may take after the client's last message.
const drainWithin = 10 * time.Second

// drainedTransport reports the end of input only after every earlier request is answered. Without it, a client that
// sends calls and closes its end at once would miss the answers to its calls.
type drainedTransport struct{ mcp.Transport }

// Connect connects the inner transport. See mcp.Transport.
func (d drainedTransport) Connect(ctx context.Context) (mcp.Connection, error) { //nolint:ireturn // the SDK's contract
	c, err := d.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &draining{Connection: c, open: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1),
		closed: make(chan struct{})}, nil
}

// draining is a connection that tracks the requests without an answer.
type draining struct {
	mcp.Connection
	mu       sync.Mutex
	open     map[jsonrpc.ID]bool
	answered chan struct{}
	closed   chan struct{} // the server ends the session: it waits for no answer
	once     sync.Once
}

func (d *draining) Read(ctx context.Context) (jsonrpc.Message, error) { //nolint:ireturn // as above
	msg, err := d.Connection.Read(ctx)
	if err != nil {
		d.wait(ctx)
		return nil, err
	}
	if r, ok := msg.(*jsonrpc.Request); ok && r.IsCall() {
		d.mu.Lock()
		d.open[r.ID] = true
		d.mu.Unlock()
	}
	return msg, nil
}

func (d *draining) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := d.Connection.Write(ctx, msg)
	if r, ok := msg.(*jsonrpc.Response); ok {
		d.mu.Lock()
		delete(d.open, r.ID)
		d.mu.Unlock()
		select {
		case d.answered <- struct{}{}:
		default:
		}
	}
	return err
}

// wait waits until no request is open.
func (d *draining) wait(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, drainWithin)
	defer cancel()
	for {
		d.mu.Lock()
		left := len(d.open)
		d.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-d.answered:
		case <-d.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (d *draining) Close() error {
	d.once.Do(func() { close(d.closed) })
	return d.Connection.Close()
}
