package tree

import (
	"context"
	"errors"
	"time"
)

// Gallery is a Store that also keeps the pictures of runs, each once, by the SHA-256 of its bytes.
// Who refers to a picture is not its business.
type Gallery interface {
	// PutPicture keeps the bytes of p: whole and durable when it returns nil, or not at all. A picture that is there
	// already becomes new again for Pictures. Past MaxGallery the error is ErrGalleryFull.
	PutPicture(ctx context.Context, p Picture, b []byte) error

	// Picture returns the bytes of a picture, or ErrNotFound. Bytes that are not what sum says are a *CorruptError.
	Picture(ctx context.Context, sum string) ([]byte, error)

	// RemovePicture removes a picture. That it is absent is no error.
	RemovePicture(ctx context.Context, sum string) error

	// Pictures lists the pictures that are kept, sorted by SHA256.
	Pictures(ctx context.Context) ([]KeptPicture, error)
}

// KeptPicture is a picture as it lies in a Gallery.
type KeptPicture struct {
	SHA256 string
	File   string // its name within the store
	Bytes  int64
	Put    time.Time // last
}

// ErrGalleryFull is for a store whose pictures have reached MaxGallery.
var ErrGalleryFull = errors.New("the pictures of this store have reached their limit of 2 GiB")

// MaxGallery bounds the pictures of one store, in bytes.
const MaxGallery = 2 << 30
