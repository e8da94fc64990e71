package imagehead

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"
)

func encoded(t testing.TB, as func(*bytes.Buffer, image.Image) error) []byte {
	var b bytes.Buffer
	require.NoError(t, as(&b, image.NewGray(image.Rect(0, 0, 7, 5))))
	return b.Bytes()
}

func asPNG(b *bytes.Buffer, i image.Image) error  { return png.Encode(b, i) }
func asJPEG(b *bytes.Buffer, i image.Image) error { return jpeg.Encode(b, i, nil) }
func asGIF(b *bytes.Buffer, i image.Image) error  { return gif.Encode(b, i, nil) }

// webps are the heads of WebP files of 7 by 5 pixels, in the three ways.
var webps = map[string]string{
	"extended": "RIFF\x2a\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x10\x00\x00\x00\x06\x00\x00\x04\x00\x00",
	"lossy":    "RIFF\x2a\x00\x00\x00WEBPVP8 \x1e\x00\x00\x00\x10\x02\x00\x9d\x01\x2a\x07\x00\x05\x00",
	"lossless": "RIFF\x2a\x00\x00\x00WEBPVP8L\x1e\x00\x00\x00\x2f\x06\x00\x01\x00\x00\x00\x00\x00\x00",
}

func TestRead(t *testing.T) {
	for kind, b := range map[string][]byte{"image/png": encoded(t, asPNG), "image/jpeg": encoded(t, asJPEG)} {
		got, size, err := Read(b)
		require.NoError(t, err)
		require.Equal(t, kind, got)
		require.Equal(t, image.Pt(7, 5), size)
	}
	for name, b := range webps {
		kind, size, err := Read([]byte(b))
		require.NoError(t, err, name)
		require.Equal(t, "image/webp", kind, name)
		require.Equal(t, image.Pt(7, 5), size, name)
		_, _, err = Read([]byte(b[:20]))
		require.Error(t, err, name)
	}
}

func TestReadHeadRefuses(t *testing.T) {
	for _, b := range [][]byte{
		nil, []byte("<svg onload='x'/>"), []byte("<html>"), encoded(t, asGIF), []byte("PK\x03\x04"),
	} {
		_, _, err := Read(b)
		require.ErrorIs(t, err, errUnknown)
	}
	_, _, err := Read(encoded(t, asPNG)[:20])
	require.ErrorContains(t, err, "cannot be read")
	_, _, err = Read([]byte("RIFF\x2a\x00\x00\x00WEBPALPH\x0a\x00\x00\x00aaaaaaaaaaaaaaaa"))
	require.ErrorContains(t, err, "no known kind")
}

func FuzzRead(f *testing.F) {
	f.Add(encoded(f, asPNG))
	f.Add(encoded(f, asJPEG))
	for _, b := range webps {
		f.Add([]byte(b))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if kind, size, err := Read(b); err == nil && (size.X < 1 || size.Y < 1 || kind == "") {
			t.Fatal(kind, size)
		}
	})
}
