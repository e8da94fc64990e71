package transfer

import (
	"archive/tar"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/memtree/memtree/tree"
)

// readArchive reads a file of nodes from r and passes each to take, sorted by error type and id,
// in bounded memory. An error of take ends the reading and is returned unchanged.
func readArchive(r io.Reader, l limits, take func(tree.Node) error) (Manifest, error) {
	packed := &countingReader{r: r}
	most := uint64(l.bytes) //nolint:gosec // a limit is positive
	z, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(most), zstd.WithDecoderMaxWindow(8*window))
	if err != nil {
		return Manifest{}, unreadable(err)
	}
	defer z.Close()
	plain := &bounded{r: z, packed: packed, limits: l}
	in := newReading(l, take)
	t := tar.NewReader(plain)
	for {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF) && in.done:
			return in.sum, plain.end()
		case errors.Is(err, io.EOF) && packed.n == 0:
			return Manifest{}, &UnusableError{Problem: "is empty"}
		case errors.Is(err, io.EOF):
			return Manifest{}, &UnusableError{Problem: "has no manifest: its end is missing"}
		case err != nil:
			return Manifest{}, unreadable(err)
		}
		if err := in.entry(h, t); err != nil {
			return Manifest{}, err
		}
	}
}

// unreadable turns an error of a decoder into an *UnusableError. An error of the underlying reader is returned
// unchanged.
func unreadable(err error) error {
	var file *UnusableError
	var below *readError
	switch {
	case errors.As(err, &file):
		return file
	case errors.As(err, &below):
		return below.err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &UnusableError{Problem: "ends too early: it was cut off"}
	}
	return &UnusableError{Problem: fmt.Sprintf("is no export of memtree, or is damaged (%v)", err)}
}

// readError marks an error of the reader of the file.
type readError struct{ err error }

func (e *readError) Error() string { return e.err.Error() }

// countingReader counts the bytes of r, and marks errors of r with readError.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &readError{err}
	}
	return n, err //nolint:wrapcheck // io.Reader's contract
}

// bounded is a reader that fails when more is unpacked than the limits allow.
type bounded struct {
	r      io.Reader
	packed *countingReader
	limits limits
	n      int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.n += int64(n)
	switch {
	case b.n > b.limits.bytes:
		return 0, &UnusableError{Problem: fmt.Sprintf("unpacks to more than %d bytes; split the export by type",
			b.limits.bytes)}
	case b.n > ratioFree && b.n/b.limits.ratio > b.packed.n:
		return 0, &UnusableError{Problem: fmt.Sprintf("unpacks to more than %d times its size, which no export does",
			b.limits.ratio)}
	}
	return n, err //nolint:wrapcheck // io.Reader's contract
}

// A tar archive ends with two blocks of zeros. Other programs add more, up to a whole record.
const (
	tarBlock  = 512
	tarRecord = 20 * tarBlock
	mostZeros = tarRecord - 2*tarBlock // after the two blocks, which tar.Reader has read
)

// end returns an error if anything but the zeros of the last record follows the end of the archive.
func (b *bounded) end() error {
	var rest [mostZeros + 1]byte
	n, err := io.ReadFull(b, rest[:])
	switch {
	case n > mostZeros, n%tarBlock != 0, len(bytes.Trim(rest[:n], "\x00")) > 0:
		return &UnusableError{Problem: "goes on after its end"}
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return unreadable(err)
	}
	return nil
}

// sourceReading is one file or folder being read.
type sourceReading struct {
	limits limits
	take   func(tree.Node) error
	sum    Manifest // of what was read
	hash   hash.Hash
	parts  int
	last   string // id
	done   bool   // the manifest was read
	folder bool   // a folder, possibly merged by git
	lines  *bufio.Reader
	long   []byte
}

func newReading(l limits, take func(tree.Node) error) *sourceReading {
	return &sourceReading{limits: l, take: take, sum: noNodes(), lines: bufio.NewReaderSize(nil, 64<<10)}
}

