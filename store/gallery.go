package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"github.com/memtree/memtree/tree"
)

// Gallery is a Store that also stores pictures of runs, each once under the SHA-256 of its bytes. It does not know
// which runs refer to a picture.
type Gallery interface {
	// PutPicture stores the bytes b of p. They are stored completely and durably when it returns nil, otherwise not at
	// all. Bytes that CheckPicture refuses are not stored. If the picture exists, its Put time becomes now. If the
	// gallery would exceed MaxGallery, the error is ErrGalleryFull.
	PutPicture(ctx context.Context, p tree.Picture, b []byte) error

	// Picture returns the bytes of a picture, or ErrNotFound. It returns a *CorruptError if their SHA-256 is not sum.
	Picture(ctx context.Context, sum string) ([]byte, error)

	// RemovePicture removes a picture. Removing an absent one is a no-op.
	RemovePicture(ctx context.Context, sum string) error

	// Pictures lists the stored pictures, sorted by SHA256.
	Pictures(ctx context.Context) ([]KeptPicture, error)
}

// KeptPicture describes a picture in a Gallery.
type KeptPicture struct {
	SHA256 string
	File   string // name of the file within the store's folder; in a database the name that the file would have
	Bytes  int64
	Put    time.Time // time of the last PutPicture
}

// ErrGalleryFull means that the pictures of a store have reached MaxGallery.
var ErrGalleryFull = errors.New("the pictures of this store have reached their limit of 2 GiB")

// MaxGallery is the most bytes that all pictures in one store may have together.
const MaxGallery = 2 << 30

// CheckPicture returns a FieldError if b are not the bytes of p, or if p.Type is not one of tree.PictureTypes.
func CheckPicture(p tree.Picture, b []byte) error {
	if PictureSum(b) != p.SHA256 || !slices.Contains(tree.PictureTypes(), p.Type) {
		return &tree.FieldError{Field: "sha256", Problem: "is not that of a picture of this type"}
	}
	return nil
}

// PictureSum returns the SHA-256 of a picture, in hexadecimal.
func PictureSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
