package holder

import (
	"errors"
	"io/fs"
	"syscall"
	"time"
)

// fault is an error of a call on its way to the other process.
type fault struct {
	Op   string `json:"op,omitempty"` // of an *fs.PathError
	Path string `json:"path,omitempty"`
	Why  string `json:"why,omitempty"` // one of faults; "": something else, in Text
	Text string `json:"text"`
}

// faults are the errors that the other side tells apart.
var faults = []struct {
	why string
	err error
}{
	{"missing", fs.ErrNotExist},
	{"denied", fs.ErrPermission},
	{"exists", fs.ErrExist},
	{"closed", fs.ErrClosed},
	{"folder", syscall.EISDIR},
	{"no folder", syscall.ENOTDIR},
	{"read only", syscall.EROFS},
	{"full", syscall.ENOSPC},
}

func faultOf(err error) *fault {
	if err == nil {
		return nil
	}
	f := &fault{Text: err.Error()}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		f.Op, f.Path, f.Text = p.Op, p.Path, p.Err.Error()
	}
	for _, known := range faults {
		if errors.Is(err, known.err) {
			f.Why = known.why
			break
		}
	}
	return f
}

// err makes the error of it again.
func (f *fault) err() error {
	if f == nil {
		return nil
	}
	var err error = &faultError{text: f.Text}
	for _, known := range faults {
		if known.why == f.Why {
			err = &faultError{f.Text, known.err}
		}
	}
	if f.Op != "" {
		err = &fs.PathError{Op: f.Op, Path: f.Path, Err: err}
	}
	return err
}

// faultError says what the error said, and is what it was.
type faultError struct {
	text string
	is   error
}

func (e *faultError) Error() string { return e.text }
func (e *faultError) Unwrap() error { return e.is }

// fileInfo is an fs.FileInfo on its way. It implements it too.
type fileInfo struct {
	Base  string      `json:"name"`
	Bytes int64       `json:"size"`
	Bits  fs.FileMode `json:"mode"`
	Time  time.Time   `json:"time"`
	ID    [2]uint64   `json:"id"` // what tells it from other files, zero if that is not known
}

func infoOf(i fs.FileInfo) *fileInfo {
	return &fileInfo{i.Name(), i.Size(), i.Mode(), i.ModTime().UTC(), fileID(i)}
}

func (i *fileInfo) Name() string       { return i.Base }
func (i *fileInfo) Size() int64        { return i.Bytes }
func (i *fileInfo) Mode() fs.FileMode  { return i.Bits }
func (i *fileInfo) ModTime() time.Time { return i.Time }
func (i *fileInfo) IsDir() bool        { return i.Bits.IsDir() }
func (i *fileInfo) Sys() any           { return nil }
