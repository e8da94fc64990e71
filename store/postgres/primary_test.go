//go:build unix

package postgres_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/store/postgres/pgtest"
	"github.com/memtree/memtree/tree"
)

// relay forwards connections to a server. Hang makes those that there are hang: they stay open, and nothing passes.
type relay struct {
	net.Listener
	to    string
	mu    sync.Mutex
	hung  *atomic.Bool // of the connections that are made now
	conns []net.Conn
}

func newRelay(t *testing.T, port int) *relay {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &relay{Listener: l, to: fmt.Sprint("127.0.0.1:", port), hung: new(atomic.Bool)}
	t.Cleanup(func() { _ = l.Close() })
	go r.run()
	return r
}

func (r *relay) run() {
	for {
		client, err := r.Accept()
		if err != nil {
			return
		}
		server, err := (&net.Dialer{}).Dial("tcp", r.to)
		if err != nil {
			_ = client.Close()
			continue
		}
		r.mu.Lock()
		hung := r.hung
		r.conns = append(r.conns, client)
		r.mu.Unlock()
		go forward(server, client, hung)
		go forward(client, server, hung)
	}
}

// forward copies until an end, and closes both unless they hang.
func forward(to, from net.Conn, hung *atomic.Bool) {
	b := make([]byte, 1<<16)
	for {
		n, err := from.Read(b)
		if hung.Load() {
			_, _ = io.Copy(io.Discard, from) // as a kernel acknowledges for a program that is stopped
			return
		}
		if err == nil {
			_, err = to.Write(b[:n])
		}
		if err != nil {
			_ = errors.Join(to.Close(), from.Close())
			return
		}
	}
}

func (r *relay) hang() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hung.Store(true)
	r.hung = new(atomic.Bool)
}

// end closes the connections of clients, also those that hang.
func (r *relay) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.conns {
		_ = c.Close()
	}
}

// TestHungPrimary: what was on its way to a server that hangs, without an end of its connections, is made on the one
// that has become the primary, once.
func TestHungPrimary(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	r := newRelay(t, server.Port)
	a := address(t, server)
	through, err := postgres.Parse(fmt.Sprintf("postgres://postgres@%s/postgres?sslmode=disable&tree=%s", r.Addr(),
		a.Tree))
	require.NoError(t, err)
	s := opened(t, through)
	_, err = s.Commit(t.Context(), entries("", 1))
	require.NoError(t, err)
	release := lockTree(t, server, a)
	defer release()
	var both sync.WaitGroup
	both.Go(func() {
		_, err := s.Commit(t.Context(), entries("", 2))
		require.NoError(t, err)
	})
	time.Sleep(200 * time.Millisecond)
	r.hang()
	both.Go(func() { // on a connection that hangs, or on one that is still to come
		_, err := s.Accept(t.Context(), []tree.Evaluation{run(1)})
		require.NoError(t, err)
	})
	time.Sleep(200 * time.Millisecond)
	server.Kill()
	require.NoError(t, server.Run())
	done := make(chan struct{})
	go func() {
		both.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		r.end() // which lets everything end
		t.Fatal("what was on its way waits for the server that hangs")
	}
	require.Equal(t, map[string]int{"v1": 1, "v2": 1}, count(t, s))
}
