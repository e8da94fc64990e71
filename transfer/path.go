package transfer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"aead.dev/minisign"

	"github.com/memtree/memtree/tree"
)

// zstdMagic begins a file of the format.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// ReadOptions say how a file or folder is read.
type ReadOptions struct {
	Limits Limits
	Guess  Guess // nil: the direction of foreign nodes is not known
	Keys   *Keys // nil: a signature is not looked at
}

// ReadPath reads the file or folder at path, whichever form it has, as Read,
// ReadFolder and ReadJSON do. With keys it returns the id of the one that signed
// what was read, or a *SignatureError; nothing that take was given may be used
// before it returns.
func ReadPath(path string, o ReadOptions, take func(tree.Node) error) (signedBy string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		root, err := os.OpenRoot(path)
		if err != nil {
			return "", err
		}
		defer root.Close() //nolint:errcheck // only read
		m, err := ReadFolder(root.FS(), o.Limits, take)
		if err != nil || o.Keys == nil {
			return "", err
		}
		return o.Keys.folderSignature(path, m)
	}
	if !info.Mode().IsRegular() {
		return "", &FileError{Problem: "is not a plain file"}
	}
	f, err := os.Open(path) //nolint:gosec // the caller names the file
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	if o.Keys == nil {
		return "", readFile(f, o, take)
	}
	sig, err := signature(path)
	if err != nil {
		return "", err
	}
	hashed := minisign.NewReader(f) // of the very bytes that are read
	if err := readFile(hashed, o, take); err != nil {
		return "", err
	}
	if _, err := io.Copy(io.Discard, hashed); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return o.Keys.verify(path, sig, func(p minisign.PublicKey) bool { return hashed.Verify(p, sig) })
}

func readFile(r io.Reader, o ReadOptions, take func(tree.Node) error) error {
	in := bufio.NewReader(r)
	if begins, err := in.Peek(64); err == nil || errors.Is(err, io.EOF) {
		if json := bytes.TrimLeft(begins, " \t\r\n"); len(json) > 0 && (json[0] == '[' || json[0] == '{') {
			return ReadJSON(in, o.Limits, o.Guess, take)
		}
	}
	_, err := Read(in, o.Limits, take)
	return err
}

// WritePath writes a file at path, whole or not at all, with what write adds. It
// replaces an earlier export and nothing else.
func WritePath(path string, write func(*Writer) error) (m Manifest, err error) {
	err = whole(path, zstdMagic, func(f io.Writer) error {
		w, err := NewWriter(f)
		if err != nil {
			return err
		}
		if err := write(w); err != nil {
			w.Discard()
			return err
		}
		m, err = w.Close()
		return err
	})
	return m, err
}

// WriteSeedPath is WritePath for the seed form.
func WriteSeedPath(path string, write func(*SeedWriter) error) error {
	return whole(path, []byte("["), func(f io.Writer) error {
		w := NewSeedWriter(f)
		if err := write(w); err != nil {
			return err
		}
		return w.Close()
	})
}

// whole puts a file in place once all of it is on the disk. What it replaces has
// to begin like an export.
func whole(path string, begins []byte, write func(io.Writer) error) error {
	if err := replaceable(path, begins); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*"+unfinished)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = errors.Join(f.Chmod(0o644), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// replaceable reports what stands in the way of a new export.
func replaceable(path string, begins []byte) error {
	f, err := os.Open(path) //nolint:gosec // the caller names the file
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	head := make([]byte, len(begins))
	if n, err := io.ReadFull(f, head); n > 0 && (err != nil || !bytes.Equal(head, begins)) {
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
