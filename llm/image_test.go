package llm_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/gif"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
)

func pngOf(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))))
	return b.Bytes()
}

// bomb returns a PNG of a few bytes whose head promises so many pixels.
func bomb(t *testing.T, side uint32) []byte {
	b := bytes.Clone(pngOf(t, 1, 1))
	binary.BigEndian.PutUint32(b[16:], side)
	binary.BigEndian.PutUint32(b[20:], side)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

func TestNewImage(t *testing.T) {
	good := pngOf(t, 40, 30)
	i, err := llm.NewImage(good)
	require.NoError(t, err)
	require.Equal(t, llm.Image{Type: "image/png", Width: 40, Height: 30, Bytes: good}, i)

	var g bytes.Buffer
	require.NoError(t, gif.Encode(&g, image.NewGray(image.Rect(0, 0, 7, 5)), nil))
	for why, b := range map[string][]byte{
		"is no PNG, JPEG or WebP picture": []byte("<svg onload='x'/>"),
		"no PNG, JPEG or WebP":            g.Bytes(),
		"the image is no PNG":             nil,
		"cannot be read":                  good[:20],
		"the most is 8000 a side":         bomb(t, 60_000),
		"the most is 4 MiB":               append(bytes.Clone(good), make([]byte, llm.MaxImage)...),
	} {
		_, err := llm.NewImage(b)
		require.ErrorContains(t, err, why)
	}
	_, err = llm.NewImage(bomb(t, 7_000))
	require.ErrorContains(t, err, "32 million in all")
}

func TestImagesOfRequest(t *testing.T) {
	i, err := llm.NewImage(pngOf(t, 40, 30))
	require.NoError(t, err)
	r := llm.Request{Name: "look", Images: []llm.Image{i, i}}
	require.NoError(t, r.CheckImages())
	require.NotEmpty(t, r.ImageKeys())
	one := llm.Request{Images: r.Images[:1]}
	require.NotEqual(t, one.ImageKeys(), r.ImageKeys())
	require.Empty(t, (&llm.Request{}).ImageKeys())

	r.Images = []llm.Image{i, i, i, i, i}
	require.Equal(t, llm.KindTooLarge, llm.KindOf(r.CheckImages()))
	r.Images = []llm.Image{{Type: "image/jpeg", Bytes: i.Bytes}}
	require.ErrorContains(t, r.CheckImages(), "of another type than its own")
	r.Images = []llm.Image{{Type: "image/png", Bytes: []byte(strings.Repeat("x", 99))}}
	require.Equal(t, llm.KindBadRequest, llm.KindOf(r.CheckImages()))

	require.False(t, llm.Sees(llmtest.Echo{}))
	require.Equal(t, 86, llm.Tokens(40, 30))
	require.Equal(t, 1600, llm.Tokens(8000, 4000))
}
