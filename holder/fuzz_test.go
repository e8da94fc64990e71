package holder

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// frames spells frames, for seeds.
func frames(kinds string, bodies ...string) []byte {
	var b strings.Builder
	w := wire{rw: struct {
		io.Reader
		io.Writer
	}{nil, &b}}
	for i, body := range bodies {
		_ = w.send(kind(kinds[i]), []byte(body))
	}
	return []byte(b.String())
}

// talk gives one end of a connection bytes, takes what comes back, and closes it after a moment.
func talk(b []byte) (net.Conn, func()) {
	here, there := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(io.Discard, there)
	}()
	_ = there.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	go func() {
		_, _ = there.Write(b)
		_ = there.Close()
	}()
	return here, func() { _ = here.Close(); <-done }
}

// FuzzListen: whatever another process sends, the holder stays alive and the command ends.
func FuzzListen(f *testing.F) {
	f.Add(frames("c", `{"args":["record","-"]}`))
	f.Add(frames("cdax", `{"args":[]}`, "some input", `{"end":true}`, ""))
	f.Add(frames("ca", `{}`, `{"error":{"op":"open","path":"x","why":"missing","text":"no"}}`))
	f.Add([]byte{'c', 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(_ *testing.T, b []byte) {
		c, end := talk(b)
		defer end()
		l := &Listener{ending: make(chan struct{}), run: func(_ context.Context, e *Errand) int {
			_, _ = io.Copy(e.Stdout, io.LimitReader(e.Stdin, 1<<20))
			if file, err := e.Desk.Open("x"); err == nil {
				_, _ = io.Copy(io.Discard, io.LimitReader(file, 1<<20))
				_ = file.Close()
			}
			_, _ = e.Desk.Stat("x")
			_, _ = e.Desk.Path("x")
			return 0
		}}
		l.serve(context.Background(), c)
	})
}

// FuzzRun: whatever the holder sends, the one who asked ends, and prints what it was told to.
func FuzzRun(f *testing.F) {
	f.Add(frames("oez", "out", "err", `{"code":0}`))
	f.Add(frames("q", `{"op":"read","most":10}`))
	f.Add(frames("qq", `{"op":"open","name":"x"}`, `{"op":"stat"}`))
	f.Add(frames("dqz", "text", `{"op":"write","name":"x"}`, `{"code":-1}`))
	f.Fuzz(func(_ *testing.T, b []byte) {
		n, end := talk(b)
		defer end()
		c := &Conn{c: n, wire: wire{rw: n}}
		_, _ = c.Run(context.Background(), Command{}, Streams{strings.NewReader("in"), io.Discard, io.Discard, nowhere{}})
	})
}

// nowhere is a desk with nothing on it.
type nowhere struct{ local }

func (nowhere) Open(string) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("file")), nil
}
func (nowhere) Write(string, []byte) error { return nil }
