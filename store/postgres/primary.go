package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/memtree/memtree/store"
)

// A machine that fails may end no connection: it is gone, cut off, or hangs while its kernel goes on to acknowledge.
// gone is after how long without an answer of the machine a connection has ended, on both sides. suspect is after how
// long a write is asked whether another server has become the primary meanwhile; that is asked again after each again.
const (
	gone    = 10 * time.Second
	suspect = 4 * time.Second
	again   = 2 * time.Second
)

// dialer makes connections that end when their machine is gone.
var dialer = &net.Dialer{
	KeepAliveConfig: net.KeepAliveConfig{
		Enable: true, Idle: gone / 2, Interval: time.Second, Count: int(gone / 2 / time.Second),
	},
	Control: endUnanswered,
}

// errDeposed ends a write on a server that is not the primary any more. It was not made there for anyone: the standby
// without which it is not acknowledged has become the primary.
var errDeposed = fmt.Errorf("%w: another server has become the primary", store.ErrAway)

// server is the key of a connection's data: the start of the server that it is to, and its address.
const server = "memtree.server"

// remember notes to which server a new connection is. It has the server end the connection too if this machine is gone:
// by itself it keeps the lock of a transaction that was cut off in the middle for two hours. A transaction here never
// waits for its client, so one that does has none, or one that hangs.
func remember(ctx context.Context, c *pgx.Conn) error {
	var name string
	err := c.QueryRow(ctx, `SELECT concat(pg_postmaster_start_time(), ' ', inet_server_addr(), ' ', inet_server_port()),
		set_config('idle_in_transaction_session_timeout', $1, false), set_config('tcp_keepalives_idle', $2, false),
		set_config('tcp_keepalives_interval', '1', false), set_config('tcp_keepalives_count', $2, false)`,
		fmt.Sprint(gone.Milliseconds()), fmt.Sprint(int(gone/2/time.Second))).Scan(&name, nil, nil, nil, nil)
	c.PgConn().CustomData()[server] = name
	return err
}

// onPrimary calls write with a connection. If it takes long, and another server is the primary now, the context of
// write ends, and the error is errDeposed. Before another server is the primary a write has all the time that it needs:
// the one that it is on may be slow, or wait for a standby.
func (s *Store) onPrimary(ctx context.Context, write func(context.Context, *pgxpool.Conn) error) error {
	ctx, end := context.WithCancelCause(ctx)
	var on atomic.Value
	watched := make(chan struct{})
	timer := time.AfterFunc(suspect, func() {
		defer close(watched)
		s.watch(ctx, &on, end)
	})
	defer func() {
		if end(nil); !timer.Stop() {
			<-watched
		}
	}()
	conn, err := s.pool.Acquire(ctx)
	if err == nil {
		name, _ := conn.Conn().PgConn().CustomData()[server].(string)
		on.Store(name)
		defer conn.Release()
		err = write(ctx, conn)
	}
	if err == nil || !errors.Is(context.Cause(ctx), errDeposed) {
		return err
	}
	if conn != nil {
		_ = conn.Conn().PgConn().Conn().Close() // there is nobody to say farewell to
	}
	return errDeposed
}

// watch ends a write if it is on another server than a new connection. One that has no connection yet, because the pool
// tries those that it has, is ended too: nothing was sent.
func (s *Store) watch(ctx context.Context, on *atomic.Value, end context.CancelCauseFunc) {
	for ctx.Err() == nil {
		name, err := s.primary(ctx)
		if was, ok := on.Load().(string); err == nil && (!ok || was != name) {
			end(errDeposed)
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
}

// primary returns to which server a new connection is.
func (s *Store) primary(ctx context.Context) (string, error) {
	c, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return "", err
	}
	defer c.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it was only asked
	err = remember(ctx, c)
	name, _ := c.PgConn().CustomData()[server].(string)
	return name, err
}
