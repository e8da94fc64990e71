package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Lines is a transport over a pair of streams with one message a line. A line that is no message of JSON-RPC 2.0, or is
// longer than Most bytes, gets an error as its answer, and the session goes on. It is for one session. It reports the
// end of input once the requests before it are answered, or after ten seconds.
type Lines struct {
	In      io.Reader
	Out     io.Writer
	Most    int        // most bytes of a line
	mu      sync.Mutex // of a write, and of what follows
	met     bool       // there was a message
	foreign error      // the last problem of a line
	failed  bool       // the input cannot be read on
}

// Connect implements mcp.Transport.
func (l *Lines) Connect(ctx context.Context) (mcp.Connection, error) { //nolint:ireturn // the SDK's contract
	c, err := drainedTransport{&mcp.IOTransport{
		Reader: io.NopCloser(&lineReader{lines: l, in: bufio.NewReaderSize(l.In, 64<<10)}), Writer: l,
		MaxLineLength: l.Most + 2,
	}}.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &enduring{c, l}, nil
}

// Foreign returns what was wrong with the last line if no line so far was a message. It returns nil if one was, or if
// there was no line.
func (l *Lines) Foreign() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.met {
		return nil
	}
	return l.foreign
}

// Write writes a message.
func (l *Lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Out.Write(p) //nolint:wrapcheck // io.Writer's contract
}

// Close implements io.Closer. It leaves the output open, because that belongs to the process.
func (l *Lines) Close() error { return nil }

// refuse answers a line with an error.
func (l *Lines) refuse(e *jsonrpc.Error, id json.RawMessage) error {
	l.mu.Lock()
	l.foreign = e
	l.mu.Unlock()
	_, err := l.Write(append(errorAnswer(e, id), '\n'))
	return err
}

// lineReader reads the lines of the input that are messages, and refuses the others.
type lineReader struct {
	lines *Lines
	in    *bufio.Reader
	rest  []byte // of the present line
}

func (r *lineReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if err := r.next(); err != nil {
			r.lines.mu.Lock()
			r.lines.failed = true
			r.lines.mu.Unlock()
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// next reads one line. The last line may end without a newline.
func (r *lineReader) next() error {
	line, long, err := r.line()
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
		return err
	}
	if long {
		return r.lines.refuse(&jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("the message has more "+
			"than %d bytes; shorten the longest text", r.lines.Most)}, nil)
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	if problem, id := problemOf(line); problem != nil {
		return r.lines.refuse(problem, id)
	}
	r.lines.mu.Lock()
	r.lines.met = true
	r.lines.mu.Unlock()
	r.rest = append(line, '\n')
	return nil
}

// line returns a line, with its newline. Of one that is too long it returns the beginning.
func (r *lineReader) line() (line []byte, long bool, err error) {
	for {
		part, err := r.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > r.lines.Most+len("\r\n"); !long {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err //nolint:wrapcheck // io.Reader's contract
		}
	}
}

// enduring is a connection that a message which the protocol forbids does not end, such as a batch in a version
// without batches.
type enduring struct {
	mcp.Connection
	lines *Lines
}

func (c *enduring) Read(ctx context.Context) (jsonrpc.Message, error) { //nolint:ireturn // the SDK's contract
	for {
		msg, err := c.Connection.Read(ctx)
		if err == nil || errors.Is(err, io.EOF) || ctx.Err() != nil || c.lines.over() {
			return msg, err //nolint:wrapcheck // mcp.Connection's contract
		}
		if err := c.lines.refuse(&jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}, nil); err != nil {
			return nil, err
		}
	}
}

func (l *Lines) over() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// Refusal returns the answer to a body that is no message of JSON-RPC 2.0 and no batch of them; nil: it is one.
func Refusal(body []byte) []byte {
	problem, id := problemOf(body)
	if problem == nil {
		return nil
	}
	return errorAnswer(problem, id)
}

// problemOf returns why a text is no message of JSON-RPC 2.0 and no batch of them, and its id if it has a usable one.
func problemOf(b []byte) (*jsonrpc.Error, json.RawMessage) {
	if !json.Valid(b) {
		return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "this is not JSON; send every message as one line of " +
			"JSON-RPC 2.0"}, nil
	}
	invalid := func(why string) *jsonrpc.Error {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "this is no message of JSON-RPC 2.0: " + why}
	}
	var batch []json.RawMessage
	if json.Unmarshal(b, &batch) != nil || kindOf(b) == "null" {
		_, err := jsonrpc.DecodeMessage(b)
		if err == nil {
			return nil, nil
		}
		return invalid(err.Error()), idOf(b)
	}
	if len(batch) == 0 {
		return invalid("the batch is empty"), nil
	}
	for i, m := range batch {
		if _, err := jsonrpc.DecodeMessage(m); err != nil {
			return invalid(fmt.Sprintf("number %d of the batch: %v", i+1, err)), nil
		}
	}
	return nil, nil
}

// idOf returns the id of what is no message, if it is a string or a number; else nil.
func idOf(b []byte) json.RawMessage {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(b, &m) == nil {
		switch kindOf(m.ID) {
		case "string", "number":
			return m.ID
		}
	}
	return nil
}

// errorAnswer returns the answer with an error.
func errorAnswer(e *jsonrpc.Error, id json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	b, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", id, e})
	if err != nil { // the parts are JSON
		panic(err)
	}
	return b
}
