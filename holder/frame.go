package holder

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// kind is what a frame is. On the wire a frame is its kind, its length in four bytes, and that many bytes.
type kind byte

const (
	kindHello   kind = 'h' // About, from the holder, first of all
	kindCommand kind = 'c' // Command, from the one who asks
	kindOut     kind = 'o' // bytes of standard output
	kindErr     kind = 'e' // bytes of standard error
	kindCall    kind = 'q' // call: the command wants something of the desk
	kindData    kind = 'd' // bytes that belong to the next call or answer; there may be several
	kindAnswer  kind = 'a' // answer to the call
	kindCancel  kind = 'x' // an interrupt
	kindExit    kind = 'z' // exit, from the holder, last of all
)

// call is what a command wants of the desk. There is one at a time.
type call struct {
	Op   string `json:"op"` // one of the names below
	Name string `json:"name,omitempty"`
	Also string `json:"also,omitempty"` // the other name of same
	File int    `json:"file,omitempty"` // 0 is standard input
	Most int    `json:"most,omitempty"` // bytes to read
}

const (
	opOpen  = "open"
	opRead  = "read"
	opClose = "close"
	opStat  = "stat"
	opPath  = "path"
	opSame  = "same"
	opWrite = "write"
	opEdit  = "edit"
)

// answer is what came of a call.
type answer struct {
	File  int       `json:"file,omitempty"`
	End   bool      `json:"end,omitempty"` // of what is read
	Same  bool      `json:"same,omitempty"`
	Path  string    `json:"path,omitempty"`
	Info  *fileInfo `json:"info,omitempty"`
	Error *fault    `json:"error,omitempty"`
}

type exit struct {
	Code int `json:"code"`
}

// wire sends and receives frames. Several goroutines may send, one may receive.
type wire struct {
	rw   io.ReadWriter
	mu   sync.Mutex
	head [5]byte
}

// send sends bytes as a frame.
func (w *wire) send(k kind, b []byte) error {
	if len(b) > mostFrame {
		return fmt.Errorf("a message has %d bytes, and %d is the most", len(b), mostFrame)
	}
	frame := make([]byte, 0, 5+len(b))
	frame = append(frame, byte(k))
	frame = binary.BigEndian.AppendUint32(frame, uint32(len(b))) //nolint:gosec // bounded above
	frame = append(frame, b...)
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.rw.Write(frame)
	return err //nolint:wrapcheck // of the socket; both callers know what it means
}

// sendJSON sends a value as a frame.
func (w *wire) sendJSON(k kind, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("send: %w", err)
	}
	return w.send(k, b)
}

// sendData sends bytes in as many frames as they take.
func (w *wire) sendData(b []byte) error {
	for len(b) > 0 {
		n := min(len(b), mostFrame)
		if err := w.send(kindData, b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// receive returns the next frame.
func (w *wire) receive() (kind, []byte, error) {
	if _, err := io.ReadFull(w.rw, w.head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(w.head[1:])
	if n > mostFrame {
		return 0, nil, fmt.Errorf("a message has %d bytes, and %d is the most", n, mostFrame)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(w.rw, b); err != nil {
		return 0, nil, fmt.Errorf("a message is cut short: %w", err)
	}
	return kind(w.head[0]), b, nil
}

// receiveJSON returns the next frame, which must be of one kind, as a value.
func (w *wire) receiveJSON(want kind, v any) error {
	k, b, err := w.receive()
	switch {
	case err != nil:
		return err
	case k != want:
		return fmt.Errorf("a message of kind %q came in place of %q", k, want)
	}
	return decode(b, v)
}

func decode(b []byte, v any) error {
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("a message cannot be read: %w", err)
	}
	return nil
}

// gathered is the data that comes before a call or an answer.
type gathered struct{ b []byte }

func (d *gathered) add(b []byte) error {
	if len(d.b)+len(b) > mostWhole {
		return fmt.Errorf("a file has more than %d bytes, which is the most", mostWhole)
	}
	d.b = append(d.b, b...)
	return nil
}

// take returns what was gathered, and begins anew.
func (d *gathered) take() []byte {
	b := d.b
	d.b = nil
	return b
}
