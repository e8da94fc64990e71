package store

import (
	"context"
	"errors"
	"fmt"
	"github.com/memtree/memtree/tree"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Deriver is a Store that also stores derived data: bytes that can be built again from the nodes, such as a search
// index. A store may lose derived data at any time. The exception is data for whose name [HeldBeside] is true: it
// cannot be built again, and only DropDerived or a purge removes it.
type Deriver interface {
	// SaveDerived stores the output of write. The name consists of letters, digits and dashes; version is that of the
	// store from which the data was built. Data under the same name is replaced completely or not at all.
	SaveDerived(ctx context.Context, name string, version uint64, write func(io.Writer) error) error

	// OpenDerived opens the data last saved under the name, or returns ErrNotFound. The caller closes it.
	OpenDerived(ctx context.Context, name string) (*Derived, error)

	// KeepDerived returns the given names under which no data is saved. For some minutes, DropDerived of other processes
	// spares the data under the other names, so that the caller can save a reference to it. Damaged data may count as
	// saved.
	KeepDerived(ctx context.Context, names []string) (missing []string, err error)

	// DropDerived removes the data whose names begin with prefix, except those in but. In a store that several processes
	// write, it spares data that was saved or named in KeepDerived in the last minutes. Opened data stays readable where
	// the system allows it; elsewhere DropDerived returns an error and the data stays.
	DropDerived(ctx context.Context, prefix string, but []string) error
}

// Dated is a Deriver whose derived data another process may save, so that a process that only reads has to notice it.
type Dated interface {
	// DerivedNumbers returns, for each name, the number of its last save, which is above those before; 0 if no data is
	// saved under the name. After a purge the numbers may begin again.
	DerivedNumbers(ctx context.Context, names []string) ([]uint64, error)
}

// Scratcher is a Store with room for large temporary files.
type Scratcher interface {
	// Scratch returns a new empty file that nobody else can open. Its bytes are gone when it is closed, or when the
	// process ends. The error is errors.ErrUnsupported where the system cannot do that.
	Scratch() (*os.File, error)
}

// CheckDerived returns a FieldError for a name that derived data cannot have.
func CheckDerived(name string) error {
	if name != "" && len(name) <= 64 && strings.IndexFunc(name, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0 {
		return nil
	}
	return &tree.FieldError{Field: "name", Problem: "is " + strconv.Quote(name) + "; use letters, digits and dashes"}
}

// HeldBeside reports whether derived data with this name cannot be built again: texts of runs without a label,
// upcoming tests and the memories chosen for them, other names of elements, and the costs and request formats of
// models. The name of a piece of such data counts too, see PieceOf. Backups copy such data, and repairs keep it.
func HeldBeside(name string) bool {
	name, _, _ = strings.Cut(name, "-")
	return slices.Contains([]string{"briefs", "habits", "inbox", "names", "spent"}, name)
}

// BesideError means that data for whose name [HeldBeside] is true cannot be read, or only in part. A store in a folder
// keeps the damaged file in broken/ when the data is saved again.
type BesideError struct {
	Name  string
	Lost  string // what the damage costs, a sentence
	Cause error
}

func (e *BesideError) Error() string {
	return fmt.Sprintf("what is held beside the tree as %s cannot be read in whole: %s: %v", e.Name, e.Lost, e.Cause)
}

func (e *BesideError) Unwrap() error { return e.Cause }

// Derived is derived data that was opened for reading. The caller calls Closer.Close.
type Derived struct {
	io.ReaderAt
	Size    int64  // size in bytes
	Version uint64 // version of the store from which the data was built
	Closer  io.Closer
}

// OpenDerived opens the derived data that was last saved in s under name. It returns ErrNotFound if there is none or if
// s is no Deriver.
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

// SaveDerived saves what write writes as derived data of s under name. version is the version of the store that the
// data was built from. If s is no Deriver, SaveDerived does nothing and returns nil.
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

// DropDerived removes the derived data of s whose names begin with prefix, except the names in but. If s is no Deriver,
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
