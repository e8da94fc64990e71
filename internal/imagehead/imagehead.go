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

// errUnknown means that the bytes are no picture of a supported type.
var errUnknown = errors.New("is no PNG, JPEG or WebP picture")

// Read returns the content type of the image file b (image/png, image/jpeg or image/webp) and its size in pixels, at
// least 1 each. It reads the head of the file only. It returns an error for an unsupported type, a truncated head, or a
// size of 0.
func Read(b []byte) (kind string, size image.Point, err error) {
	kind = "image/webp"
	if size, err = webp(b); errors.Is(err, errUnknown) {
		var c image.Config
		c, kind, err = image.DecodeConfig(bytes.NewReader(b))
		if errors.Is(err, image.ErrFormat) || err == nil && kind != "png" && kind != "jpeg" {
			return "", image.Point{}, errUnknown
		}
		kind, size = "image/"+kind, image.Pt(c.Width, c.Height)
	}
	if err == nil && (size.X < 1 || size.Y < 1) {
		err = errors.New("it has no width or height")
	}
	if err != nil {
		return "", image.Point{}, fmt.Errorf("is a picture that cannot be read: %w", err)
	}
	return kind, size, nil
}

// errShort means that a WebP file ends within its head.
var errShort = errors.New("it is cut off")

// webp reads the size in the head of a WebP file: a RIFF container whose first chunk has it, in one of three ways (RFC
// 9649, sections 2.5 to 2.7).
func webp(b []byte) (size image.Point, err error) {
	if len(b) < 12 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WEBP" {
		return size, errUnknown
	}
	if len(b) < 30 {
		return size, errShort
	}
	d := b[20:]
	switch kind := string(b[12:16]); {
	case kind == "VP8X":
		return image.Pt(1+uint24(d[4:]), 1+uint24(d[7:])), nil
	case kind == "VP8 " && bytes.Equal(d[3:6], []byte{0x9d, 0x01, 0x2a}):
		return image.Pt(int(binary.LittleEndian.Uint16(d[6:]))&0x3fff, int(binary.LittleEndian.Uint16(d[8:]))&0x3fff), nil
	case kind == "VP8L" && d[0] == 0x2f:
		bits := binary.LittleEndian.Uint32(d[1:])
		return image.Pt(1+int(bits&0x3fff), 1+int(bits>>14&0x3fff)), nil
	}
	return size, errors.New("its first chunk is of no known kind")
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
