package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/memtree/memtree/tree"
)

// Pieces is one state of derived data that is stored as several files: pieces, which are written once under a hash of
// their bytes, and a head that names them. After a change only new pieces and the head are written.
type Pieces interface {
	// Version returns the version of the store from which the data was built.
	Version() uint64

	// Names returns the names of the pieces, of letters and digits. A name always denotes the same bytes.
	Names() []string

	// Write writes the bytes of the i-th piece of Names to w.
	Write(i int, w io.Writer) error

	// Head returns the bytes of the head, which name the pieces.
	Head() []byte
}

// PieceOf returns the name under which a piece of the derived data called name is saved.
func PieceOf(name, piece string) string { return name + "-" + piece }

// SavePieces saves the pieces of p that s does not have yet, then the head under name, and then removes the pieces of
// name that the head does not name. At every moment all pieces of the saved head exist. Pieces that a crash leaves over
// are removed the next time.
func SavePieces(ctx context.Context, s Store, name string, p Pieces) error {
	files := make([]string, len(p.Names()))
	for i, piece := range p.Names() {
		files[i] = PieceOf(name, piece)
	}
	missing, err := keepDerived(ctx, s, files)
	if err != nil {
		return err
	}
	for i, file := range files {
		if !slices.Contains(missing, file) {
			continue
		}
		if err := SaveDerived(ctx, s, file, p.Version(), func(w io.Writer) error { return p.Write(i, w) }); err != nil {
			return err
		}
	}
	if err := SaveDerived(ctx, s, name, p.Version(), func(w io.Writer) error {
		_, err := w.Write(p.Head())
		return err
	}); err != nil {
		return err
	}
	_ = DropDerived(ctx, s, PieceOf(name, ""), files) // the next save tries again
	return nil
}

// ErrPieceGone means that a saved head names a piece that does not exist.
var ErrPieceGone = errors.New("a piece is not there")

// openTries is how often a process opens pieces that another one replaces meanwhile.
const openTries = 5

// OpenPieces calls load with the head last saved under name, and with a function that opens a piece of it. If load
// returns an error, it must have closed what it opened. If it returns ErrPieceGone, because another process saved newer
// pieces meanwhile, OpenPieces calls it again with the newer head, a few times. Without a saved head the error is
// ErrNotFound.
func OpenPieces(ctx context.Context, s Store, name string,
	load func(head *Derived, open func(piece string) (*Derived, error)) error) (err error) {
	open := func(piece string) (*Derived, error) {
		d, err := OpenDerived(ctx, s, PieceOf(name, piece))
		if errors.Is(err, tree.ErrNotFound) {
			return nil, fmt.Errorf("%w: %s", ErrPieceGone, piece)
		}
		return d, err
	}
	for range openTries {
		var head *Derived
		if head, err = OpenDerived(ctx, s, name); err != nil {
			return err
		}
		if err = load(head, open); !errors.Is(err, ErrPieceGone) {
			return err
		}
	}
	return err
}
