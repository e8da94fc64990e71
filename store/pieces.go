package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/memtree/memtree/tree"
)

// Pieces are one state of derived data that is stored in pieces: files that are written once, each with a name that is
// a hash of its bytes, and a head that names them. After a change only what is new is written.
type Pieces interface {
	// Version is that of the store from which the data was built.
	Version() uint64

	// Names returns the names of the pieces, of letters and digits. A name has the same bytes for ever.
	Names() []string

	// Write writes the i-th piece.
	Write(i int, w io.Writer) error

	// Head returns the bytes that name the pieces.
	Head() []byte
}

// PieceOf returns the name of the derived data that a piece of name is stored under.
func PieceOf(name, piece string) string { return name + "-" + piece }

// SavePieces stores the pieces that are not stored yet, then their head under name, and then removes the pieces that
// the head does not name. So at every moment whatever the head names is there; what a crash or a full disk leaves
// besides is removed the next time. A piece that cannot be removed stays until then.
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

// ErrPieceGone means that a piece is not there that a head names.
var ErrPieceGone = errors.New("a piece is not there")

// openTries is how often a process opens pieces that another one replaces meanwhile.
const openTries = 5

// OpenPieces calls load with the head saved last under a name, and with open, which opens a piece. load closes what it
// opened unless it returns nil. Where a piece is gone, because another process saved others meanwhile and load returns
// ErrPieceGone, it is called again with the next head.
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
