package llm

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/memtree/memtree/internal/imagehead"
)

// Image is a picture (PNG, JPEG or WebP) that a request shows to a model after the prompt.
type Image struct {
	Type   string // content type: image/png, image/jpeg or image/webp
	Width  int    // width in pixels
	Height int    // height in pixels
	Bytes  []byte // the image file
}

// Limits on the images of a request. Every provider accepts images within them.
const (
	maxImages      = 4
	MaxImage       = 4 << 20 // most bytes of one image
	MaxImageSide   = 8000    // most pixels of width and of height
	maxImagePixels = 32 << 20
)

// NewImage returns the Image in the file b. It reads only the head of the file and decodes no pixels. Its error, for
// another kind of file or one beyond the limits, is a sentence for people.
func NewImage(b []byte) (Image, error) {
	if len(b) > MaxImage {
		return Image{}, fmt.Errorf("the image has %d bytes; the most is %d MiB", len(b), MaxImage>>20)
	}
	kind, size, err := imagehead.Read(b)
	if err != nil {
		return Image{}, fmt.Errorf("the image %w", err)
	}
	if size.X > MaxImageSide || size.Y > MaxImageSide || size.X*size.Y > maxImagePixels {
		return Image{}, fmt.Errorf("the image has %d by %d pixels; the most is %d a side and %d million in all", size.X,
			size.Y, MaxImageSide, maxImagePixels>>20)
	}
	return Image{kind, size.X, size.Y, b}, nil
}

// Constants of Tokens.
const (
	pixelsOfToken  = 750  // as Anthropic counts; OpenAI's tiles come to fewer
	mostImageToken = 1600 // larger images are made smaller by the provider
)

// Tokens estimates how many tokens an image of width times height pixels costs.
func Tokens(width, height int) int { return min(mostImageToken, 85+width*height/pixelsOfToken) }

// Sees reports whether model accepts images.
func Sees(model any) bool {
	m, ok := Find[interface{ Sees() bool }](model)
	return ok && m.Sees()
}

// CheckImages returns an *Error of KindTooLarge if r has more than four images, and of KindBadRequest if an image is
// invalid or beyond the limits.
func (r *Request) CheckImages() error {
	if len(r.Images) > maxImages {
		return &Error{Kind: KindTooLarge, Err: fmt.Errorf("the prompt %s has %d images; the most is %d", r.Name,
			len(r.Images), maxImages)}
	}
	for i := range r.Images {
		is, err := NewImage(r.Images[i].Bytes)
		if err == nil && is.Type != r.Images[i].Type {
			err = errors.New("the image is of another type than its own")
		}
		if err != nil {
			return &Error{Kind: KindBadRequest, Err: fmt.Errorf("image %d of the prompt %s: %w", i+1, r.Name, err)}
		}
	}
	return nil
}

// ImageKeys returns a text that is equal only for equal images, "" if r has none. A cache uses it in the key of a
// request.
func (r *Request) ImageKeys() string {
	var b strings.Builder
	for i := range r.Images {
		fmt.Fprintf(&b, "%x", sha256.Sum256(r.Images[i].Bytes))
	}
	return b.String()
}
