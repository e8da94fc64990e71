package holder

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Run runs a command of another process, and returns its exit code.
type Run func(ctx context.Context, e *Errand) int

// Listener runs commands of other processes of the same user, until Close.
type Listener struct {
	place  *place
	about  About
	run    Run
	ending chan struct{} // closed: no more, and what has no end of its own ends
	cancel context.CancelFunc
	errand sync.WaitGroup
	closed sync.Once
	err    error
}

// Listen makes this process, which holds the store in a folder, run the commands of others until Close. That ctx ends
// does not end it.
func Listen(ctx context.Context, dir string, about About, run Run) (*Listener, error) {
	p, err := makeSocket(dir)
	if err != nil {
		return nil, err
	}
	about.Protocol, about.PID = protocol, os.Getpid()
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &Listener{place: p, about: about, run: run, ending: make(chan struct{}), cancel: cancel}
	l.errand.Go(func() { l.accept(ctx) })
	return l, nil
}

// Close takes no more commands, gives those under way some time, ends them, and waits for that. Call it before the
// memory is closed.
func (l *Listener) Close() error {
	l.closed.Do(func() {
		close(l.ending)
		l.err = l.place.remove()
		late := time.AfterFunc(finishWithin, l.cancel)
		l.errand.Wait()
		late.Stop()
		l.cancel()
	})
	return l.err
}

// accept runs each command that comes in a goroutine of its own.
func (l *Listener) accept(ctx context.Context) {
	places := make(chan struct{}, mostErrands)
	for {
		select {
		case places <- struct{}{}:
		case <-l.ending:
			return
		}
		c, err := l.place.l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as too many open files
			<-places
			select {
			case <-time.After(100 * time.Millisecond):
			case <-l.ending:
				return
			}
			continue
		}
		l.errand.Go(func() {
			defer func() { <-places }()
			l.serve(ctx, c)
		})
	}
}

// serve says who holds the store, and runs one command.
func (l *Listener) serve(ctx context.Context, c net.Conn) {
	defer c.Close()                              //nolint:errcheck // what matters was sent before
	_ = c.SetDeadline(time.Now().Add(askWithin)) // a closed connection is noticed by what follows
	s := &session{wire: wire{rw: c}, answers: make(chan reply, 1), gone: make(chan struct{})}
	var cmd Command
	if s.sendJSON(kindHello, l.about) != nil || s.receiveJSON(kindCommand, &cmd) != nil {
		return // it only wanted to know who is here, or is not one of ours
	}
	_ = c.SetDeadline(time.Time{})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { // who is slower than that to end is cut off
		time.AfterFunc(finishWithin, func() { _ = c.Close() })
	})
	defer stop()
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		s.listen(cancel)
	}()
	e := &Errand{
		Command: cmd, Stdin: &remoteFile{s: s}, Stdout: stream{s, kindOut}, Stderr: stream{s, kindErr},
		Desk: remoteDesk{s}, Ending: l.ending,
	}
	code := l.guarded(ctx, e)
	_ = s.sendJSON(kindExit, exit{code}) // nobody is left to be told that this failed
	_ = c.Close()
	<-reading
}

// guarded runs a command. One that panics does not take the process along that others rely on.
func (l *Listener) guarded(ctx context.Context, e *Errand) (code int) {
	defer func() {
		if r := recover(); r != nil {
			_, _ = io.WriteString(e.Stderr, "memtree: the command failed inside, and what it acknowledged is kept\n"+
				string(debug.Stack()))
			code = 1
		}
	}()
	return l.run(ctx, e)
}

// reply is an answer with its data.
type reply struct {
	answer
	data []byte
}

// session is one command of another process, as this one sees it.
type session struct {
	wire
	calls   sync.Mutex    // one at a time
	asked   atomic.Bool   // and not answered yet
	answers chan reply    // has room for the one
	gone    chan struct{} // closed: the other process no longer listens
}

// listen takes what the other process sends, until it ends. Then, and on an interrupt, the command is cancelled.
func (s *session) listen(cancel context.CancelFunc) {
	defer close(s.gone)
	defer cancel()
	var data gathered
	for {
		k, b, err := s.receive()
		if err != nil {
			return
		}
		switch k {
		case kindCancel:
			cancel()
		case kindData:
			err = data.add(b)
		case kindAnswer:
			r := reply{data: data.take()}
			if err = decode(b, &r.answer); err == nil {
				if !s.asked.CompareAndSwap(true, false) {
					return // nobody did
				}
				s.answers <- r
			}
		default:
			return
		}
		if err != nil {
			return
		}
	}
}

// ask has the other process do something at its desk.
func (s *session) ask(c call, data []byte) (reply, error) {
	s.calls.Lock()
	defer s.calls.Unlock()
	s.asked.Store(true)
	if err := s.sendData(data); err != nil {
		return reply{}, ErrEnded
	}
	if err := s.sendJSON(kindCall, c); err != nil {
		return reply{}, ErrEnded
	}
	select {
	case r := <-s.answers:
		return r, r.Error.err()
	case <-s.gone:
		return reply{}, ErrEnded
	}
}

// stream is standard output or error of the other process.
type stream struct {
	s *session
	k kind
}

func (o stream) Write(b []byte) (n int, err error) {
	for n < len(b) {
		part := b[n:min(len(b), n+mostRead)]
		if err := o.s.send(o.k, part); err != nil {
			return n, ErrEnded
		}
		n += len(part)
	}
	return n, nil
}
