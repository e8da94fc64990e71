package transfer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"

	"aead.dev/minisign"

	"github.com/memtree/memtree/internal/whole"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// zstdMagic are the first bytes of a zstd frame, and so of every file of the format.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// File is an export to read. Path is a file of the form Archive or Seed, or a folder; Nodes detects the form.
type File struct {
	Path  string
	Guess func(judgment string, truth tree.Raw) taxonomy.Direction // for the form Seed; nil: the direction is other
	Keys  *Keys                                                    // accepted keys; nil: signatures are ignored

	Beside          // what the export holds beside nodes, set after all Nodes
	SignedBy string // with Keys: id of the key that signed the export, set after all Nodes
}

// Nodes is an iterator of the nodes in the file, sorted by error type and id, in bounded memory. It can be ranged over
// again. In a folder that git merged, a node may be in two files; such nodes are merged and come last.
//
// Do not use the nodes before the iteration has ended without an error: only then is the file known to be complete and,
// with Keys, signed by one of them. A problem of the file is an *UnusableError or a *SignatureError. Nodes does not
// check the laws of the tree. Nodes of the form Seed get new ids, which follow from their content; equal cases are
// merged.
func (f *File) Nodes(yield func(tree.Node, error) bool) {
	ended := false
	by, err := f.read(func(n tree.Node) error {
		if ended = !yield(n, nil); ended {
			return errEnded
		}
		return nil
	})
	if f.SignedBy = by; err != nil && !ended {
		yield(tree.Node{}, err)
	}
}

var errEnded = errors.New("no more nodes are wanted")

// read detects the form at the path, reads it, and verifies its signature if Keys is set.
func (f *File) read(take func(tree.Node) error) (signedBy string, err error) {
	f.Beside = Beside{}
	info, err := os.Stat(f.Path)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		root, err := os.OpenRoot(f.Path)
		if err != nil {
			return "", err
		}
		defer root.Close() //nolint:errcheck // only read
		m, err := readFolder(root.FS(), allowed, take)
		if f.Beside = m.Beside; err != nil || f.Keys == nil {
			return "", err
		}
		return f.Keys.folderSignature(f.Path, m)
	}
	if !info.Mode().IsRegular() {
		return "", &UnusableError{Problem: "is not a plain file"}
	}
	in, err := os.Open(f.Path)
	if err != nil {
		return "", err
	}
	defer in.Close() //nolint:errcheck // only read
	if f.Keys == nil {
		return "", f.readFrom(in, take)
	}
	sig, err := signature(f.Path)
	if err != nil {
		return "", err
	}
	hashed := minisign.NewReader(in) // hashes the bytes while they are read, so the file cannot change between
	if err := f.readFrom(hashed, take); err != nil {
		return "", err
	}
	if _, err := io.Copy(io.Discard, hashed); err != nil {
		return "", fmt.Errorf("read %s: %w", f.Path, err)
	}
	return f.Keys.verify(f.Path, sig, func(p minisign.PublicKey) bool { return hashed.Verify(p, sig) })
}

// readFrom reads the seed form if the first character is that of JSON, and an archive otherwise.
func (f *File) readFrom(r io.Reader, take func(tree.Node) error) error {
	in := bufio.NewReader(r)
	if begins, err := in.Peek(64); err == nil || errors.Is(err, io.EOF) {
		if json := bytes.TrimLeft(begins, " \t\r\n"); len(json) > 0 && (json[0] == '[' || json[0] == '{') {
			return readSeed(in, allowed, f.Guess, take)
		}
	}
	m, err := readArchive(in, allowed, take)
	f.Beside = m.Beside
	return err
}

// Form is how an export is laid out: as Archive, Folder or Seed.
type Form string

// The forms of an export.
const (
	Archive Form = "memtree" // one compressed file
	Folder  Form = "folder"  // a folder for git: a file for each error type, a node on each line
	Seed    Form = "seed"    // a JSON array of MemoryNode of the original design, for other programs
)

// Write writes nodes and beside to path in a form, and returns the manifest. The nodes must come sorted by error type,
// then id, each once. The form Seed omits beside, tombstones and the manifest.
//
// Write replaces an earlier export, but not a file that begins differently. In a folder it removes the node files of
// other error types, and leaves all other files. If Write fails, an earlier file stays as it was. An earlier folder
// stays too, or loses its manifest, so that readers refuse it.
func Write(path string, form Form, nodes iter.Seq2[tree.Node, error], beside Beside) (m Manifest, err error) {
	switch form {
	case Folder:
		var out *folder
		if out, err = newFolder(path); err == nil {
			m, err = write(out, nodes, beside)
		}
	case Seed:
		err = writeWhole(path, []byte("["), func(f io.Writer) error { return writeSeed(f, nodes) })
	default:
		err = writeWhole(path, zstdMagic, func(f io.Writer) error {
			out, err := newArchive(f)
			if err == nil {
				m, err = write(out, nodes, beside)
			}
			return err
		})
	}
	return m, err
}

// writeWhole replaces a file only if it begins with the bytes begins, as an export does.
func writeWhole(path string, begins []byte, write func(io.Writer) error) error {
	if err := replaceable(path, begins); err != nil {
		return err
	}
	return whole.Write(path, 0o644, write)
}

// replaceable returns an error if path is a file that is not an export.
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
		return &UnusableError{Problem: fmt.Sprintf("%s is there already and is no export; name another", path)}
	}
	return nil
}
