package llm

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/memtree/memtree/internal/imagehead"
)

// Image is a picture that a model is shown after the prompt: PNG, JPEG or WebP.
type Image struct {
	Type          string // content type: image/png, image/jpeg or image/webp
	Width, Height int    // pixels
	Bytes         []byte
}

// Limits on the images of a request. Every provider accepts images within them.
const (
	maxImages      = 4
	MaxImage       = 4 << 20 // bytes of one
	MaxImageSide   = 8000    // pixels
	maxImagePixels = 32 << 20
)

// NewImage reads the head of an image file. Its error is a sentence for a file that is none, or one beyond the limits.
// It decodes no pixels.
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

// Tokens returns about how many tokens an image of so many pixels costs.
func Tokens(width, height int) int { return min(mostImageToken, 85+width*height/pixelsOfToken) }

// Sees reports whether a model takes images.
func Sees(model any) bool {
	m, ok := Find[interface{ Sees() bool }](model)
	return ok && m.Sees()
}

// CheckImages returns an error of kind too large or bad request for images that no model may be sent.
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

// ImageKeys returns a text that differs for different images, "" for none. It is for keys of requests.
func (r *Request) ImageKeys() string {
	var b strings.Builder
	for i := range r.Images {
		fmt.Fprintf(&b, "%x", sha256.Sum256(r.Images[i].Bytes))
	}
	return b.String()
}