// entry reads one entry of an archive.
func (in *sourceReading) entry(h *tar.Header, r io.Reader) error {
	switch {
	case h.Typeflag != tar.TypeReg:
		return &UnusableError{Entry: h.Name, Problem: "is not a plain file"}
	case in.done:
		return &UnusableError{Entry: h.Name, Problem: "stands after the manifest"}
	case h.Name == manifestName:
		return in.manifest(r)
	}
	errorType, part, ok := parsePart(h.Name)
	if !ok {
		return &UnusableError{Entry: h.Name, Problem: "is not one of an export"}
	}
	want := 1
	if n := len(in.sum.Types); n > 0 && in.sum.Types[n-1].ErrorType == errorType {
		want = in.parts + 1
	}
	if part != want {
		return &UnusableError{Entry: h.Name, Problem: "is not where it belongs"}
	}
	in.parts = part
	return in.nodes(h.Name, errorType, r)
}

// parsePart parses a name that partName could have made. ok is false for any other name.
func parsePart(name string) (errorType string, part int, ok bool) {
	dir, file := path.Split(name)
	errorType = strings.TrimSuffix(strings.TrimPrefix(dir, nodesFolder+"/"), "/")
	part, err := strconv.Atoi(strings.TrimSuffix(file, ".jsonl"))
	return errorType, part, err == nil && part > 0 && typeName().MatchString(errorType) &&
		partName(errorType, part) == name
}

// begin starts an error type, which has to sort after the one before.
func (in *sourceReading) begin(entry, errorType string) error {
	if n := len(in.sum.Types); n > 0 {
		switch before := in.sum.Types[n-1].ErrorType; {
		case before == errorType:
			return nil
		case before > errorType:
			return &UnusableError{Entry: entry, Problem: "is not where it belongs"}
		case n >= maxTypes:
			return &UnusableError{Entry: entry, Problem: fmt.Sprintf("is of one error type more than the %d there may be",
				maxTypes)}
		}
		in.endType()
	}
	in.sum.Types = append(in.sum.Types, typeSum{ErrorType: errorType})
	in.hash, in.last = sha256.New(), ""
	return nil
}

// endType completes the hash of the present error type.
func (in *sourceReading) endType() {
	if n := len(in.sum.Types); n > 0 {
		in.sum.Types[n-1].SHA256 = hex.EncodeToString(in.hash.Sum(nil))
	}
}

// nodes reads the lines of one part. While it checks and passes on some lines, another goroutine decodes the next
// ones.
func (in *sourceReading) nodes(entry, errorType string, r io.Reader) error {
	if err := in.begin(entry, errorType); err != nil {
		return err
	}
	in.lines.Reset(r)
	number := 1
	now := &ahead{}
	for end := error(nil); end == nil; {
		var next *ahead
		next, end = in.ahead()
		err := in.settle(entry, errorType, now, &number)
		next.decoding.Wait()
		if err != nil {
			return err
		}
		now = next
		if end == nil {
			continue
		}
		if err := in.settle(entry, errorType, now, &number); err != nil {
			return err
		}
		var file *UnusableError
		switch {
		case errors.Is(end, io.EOF):
			return nil
		case errors.As(end, &file) && file.Entry == "" && file.Line < 0:
			return &UnusableError{Entry: entry, Line: number, Problem: file.Problem}
		}
		return unreadable(end)
	}
	return nil
}

// ahead is a chunk of lines that are decoded while those before them are passed on.
type ahead struct {
	text     []byte // of all
	ends     []int  // of each, in text
	nodes    []tree.Node
	errs     []error
	decoding sync.WaitGroup
}

// The number of lines, and their approximate size in bytes, that are decoded at once.
const (
	aheadLines = 64
	aheadBytes = 256 << 10
)

// ahead reads the next lines and begins to decode them. The error is that of the line after them: io.EOF at the end.
func (in *sourceReading) ahead() (*ahead, error) {
	next := &ahead{}
	var end error
	for end == nil && len(next.ends) < aheadLines && len(next.text) < aheadBytes {
		line, err := in.line()
		switch {
		case err == nil:
			next.text = append(next.text, line...)
			next.ends = append(next.ends, len(next.text))
		case errors.Is(err, io.EOF) && len(line) > 0:
			end = &UnusableError{Line: -1, Problem: "is cut off"}
		default:
			end = err
		}
	}
	next.nodes, next.errs = make([]tree.Node, len(next.ends)), make([]error, len(next.ends))
	next.decoding.Go(func() {
		for i := range next.nodes {
			next.errs[i] = json.Unmarshal(next.line(i), &next.nodes[i])
		}
	})
	return next, end
}

