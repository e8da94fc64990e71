package access

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"time"
)

// listener runs commands of other processes of the same user, until Close.
type listener struct {
	place  *socketPlace
	about  Owner
	run    runCommand
	ending chan struct{} // closed by Close
	cancel context.CancelFunc
	errand sync.WaitGroup
	closed sync.Once
	err    error
}

// Listen accepts commands of other processes for the store in the folder dir, which this process holds, and calls run
// for each until the result is closed. about describes this process to them. The end of ctx does not end it.
func Listen(ctx context.Context, dir string, about Owner, run runCommand) (io.Closer, error) {
	p, err := makeSocket(dir)
	if err != nil {
		return nil, err
	}
	about.Protocol, about.PID = protocol, os.Getpid()
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &listener{place: p, about: about, run: run, ending: make(chan struct{}), cancel: cancel}
	l.errand.Go(func() { l.accept(ctx) })
	return l, nil
}

// Close accepts no more commands, lets running ones continue for finishWithin, cancels them, and waits. Call it before
// closing the memory.
func (l *listener) Close() error {
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

// accept runs each incoming command in its own goroutine.
func (l *listener) accept(ctx context.Context) {
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

// serve sends the Owner and runs one command.
func (l *listener) serve(ctx context.Context, c net.Conn) {
	defer c.Close() //nolint:errcheck // what matters was sent before
	_ = c.SetDeadline(time.Now().Add(askWithin))
	s := &session{wire: newWire(c), in: make(chan toHolder, 1), gone: make(chan struct{})}
	var cmd commandLine
	if s.wire.Encode(l.about) != nil || s.wire.Decode(&cmd) != nil {
		return // it only read the Owner, or is another program
	}
	_ = c.SetDeadline(time.Time{})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { // disconnects a client that does not read
		time.AfterFunc(finishWithin, func() { _ = c.Close() })
	})
	defer stop()
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		s.listen(cancel)
	}()
	code := l.guarded(ctx, &RemoteCommand{
		commandLine: cmd, Stdin: s, Stdout: remoteStream{s, false}, Stderr: remoteStream{s, true},
		SameFiles: cmd.DirID == seen(cmd.Dir), Ending: l.ending,
	})
	_ = s.send(fromHolder{Ended: true, Code: code}) // the client may be gone
	_ = c.Close()
	<-reading
}

// guarded runs a command. A panic ends only that command.
func (l *listener) guarded(ctx context.Context, e *RemoteCommand) (code int) {
	defer func() {
		if r := recover(); r != nil {
			_, _ = io.WriteString(e.Stderr, "memtree: the command failed inside, and what it acknowledged is kept\n"+
				string(debug.Stack()))
			code = 1
		}
	}()
	return l.run(ctx, e)
}

// session is one command of another process. It reads that process's standard input, for one reader at a time.
type session struct {
	wire    wire
	sending sync.Mutex
	in      chan toHolder
	gone    chan struct{} // closed when the client is gone
	rest    []byte
	end     error // of standard input; nil: not reached
}

// listen receives the client's messages until it is gone. Then, and on an interrupt, it cancels the command.
func (s *session) listen(cancel context.CancelFunc) {
	defer close(s.gone)
	defer cancel()
	for {
		var m toHolder
		if s.wire.Decode(&m) != nil {
			return
		}
		if m.Cancel {
			cancel()
			continue
		}
		select {
		case s.in <- m:
		default:
			return // not requested
		}
	}
}

func (s *session) send(m fromHolder) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	if s.wire.Encode(m) != nil {
		return errEnded
	}
	return nil
}

func (s *session) Read(p []byte) (int, error) {
	if len(s.rest) == 0 && s.end == nil && len(p) > 0 {
		if err := s.send(fromHolder{Want: len(p)}); err != nil {
			return 0, err
		}
		select {
		case m := <-s.in:
			s.rest = m.In
			if m.End {
				s.end = io.EOF
			}
			if m.Error != "" {
				s.end = errors.New(m.Error)
			}
		case <-s.gone:
			return 0, errEnded
		}
	}
	if len(s.rest) == 0 && s.end != nil {
		return 0, s.end
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// remoteStream is standard output or error of the other process.
type remoteStream struct {
	s    *session
	errs bool
}

func (o remoteStream) Write(b []byte) (int, error) {
	m := fromHolder{Out: b}
	if o.errs {
		m = fromHolder{Err: b}
	}
	if err := o.s.send(m); err != nil {
		return 0, err
	}
	return len(b), nil
}
