package tree

import (
	"context"
	"errors"
	"io"
)

// Deriver is a Store that also keeps derived data: bytes that can be made again
// from the nodes, such as a search index. It may lose them at any time.
type Deriver interface {
	// SaveDerived stores what write writes to its writer. The name consists of
	// letters, digits and dashes; version is that of the store the data was made
	// from. Data under the same name is replaced whole or not at all.
	SaveDerived(ctx context.Context, name string, version uint64, write func(io.Writer) error) error

	// OpenDerived opens the data last saved under the name, or returns ErrNotFound.
	// The caller closes it.
	OpenDerived(ctx context.Context, name string) (*Derived, error)
}

// Derived is opened derived data.
type Derived struct {
	io.ReaderAt
	Size    int64
	Version uint64
	Closer  io.Closer
}

// OpenDerived opens what s last saved under a name, or returns ErrNotFound: also
// where s keeps no derived data.
func OpenDerived(ctx context.Context, s Store, name string) (*Derived, error) {
	d, ok := s.(Deriver)
	if !ok {
		return nil, ErrNotFound
	}
	kept, err := d.OpenDerived(ctx, name)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, ErrNotFound
	}
	return kept, err
}

// SaveDerived has s keep what write writes. Where s keeps no derived data nothing
// is written, and that is no error: whoever needs the data makes it again.
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
