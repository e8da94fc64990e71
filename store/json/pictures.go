package jsonstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Pictures are files of the folder pictures, each named by the SHA-256 of its bytes and its type. No manifest lists
// them: a store without them is complete, and a reference to a missing picture is reported where it is used.
const picturesFolder = "pictures"

var _ store.Gallery = (*Store)(nil)

// gallery holds the total size of the pictures, so that PutPicture need not list all of them.
type gallery struct {
	sync.Mutex
	counted bool
	bytes   int64
}

// picturesUsable returns why a picture cannot be written or read, nil if it can.
func (s *Store) picturesUsable(ctx context.Context, writes bool, sum string) error {
	switch err := s.usable(ctx); {
	case err != nil:
		return err
	case writes && s.readOnly:
		return store.ErrReadOnly
	case !tree.IsPictureID(sum):
		return tree.ErrNotFound
	}
	return nil
}

// PutPicture stores the bytes b of the picture p. See store.Gallery.
func (s *Store) PutPicture(ctx context.Context, p tree.Picture, b []byte) error {
	err := s.picturesUsable(ctx, true, p.SHA256)
	if err == nil {
		err = s.putPicture(p, b)
	}
	if err != nil {
		return fmt.Errorf("keep a picture: %w", err)
	}
	return nil
}

func (s *Store) putPicture(p tree.Picture, b []byte) error {
	if err := store.CheckPicture(p, b); err != nil {
		return err
	}
	s.gallery.Lock()
	defer s.gallery.Unlock()
	name := p.File()
	if info, err := s.disk.stat(name); err == nil && info.Size() == int64(len(b)) {
		now := time.Now()
		return s.disk.fs.Chtimes(s.disk.name(name), now, now)
	}
	if err := s.countPictures(); err != nil {
		return err
	}
	if s.gallery.bytes+int64(len(b)) > store.MaxGallery {
		return store.ErrGalleryFull
	}
	if err := s.disk.mkdir(picturesFolder); err != nil {
		return err
	}
	if err := s.disk.replace(name, b); err != nil {
		return err
	}
	s.gallery.bytes += int64(len(b))
	return nil
}

// countPictures sums up the size of the pictures, unless it is known.
func (s *Store) countPictures() error {
	if s.gallery.counted {
		return nil
	}
	all, err := s.disk.pictures()
	if err != nil {
		return err
	}
	s.gallery.bytes, s.gallery.counted = 0, true
	for _, p := range all {
		s.gallery.bytes += p.Bytes
	}
	names, err := s.disk.names(picturesFolder)
	for _, n := range names {
		if isTemp(n) { // of a process that ended while it wrote
			_ = s.disk.remove(path.Join(picturesFolder, n))
		}
	}
	return err
}

// Picture returns the bytes of the picture with the SHA-256 sum. See store.Gallery.
func (s *Store) Picture(ctx context.Context, sum string) ([]byte, error) {
	if err := s.picturesUsable(ctx, false, sum); err != nil {
		return nil, fmt.Errorf("read a picture: %w", err)
	}
	for _, name := range pictureFiles(sum) {
		b, err := s.disk.read(name, tree.MaxPicture)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, fmt.Errorf("read a picture: %w", err)
		case store.PictureSum(b) != sum:
			return nil, &store.CorruptError{File: name, Lost: "it is not the picture it was"}
		}
		return b, nil
	}
	return nil, fmt.Errorf("read a picture: %w", tree.ErrNotFound)
}

// pictureFiles returns the possible file names of a picture.
func pictureFiles(sum string) (out []string) {
	for _, kind := range tree.PictureTypes() {
		out = append(out, (&tree.Picture{SHA256: sum, Type: kind}).File())
	}
	return out
}

// RemovePicture removes the picture with the SHA-256 sum. See store.Gallery.
func (s *Store) RemovePicture(ctx context.Context, sum string) error {
	if err := s.picturesUsable(ctx, true, sum); err != nil {
		return fmt.Errorf("remove a picture: %w", err)
	}
	s.gallery.Lock()
	defer s.gallery.Unlock()
	s.gallery.counted = false
	for _, name := range pictureFiles(sum) {
		err := s.disk.remove(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = s.disk.syncDir(picturesFolder)
		}
		if err != nil {
			return fmt.Errorf("remove a picture: %w", err)
		}
	}
	return nil
}

// Pictures returns a list of the stored pictures. See store.Gallery.
func (s *Store) Pictures(ctx context.Context) ([]store.KeptPicture, error) {
	if err := s.usable(ctx); err != nil {
		return nil, fmt.Errorf("list the pictures: %w", err)
	}
	all, err := s.disk.pictures()
	if err != nil {
		return nil, fmt.Errorf("list the pictures: %w", err)
	}
	return all, nil
}

// pictures lists the pictures of a store and ignores other files of the folder.
func (d *disk) pictures() ([]store.KeptPicture, error) {
	names, err := d.names(picturesFolder)
	if err != nil {
		return nil, err
	}
	out := make([]store.KeptPicture, 0, len(names))
	for _, n := range names {
		sum, _, _ := strings.Cut(n, ".")
		name := path.Join(picturesFolder, n)
		if !tree.IsPictureID(sum) || !slices.Contains(pictureFiles(sum), name) {
			continue
		}
		info, err := d.stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed meanwhile
		case err != nil:
			return nil, err
		case info.Mode().IsRegular():
			out = append(out, store.KeptPicture{SHA256: sum, File: name, Bytes: info.Size(), Put: info.ModTime()})
		}
	}
	return out, nil
}

// copyPictures makes the pictures of the copy equal to those of the store.
func (c *copier) copyPictures(ctx context.Context) error {
	all, err := c.from.pictures()
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, p := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		wanted[p.File] = true
		err := c.file(fileRef{Name: p.File, Bytes: p.Bytes, Sum: p.SHA256})
		if _, damaged := errors.AsType[*store.CorruptError](err); damaged {
			continue // a damaged picture must not prevent a backup; Verify reports it
		}
		if err != nil {
			return err
		}
	}
	have, err := c.to.pictures()
	if err != nil {
		return err
	}
	for _, p := range have {
		if !wanted[p.File] {
			c.to.discard(p.File)
		}
	}
	return nil
}

// pictures checks the hash of every picture.
func (v *verifier) pictures(ctx context.Context) error {
	all, err := v.store.disk.pictures()
	if err != nil {
		return err
	}
	for _, p := range all {
		v.Files++
		v.Bytes += p.Bytes
		if _, err := v.store.Picture(ctx, p.SHA256); err != nil && !errors.Is(err, tree.ErrNotFound) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			v.found(err)
		}
	}
	return nil
}
