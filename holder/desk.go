package holder

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// remoteDesk is the desk of the process that asked.
type remoteDesk struct{ s *session }

func (d remoteDesk) Open(name string) (io.ReadCloser, error) {
	r, err := d.s.ask(call{Op: opOpen, Name: name}, nil)
	if err != nil {
		return nil, err
	}
	return &remoteFile{s: d.s, file: r.File}, nil
}

func (d remoteDesk) Stat(name string) (fs.FileInfo, error) {
	r, err := d.s.ask(call{Op: opStat, Name: name}, nil)
	if err == nil && r.Info == nil {
		err = fmt.Errorf("%s: the answer says nothing about it", name)
	}
	if err != nil {
		return nil, err
	}
	return r.Info, nil
}

// Path returns the path that the other process has for a file, if it is the same file here: the two may see
// different folders, as in a container.
func (d remoteDesk) Path(name string) (string, error) {
	r, err := d.s.ask(call{Op: opPath, Name: name}, nil)
	if err != nil {
		return "", err
	}
	here, err := os.Stat(r.Path)
	if err != nil {
		return "", &ElsewhereError{Name: name}
	}
	if there := r.Info; there == nil || there.ID != fileID(here) || there.Bytes != here.Size() {
		return "", &ElsewhereError{Name: name}
	}
	return r.Path, nil
}

// ElsewhereError is a file that the process that holds the store does not see as the user does.
type ElsewhereError struct{ Name string }

func (e *ElsewhereError) Error() string {
	return e.Name + " cannot be read by the process that holds the store"
}

func (d remoteDesk) Same(a, b string) bool {
	r, err := d.s.ask(call{Op: opSame, Name: a, Also: b}, nil)
	return err == nil && r.Same
}

func (d remoteDesk) Write(name string, b []byte) error {
	if len(b) > mostWhole {
		return fmt.Errorf("%s would have %d bytes, and %d is the most that another process can have written", name,
			len(b), mostWhole)
	}
	_, err := d.s.ask(call{Op: opWrite, Name: name}, b)
	return err
}

func (d remoteDesk) Edit(_ context.Context, name string, b []byte) ([]byte, error) {
	r, err := d.s.ask(call{Op: opEdit, Name: name}, b)
	return r.data, err
}

// remoteFile is a file of the other process, or its standard input.
type remoteFile struct {
	s    *session
	file int
	rest []byte
	end  bool
}

func (f *remoteFile) Read(p []byte) (int, error) {
	if len(f.rest) == 0 && !f.end {
		r, err := f.s.ask(call{Op: opRead, File: f.file, Most: min(max(len(p), 1), mostRead)}, nil)
		if err != nil {
			return 0, err
		}
		f.rest, f.end = r.data, r.End
	}
	if len(f.rest) == 0 && f.end {
		return 0, io.EOF
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

func (f *remoteFile) Close() error {
	_, err := f.s.ask(call{Op: opClose, File: f.file}, nil)
	return err
}
