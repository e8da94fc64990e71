package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/memtree/memtree/internal/imagehead"
	"github.com/memtree/memtree/tree"
)

// Pictures reads, stores and removes the pictures of runs. It is safe for concurrent use.
type Pictures struct {
	store  Gallery // nil if the store keeps no pictures
	tree   Reader
	unread func() []tree.Evaluation // runs that are no case, and may refer to pictures
}

// NewPictures returns the Pictures in a gallery; a nil gallery stores none. It finds references to pictures in the
// cases and dead letters of t, and in the runs that unread returns, which are no cases yet.
func NewPictures(pictures Gallery, t Reader, unread func() []tree.Evaluation) *Pictures {
	return &Pictures{pictures, t, unread}
}

// Keep reads a picture of a run, stores it and returns its reference for [tree.Evidence]. name is its file name. The
// error is a *tree.FieldError if the picture is no PNG, JPEG or WebP, is longer than 8 MiB or has too many pixels. It
// wraps errors.ErrUnsupported if there is no gallery. The caller must record the run within an hour: after that, Sweep
// removes pictures that nothing refers to.
func (g *Pictures) Keep(ctx context.Context, name string, r io.Reader) (tree.Picture, error) {
	if g.store == nil {
		return tree.Picture{}, fmt.Errorf("keep a picture: %w", errors.ErrUnsupported)
	}
	b, err := io.ReadAll(io.LimitReader(r, tree.MaxPicture+1))
	if err != nil {
		return tree.Picture{}, fmt.Errorf("keep a picture: %w", err)
	}
	p, err := pictureReference(name, b)
	if err == nil {
		err = g.store.PutPicture(ctx, p, b)
	}
	return p, err
}

// pictureReference returns the reference to a picture.
func pictureReference(name string, b []byte) (tree.Picture, error) {
	bad := func(problem string) error { return &tree.FieldError{Field: "picture", Problem: problem} }
	if len(b) > tree.MaxPicture {
		return tree.Picture{}, bad("has more than 8 MiB")
	}
	kind, size, err := imagehead.Read(b)
	if err != nil {
		return tree.Picture{}, bad(err.Error())
	}
	if size.X > tree.MaxSide || size.Y > tree.MaxSide || size.X*size.Y > tree.MaxPixels {
		return tree.Picture{}, bad(fmt.Sprintf("has %d by %d pixels; the most is %d a side and %d million in all", size.X,
			size.Y, tree.MaxSide, tree.MaxPixels>>20))
	}
	return tree.Picture{SHA256: PictureSum(b), Name: name, Type: kind, Width: size.X, Height: size.Y,
		Bytes: len(b)}, nil
}

// Get returns the picture with the SHA-256 sum, and its content type as detected from its bytes. If there is none, the
// error is tree.ErrNotFound.
func (g *Pictures) Get(ctx context.Context, sum string) (b []byte, contentType string, err error) {
	if g.store == nil {
		return nil, "", fmt.Errorf("picture: %w", tree.ErrNotFound)
	}
	if b, err = g.store.Picture(ctx, sum); err != nil {
		return nil, "", err
	}
	if contentType, _, err = imagehead.Read(b); err != nil {
		return nil, "", fmt.Errorf("picture %s: %w", sum, err)
	}
	return b, contentType, nil
}

// Count returns the number of stored pictures, and their size in bytes. Without a gallery both are 0.
func (g *Pictures) Count(ctx context.Context) (n int, size int64, err error) {
	if g.store == nil {
		return 0, 0, nil
	}
	all, err := g.store.Pictures(ctx)
	for _, p := range all {
		size += p.Bytes
	}
	return len(all), size, err
}

// pictureGrace is how long a picture may wait for its run to be recorded.
const pictureGrace = time.Hour

// Sweep removes pictures that are no longer needed. A picture is needed if it was stored in the last hour, or if a run
// in the inbox, a dead letter, or a case that is not archived refers to it.
func (g *Pictures) Sweep(ctx context.Context) error {
	if g.store == nil {
		return nil
	}
	all, err := g.store.Pictures(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	held, err := g.held(ctx, func(_ string, s tree.Status) bool { return s != tree.Archived })
	if err != nil {
		return err
	}
	for _, p := range all {
		if held[p.SHA256] || time.Since(p.Put) < pictureGrace {
			continue
		}
		if err := g.store.RemovePicture(ctx, p.SHA256); err != nil {
			return err
		}
	}
	return nil
}

// Purge removes the pictures that only nodes and evaluations of the purge p refer to. Call it before p is committed:
// the commit removes the references.
func (g *Pictures) Purge(ctx context.Context, p *Purge) error {
	if g.store == nil {
		return nil
	}
	gone := slices.Concat(p.Nodes, p.Evaluations)
	before, err := g.held(ctx, func(id string, _ tree.Status) bool { return slices.Contains(gone, id) })
	if err != nil || len(before) == 0 {
		return err
	}
	after, err := g.held(ctx, func(id string, _ tree.Status) bool { return !slices.Contains(gone, id) })
	if err != nil {
		return err
	}
	for sum := range before {
		if after[sum] {
			continue
		}
		if err := g.store.RemovePicture(ctx, sum); err != nil {
			return err
		}
	}
	return nil
}

// held returns the pictures of the runs and cases for which holds is true: runs by their keys, cases by their
// ids.
func (g *Pictures) held(ctx context.Context, holds func(id string, s tree.Status) bool) (map[string]bool, error) {
	held := map[string]bool{}
	hold := func(id string, s tree.Status, e *tree.Evidence) {
		for i := 0; e != nil && i < len(e.Pictures) && holds(id, s); i++ {
			held[e.Pictures[i].SHA256] = true
		}
	}
	for n, err := range g.tree.Scan(ctx, Filter{Level: tree.Case.Level()}) {
		if err != nil {
			return nil, fmt.Errorf("look for pictures: %w", err)
		}
		if n.CaseData != nil {
			hold(n.ID, n.Status, n.CaseData.Evidence)
		}
	}
	for d, err := range g.tree.DeadLetters(ctx) {
		if err != nil {
			return nil, fmt.Errorf("look for pictures: %w", err)
		}
		hold(d.Evaluation.Key(), tree.Active, d.Evaluation.Evidence)
	}
	for _, e := range g.unread() {
		hold(e.ID, tree.Active, e.Evidence)
	}
	return held, nil
}
