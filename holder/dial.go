package holder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Conn is a way to the process that holds a store. It is good for one command.
type Conn struct {
	About About
	c     net.Conn
	wire  wire
}

// Dial finds the process that holds the store in a folder. It fails with ErrNobody if none runs commands
// of others, ErrUntrusted if it cannot be known to be the user's, ErrSilent or ErrProtocol if it is no use.
// With ErrProtocol About is known.
func Dial(dir string) (*Conn, error) {
	path, err := findSocket(dir)
	if err != nil {
		return nil, err
	}
	n, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"}) // which waits for nobody
	if err != nil {
		return nil, ErrNobody // a process that was killed leaves a socket behind, and nobody answers there
	}
	c := &Conn{c: n, wire: wire{rw: n}}
	_ = n.SetDeadline(time.Now().Add(helloWithin))
	switch err := c.wire.receiveJSON(kindHello, &c.About); {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errors.Join(ErrSilent, n.Close())
	case err != nil:
		return nil, errors.Join(ErrNobody, n.Close()) // it is ending
	case c.About.Protocol != protocol:
		return c, errors.Join(ErrProtocol, n.Close())
	}
	_ = n.SetDeadline(time.Time{})
	return c, nil
}

// Close ends the connection, and a command that runs over it.
func (c *Conn) Close() error { return c.c.Close() }

// Run runs a command line in the other process and returns its exit code. When ctx ends, the command is
// interrupted there, and Run waits for what it still says. ErrEnded says that the other process ended first, ErrNobody
// that it ended before it had the command.
func (c *Conn) Run(ctx context.Context, cmd Command, s Streams) (code int, err error) {
	if err := c.wire.sendJSON(kindCommand, cmd); err != nil {
		return 0, ErrNobody // it has just ended
	}
	stop := context.AfterFunc(ctx, func() { _ = c.wire.send(kindCancel, nil) })
	defer stop()
	d := &deskClerk{Streams: s, ctx: ctx, wire: &c.wire, files: map[int]io.ReadCloser{}}
	defer d.close()
	var data gathered
	for {
		k, b, err := c.wire.receive()
		if err != nil {
			return 0, ErrEnded
		}
		switch k {
		case kindOut:
			_, err = s.Stdout.Write(b)
		case kindErr:
			_, err = s.Stderr.Write(b)
		case kindData:
			err = data.add(b)
		case kindCall:
			var q call
			if err = decode(b, &q); err == nil {
				err = d.take(q, data.take())
			}
		case kindExit:
			var x exit
			if err := decode(b, &x); err != nil || x.Code < 0 || x.Code > 255 {
				return 0, ErrEnded
			}
			return x.Code, nil
		default:
			err = fmt.Errorf("a message of kind %q came, which is not known", k)
		}
		if err != nil {
			return 0, err
		}
	}
}

// deskClerk does at the desk what the command in the other process wants.
type deskClerk struct {
	Streams
	ctx   context.Context //nolint:containedctx // of the one Run it belongs to
	wire  *wire
	busy  sync.Mutex // held while something is done; there is one at a time
	files map[int]io.ReadCloser
	last  int // file that was opened last
}

var errTwo = errors.New("two things were asked for at one time")

// take begins to do something. It goes on beside what is printed meanwhile: reading may wait for a person.
func (d *deskClerk) take(q call, data []byte) error {
	if !d.busy.TryLock() {
		return errTwo
	}
	go func() {
		a, out, err := d.do(q, data)
		if a.Error = faultOf(err); err != nil {
			out = nil
		}
		d.busy.Unlock() // before the answer, after which the next call may come
		if d.wire.sendData(out) == nil {
			_ = d.wire.sendJSON(kindAnswer, a) // if it fails, Run finds out by itself
		}
	}()
	return nil
}

func (d *deskClerk) do(q call, data []byte) (a answer, out []byte, err error) {
	switch q.Op {
	case opOpen:
		a.File, err = d.open(q.Name)
	case opRead:
		out, a.End, err = d.read(q.File, q.Most)
	case opClose:
		if f := d.files[q.File]; f != nil {
			delete(d.files, q.File)
			err = f.Close()
		}
	case opStat:
		var info os.FileInfo
		if info, err = d.Desk.Stat(q.Name); err == nil {
			a.Info = infoOf(info)
		}
	case opPath:
		a.Path, a.Info, err = d.path(q.Name)
	case opSame:
		a.Same = d.Desk.Same(q.Name, q.Also)
	case opWrite:
		err = d.Desk.Write(q.Name, data)
	case opEdit:
		out, err = d.Desk.Edit(d.ctx, q.Name, data)
	default:
		err = fmt.Errorf("%q was asked for, which is not known", q.Op)
	}
	return a, out, err
}

func (d *deskClerk) open(name string) (int, error) {
	if len(d.files) >= mostFiles {
		return 0, fmt.Errorf("%d files are open, which is the most", mostFiles)
	}
	f, err := d.Desk.Open(name)
	if err != nil {
		return 0, err
	}
	d.last++
	d.files[d.last] = f
	return d.last, nil
}

// read reads some bytes of a file, or of standard input.
func (d *deskClerk) read(file, most int) (b []byte, end bool, err error) {
	in := d.Stdin
	if file != 0 {
		f := d.files[file]
		if f == nil {
			return nil, false, fmt.Errorf("file %d is not open", file)
		}
		in = f
	}
	b = make([]byte, min(max(most, 1), mostRead))
	n, err := in.Read(b)
	if errors.Is(err, io.EOF) {
		return b[:n], true, nil
	}
	if n > 0 { // the error comes with the next read
		err = nil
	}
	return b[:n], false, err
}

func (d *deskClerk) path(name string) (string, *fileInfo, error) {
	name, err := d.Desk.Path(name)
	if err != nil {
		return "", nil, err
	}
	info, err := os.Stat(name)
	if err != nil {
		return "", nil, err
	}
	path, err := filepath.Abs(name)
	return path, infoOf(info), err
}

// close closes what the command left open. What still reads is left behind; the process ends soon.
func (d *deskClerk) close() {
	if d.busy.TryLock() {
		for _, f := range d.files {
			_ = f.Close() // only read
		}
		d.busy.Unlock()
	}
}
