package store

import (
	"context"
	"errors"
	"github.com/memtree/memtree/tree"
	"io"
	"slices"
	"strings"
)

// Deriver is a Store that also stores derived data: bytes that can be built again from the nodes, such as a search
// index, which it may lose at any time. Data for whose name [HeldBeside] is true cannot be built again.
type Deriver interface {
	// SaveDerived stores the output of write. The name consists of letters, digits and dashes; version is that of the
	// store from which the data was built. Data under the same name is replaced completely or not at all.
	SaveDerived(ctx context.Context, name string, version uint64, write func(io.Writer) error) error

	// OpenDerived opens the data last saved under the name, or returns ErrNotFound. The caller closes it.
	OpenDerived(ctx context.Context, name string) (*Derived, error)

	// KeepDerived returns those of some names under which nothing is saved. Of the rest, the caller is about to save a
	// reference: DropDerived of another process leaves them for some minutes. Data that is damaged may count as saved.
	KeepDerived(ctx context.Context, names []string) (missing []string, err error)

	// DropDerived removes the data under the names that begin with prefix, but for the given ones. In a store that
	// several processes write, it leaves what was saved or kept in the last minutes. What is open stays readable where
	// the system allows it; where it does not, an error is returned and the data stays.
	DropDerived(ctx context.Context, prefix string, but []string) error
}

// HeldBeside reports whether the data with a name holds what nothing else has: the texts of runs without a label,
// coming tests with what a reader picked, what a reader calls elements of the map, what models cost and which requests
// they take; or is a piece of it. A copy of a store has it too, and a repair keeps it.
func HeldBeside(name string) bool {
	name, _, _ = strings.Cut(name, "-")
	return slices.Contains([]string{"briefs", "habits", "inbox", "names", "spent"}, name)
}

// Derived is opened derived data.
type Derived struct {
	io.ReaderAt
	Size    int64
	Version uint64
	Closer  io.Closer
}

// OpenDerived opens the data that s last saved under name. It returns ErrNotFound if there is none or if s stores no
// derived data.
func OpenDerived(ctx context.Context, s Store, name string) (*Derived, error) {
	d, ok := s.(Deriver)
	if !ok {
		return nil, tree.ErrNotFound
	}
	kept, err := d.OpenDerived(ctx, name)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, tree.ErrNotFound
	}
	return kept, err
}

// SaveDerived stores the output of write in s. If s stores no derived data it does nothing and returns nil: the data
// can be built again.
func SaveDerived(ctx context.Context, s Store, name string, version uint64, write func(io.Writer) error) error {
	d, ok := s.(Deriver)
	if !ok {
		return nil
	}
	if err := d.SaveDerived(ctx, name, version, write); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// keepDerived returns the names under which s has no derived data. It returns all if s stores none.
func keepDerived(ctx context.Context, s Store, names []string) (missing []string, err error) {
	d, ok := s.(Deriver)
	if !ok {
		return names, nil
	}
	missing, err = d.KeepDerived(ctx, names)
	if errors.Is(err, errors.ErrUnsupported) {
		return names, nil
	}
	return missing, err
}

// DropDerived removes the derived data of s whose names begin with prefix, but for the names in but. If s stores none
// it does nothing and returns nil.
func DropDerived(ctx context.Context, s Store, prefix string, but []string) error {
	d, ok := s.(Deriver)
	if !ok {
		return nil
	}
	if err := d.DropDerived(ctx, prefix, but); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
