package store

import (
	"context"
	"errors"
	"github.com/memtree/memtree/tree"
	"io"
	"slices"
)

// Deriver is a Store that also stores derived data: bytes that can be built again from the nodes, such as a search
// index, which it may lose at any time. Data for whose name [HeldBeside] is true cannot be built again.
type Deriver interface {
	// SaveDerived stores the output of write. The name consists of letters, digits and dashes; version is that of the
	// store from which the data was built. Data under the same name is replaced completely or not at all.
	SaveDerived(ctx context.Context, name string, version uint64, write func(io.Writer) error) error

	// OpenDerived opens the data last saved under the name, or returns ErrNotFound. The caller closes it.
	OpenDerived(ctx context.Context, name string) (*Derived, error)

	// DerivedNames returns the names of the saved data that begin with prefix, sorted, each once. Of data that is
	// damaged it may return the name too.
	DerivedNames(ctx context.Context, prefix string) ([]string, error)

	// DropDerived removes the data under a name. It does nothing if there is none. What is open stays readable where
	// the system allows it; where it does not, an error is returned and the data stays.
	DropDerived(ctx context.Context, name string) error
}

// HeldBeside reports whether the data with a name holds what nothing else has: the texts of runs without a label,
// coming tests with what a reader picked, what a reader calls elements of the map, what models cost and which requests
// they take. A copy of a store has it too, and a repair keeps it.
func HeldBeside(name string) bool {
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

// DerivedNames returns the names of the derived data of s that begin with prefix. It returns none if s stores no
// derived data.
func DerivedNames(ctx context.Context, s Store, prefix string) ([]string, error) {
	d, ok := s.(Deriver)
	if !ok {
		return nil, nil
	}
	names, err := d.DerivedNames(ctx, prefix)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	return names, err
}

// DropDerived removes derived data of s. If s stores none it does nothing and returns nil.
func DropDerived(ctx context.Context, s Store, name string) error {
	d, ok := s.(Deriver)
	if !ok {
		return nil
	}
	if err := d.DropDerived(ctx, name); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
