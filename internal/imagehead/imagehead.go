// Package imagehead reads the type and size of an image from the head of its file: PNG, JPEG or WebP. It decodes no
// pixels, so a small file that unpacks to a huge image costs nothing.
package imagehead

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // for image.DecodeConfig
	_ "image/png"
)

// Head is the type and size of a picture.
type Head struct {
	Type          string // content type: image/png, image/jpeg or image/webp
	Width, Height int    // pixels, at least 1
}

// errUnknown means that the bytes are no picture of a supported type.
var errUnknown = errors.New("is no PNG, JPEG or WebP picture")

// Read reads the head of a picture. It returns an error for an unsupported type, a truncated head, or a size of
// 0.
func Read(b []byte) (Head, error) {
	h, err := webp(b)
	if errors.Is(err, errUnknown) {
		var c image.Config
		var kind string
		c, kind, err = image.DecodeConfig(bytes.NewReader(b))
		if errors.Is(err, image.ErrFormat) || err == nil && kind != "png" && kind != "jpeg" {
			return Head{}, errUnknown
		}
		h = Head{"image/" + kind, c.Width, c.Height}
	}
	if err == nil && (h.Width < 1 || h.Height < 1) {
		err = errors.New("it has no width or height")
	}
	if err != nil {
		return Head{}, fmt.Errorf("is a picture that cannot be read: %w", err)
	}
	return h, nil
}

// errShort means that a WebP file ends within its head.
var errShort = errors.New("it is cut off")

// webp reads the head of a WebP file: a RIFF container whose first chunk has the size, in one of three ways (RFC 9649,
// sections 2.5 to 2.7).
func webp(b []byte) (Head, error) {
	if len(b) < 12 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WEBP" {
		return Head{}, errUnknown
	}
	if len(b) < 30 {
		return Head{}, errShort
	}
	d, h := b[20:], Head{Type: "image/webp"}
	switch kind := string(b[12:16]); {
	case kind == "VP8X":
		h.Width, h.Height = 1+uint24(d[4:]), 1+uint24(d[7:])
	case kind == "VP8 " && bytes.Equal(d[3:6], []byte{0x9d, 0x01, 0x2a}):
		h.Width = int(binary.LittleEndian.Uint16(d[6:])) & 0x3fff
		h.Height = int(binary.LittleEndian.Uint16(d[8:])) & 0x3fff
	case kind == "VP8L" && d[0] == 0x2f:
		bits := binary.LittleEndian.Uint32(d[1:])
		h.Width, h.Height = 1+int(bits&0x3fff), 1+int(bits>>14&0x3fff)
	default:
		return Head{}, errors.New("its first chunk is of no known kind")
	}
	return h, nil
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
