package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memtree/memtree/tree"
)

// zstdMagic begins a file of the format.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// ReadPath reads the file or folder at path, whichever form it has, as Read does.
func ReadPath(path string, l Limits, take func(tree.Node) error) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		root, err := os.OpenRoot(path)
		if err != nil {
			return err
		}
		defer root.Close() //nolint:errcheck // only read
		_, err = ReadFolder(root.FS(), l, take)
		return err
	}
	if !info.Mode().IsRegular() {
		return &FileError{Problem: "is not a plain file"}
	}
	f, err := os.Open(path) //nolint:gosec // the caller names the file
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	_, err = Read(f, l, take)
	return err
}

// WritePath writes a file at path, whole or not at all, with what write adds. It
// replaces an earlier export and nothing else.
func WritePath(path string, write func(*Writer) error) (Manifest, error) {
	if err := replaceable(path); err != nil {
		return Manifest{}, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*"+unfinished)
	if err != nil {
		return Manifest{}, err
	}
	m, err := writeFile(f, write)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return Manifest{}, errors.Join(err, os.Remove(f.Name()))
	}
	return m, nil
}

func writeFile(f *os.File, write func(*Writer) error) (Manifest, error) {
	w, err := NewWriter(f)
	if err != nil {
		return Manifest{}, err
	}
	if err := write(w); err != nil {
		w.Discard()
		return Manifest{}, err
	}
	m, err := w.Close()
	if err != nil {
		return Manifest{}, err
	}
	if err := errors.Join(f.Chmod(0o644), f.Sync()); err != nil {
		return Manifest{}, fmt.Errorf("write a file of nodes: %w", err)
	}
	return m, nil
}

// replaceable reports what stands in the way of a new export.
func replaceable(path string) error {
	f, err := os.Open(path) //nolint:gosec // the caller names the file
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	head := make([]byte, len(zstdMagic))
	if n, err := io.ReadFull(f, head); n > 0 && (err != nil || !bytes.Equal(head, zstdMagic)) {
		return &FileError{Problem: fmt.Sprintf("%s is there already and is no export; name another", path)}
	}
	return nil
}

// WriteFolder writes the folder form at dir with what write adds.
func WriteFolder(dir string, write func(*Writer) error) (Manifest, error) {
	w, err := NewFolderWriter(dir)
	if err != nil {
		return Manifest{}, err
	}
	if err := write(w); err != nil {
		w.Discard()
		return Manifest{}, err
	}
	return w.Close()
}
