package memtree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/memtree/memtree/internal/picture"
	"github.com/memtree/memtree/tree"
)

// KeepPicture reads a picture of a run, stores it beside the store and returns its reference for [tree.Evidence]. The
// error is a *tree.FieldError for a picture that is no PNG, JPEG or WebP, is longer than 8 MiB or has too many pixels.
// Record the run within the hour: pictures without a run or case that refers to them are removed. Advanced.
func (m *Memory) KeepPicture(ctx context.Context, name string, r io.Reader) (tree.Picture, error) {
	if m.gallery == nil {
		return tree.Picture{}, fmt.Errorf("keep a picture: %w", errors.ErrUnsupported)
	}
	b, err := io.ReadAll(io.LimitReader(r, tree.MaxPicture+1))
	if err != nil {
		return tree.Picture{}, fmt.Errorf("keep a picture: %w", err)
	}
	p, err := pictureOf(name, b)
	if err == nil {
		err = m.gallery.PutPicture(ctx, p, b)
	}
	return p, err
}

// pictureOf returns the reference to a picture.
func pictureOf(name string, b []byte) (tree.Picture, error) {
	bad := func(problem string) error { return &tree.FieldError{Field: "picture", Problem: problem} }
	if len(b) > tree.MaxPicture {
		return tree.Picture{}, bad("has more than 8 MiB")
	}
	h, err := picture.ReadHead(b)
	if err != nil {
		return tree.Picture{}, bad(err.Error())
	}
	if h.Width > tree.MaxSide || h.Height > tree.MaxSide || h.Width*h.Height > tree.MaxPixels {
		return tree.Picture{}, bad(fmt.Sprintf("has %d by %d pixels; the most is %d a side and %d million in all", h.Width,
			h.Height, tree.MaxSide, tree.MaxPixels>>20))
	}
	sum := sha256.Sum256(b)
	return tree.Picture{SHA256: hex.EncodeToString(sum[:]), Name: name, Type: h.Type, Width: h.Width, Height: h.Height,
		Bytes: len(b)}, nil
}

// Picture returns a stored picture, with its content type as detected from its bytes, or tree.ErrNotFound. Advanced.
func (m *Memory) Picture(ctx context.Context, sum string) (b []byte, contentType string, err error) {
	if m.gallery == nil {
		return nil, "", fmt.Errorf("picture: %w", tree.ErrNotFound)
	}
	if b, err = m.gallery.Picture(ctx, sum); err != nil {
		return nil, "", err
	}
	h, err := picture.ReadHead(b)
	if err != nil {
		return nil, "", fmt.Errorf("picture %s: %w", sum, err)
	}
	return b, h.Type, nil
}

// Pictures returns the number of stored pictures, and their bytes. Advanced.
func (m *Memory) Pictures(ctx context.Context) (n int, size int64, err error) {
	if m.gallery == nil {
		return 0, 0, nil
	}
	all, err := m.gallery.Pictures(ctx)
	for _, p := range all {
		size += p.Bytes
	}
	return len(all), size, err
}

// pictureGrace is how long a picture may wait for its run to be recorded.
const pictureGrace = time.Hour

// sweepPictures removes the pictures that no run in the inbox, no dead letter and no case in use refers to.
func (m *Memory) sweepPictures(ctx context.Context) error {
	if m.gallery == nil || m.opts.ReadOnly {
		return nil
	}
	all, err := m.gallery.Pictures(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	held, err := m.heldPictures(ctx, func(_ string, s tree.Status) bool { return s != tree.Archived })
	if err != nil {
		return err
	}
	for _, p := range all {
		if held[p.SHA256] || time.Since(p.Put) < pictureGrace {
			continue
		}
		if err := m.gallery.RemovePicture(ctx, p.SHA256); err != nil {
			return err
		}
	}
	return nil
}

// purgePictures removes the pictures that only purged data refers to.
func (m *Memory) purgePictures(ctx context.Context, p *tree.Purge) error {
	if m.gallery == nil {
		return nil
	}
	gone := slices.Concat(p.Nodes, p.Evaluations)
	before, err := m.heldPictures(ctx, func(id string, _ tree.Status) bool { return slices.Contains(gone, id) })
	if err != nil || len(before) == 0 {
		return err
	}
	after, err := m.heldPictures(ctx, func(id string, _ tree.Status) bool { return !slices.Contains(gone, id) })
	if err != nil {
		return err
	}
	for sum := range before {
		if after[sum] {
			continue
		}
		if err := m.gallery.RemovePicture(ctx, sum); err != nil {
			return err
		}
	}
	return nil
}

// heldPictures returns the pictures of the runs and cases for which holds is true: runs by their keys, cases by their
// ids.
func (m *Memory) heldPictures(ctx context.Context, holds func(id string, s tree.Status) bool) (map[string]bool, error) {
	held := map[string]bool{}
	hold := func(id string, s tree.Status, e *tree.Evidence) {
		for i := 0; e != nil && i < len(e.Pictures) && holds(id, s); i++ {
			held[e.Pictures[i].SHA256] = true
		}
	}
	for n, err := range m.store.Scan(ctx, tree.Filter{Level: tree.Case.Level()}) {
		if err != nil {
			return nil, fmt.Errorf("look for pictures: %w", err)
		}
		if n.CaseData != nil {
			hold(n.ID, n.Status, n.CaseData.Evidence)
		}
	}
	for d, err := range m.store.DeadLetters(ctx) {
		if err != nil {
			return nil, fmt.Errorf("look for pictures: %w", err)
		}
		hold(d.Evaluation.Key(), tree.Active, d.Evaluation.Evidence)
	}
	for _, e := range m.learned.inbox.All() {
		hold(e.ID, tree.Active, e.Evidence)
	}
	return held, nil
}
