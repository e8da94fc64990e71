package transfer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/memtree/memtree/tree"
)

// spool stores the bodies of nodes in a temporary file. No other user can read the file, and close removes it.
type spool struct {
	f    *os.File
	w    *bufio.Writer
	size int64
	line bytes.Buffer
}

// bodySpan is the position of a body.
type bodySpan struct {
	from int64
	size int
}

// put stores a node.
func (s *spool) put(n *tree.Node) (bodySpan, error) {
	if s.f == nil {
		f, err := os.CreateTemp("", "memtree-import-*")
		if err != nil {
			return bodySpan{}, fmt.Errorf("keep an import aside: %w", err)
		}
		s.f, s.w = f, bufio.NewWriterSize(f, 256<<10)
	}
	s.line.Reset()
	if err := encode(&s.line, n); err != nil {
		return bodySpan{}, err
	}
	at := bodySpan{from: s.size, size: s.line.Len()}
	s.size += int64(at.size)
	if _, err := s.w.Write(s.line.Bytes()); err != nil {
		return bodySpan{}, fmt.Errorf("keep an import aside: %w", err)
	}
	return at, nil
}

// get reads a node.
func (s *spool) get(at bodySpan) (tree.Node, error) {
	if err := s.w.Flush(); err != nil {
		return tree.Node{}, fmt.Errorf("keep an import aside: %w", err)
	}
	b := make([]byte, at.size)
	if _, err := s.f.ReadAt(b, at.from); err != nil {
		return tree.Node{}, fmt.Errorf("read what was kept aside: %w", err)
	}
	var n tree.Node
	if err := json.Unmarshal(b, &n); err != nil {
		return tree.Node{}, fmt.Errorf("read what was kept aside: %w", err)
	}
	return n, nil
}

// close removes the file.
func (s *spool) close() error {
	if s.f == nil {
		return nil
	}
	err := errors.Join(s.f.Close(), os.Remove(s.f.Name()))
	s.f = nil
	return err
}