// line returns the i-th line with its end.
func (a *ahead) line(i int) []byte {
	from := 0
	if i > 0 {
		from = a.ends[i-1]
	}
	return a.text[from:a.ends[i]]
}

// settle checks and passes on the nodes of decoded lines, in order.
func (in *sourceReading) settle(entry, errorType string, a *ahead, number *int) error {
	for i := range a.nodes {
		if err := in.node(entry, *number, errorType, a.line(i), a.nodes[i], a.errs[i]); err != nil {
			return err
		}
		*number++
	}
	return nil
}

// line returns the next line with its end; it is valid until the next call.
func (in *sourceReading) line() ([]byte, error) {
	in.long = in.long[:0]
	for {
		b, err := in.lines.ReadSlice('\n')
		if err == nil && len(in.long) == 0 {
			return b, nil
		}
		in.long = append(in.long, b...)
		if len(in.long) > in.limits.line {
			return nil, &UnusableError{Line: -1, Problem: fmt.Sprintf("has more than %d bytes", in.limits.line)}
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return in.long, err
		}
	}
}

// node checks one node against the limits and the order of a file, counts it, and passes it on. broken is the error of
// decoding its line.
func (in *sourceReading) node(entry string, number int, errorType string, line []byte, n tree.Node,
	broken error) error {
	bad := func(format string, args ...any) error {
		return &UnusableError{Entry: entry, Line: number, Problem: fmt.Sprintf(format, args...)}
	}
	if in.sum.Nodes >= in.limits.nodes {
		return bad("is one node more than the %d there may be; split the export by type", in.limits.nodes)
	}
	if broken != nil {
		return bad("is no node (%v)", broken)
	}
	switch {
	case n.ErrorType != errorType:
		return bad("has a node of error type %.80q", n.ErrorType)
	case n.ID <= in.last:
		return bad("has node %.80q, which is there twice or out of order", n.ID)
	}
	in.last = strings.Clone(n.ID)
	present := &in.sum.Types[len(in.sum.Types)-1]
	in.hash.Write(line)
	present.Nodes++
	present.Bytes += int64(len(line))
	in.sum.count(&n)
	if len(in.sum.Origins) > maxOrigins {
		return bad("names more than %d origins", maxOrigins)
	}
	return in.take(n)
}

// manifest compares the manifest of the file with the nodes read.
func (in *sourceReading) manifest(r io.Reader) error {
	bad := func(problem string) error { return &UnusableError{Entry: manifestName, Problem: problem} }
	b, err := io.ReadAll(io.LimitReader(r, maxManifest+1))
	if err != nil {
		return unreadable(err)
	}
	if len(b) > maxManifest {
		return bad("is too long")
	}
	var m Manifest
	if err := json.Unmarshal(bytes.TrimSpace(b), &m); err != nil {
		return bad(fmt.Sprintf("is not JSON (%v)", err))
	}
	in.endType()
	in.done = true
	switch {
	case m.Format != formatName:
		return bad(fmt.Sprintf("names the format %.40q, not %q", m.Format, formatName))
	case m.Major != major:
		return bad(fmt.Sprintf("has major version %d; this program reads %d: use a newer memtree", m.Major, major))
	case m.Merged && in.folder: // git has checksums of its own
	case m.Nodes != in.sum.Nodes, !slices.Equal(m.Types, in.sum.Types), !maps.Equal(m.Levels, in.sum.Levels),
		!maps.Equal(m.Origins, in.sum.Origins):
		return bad("does not fit what is in the file: nodes are missing, added or changed")
	}
	if err := m.check(); err != nil {
		return bad(err.Error())
	}
	in.sum.Beside = m.Beside
	return nil
}
