package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// pictures: a gallery keeps a picture once, under the hash of its bytes, and refuses what is no picture of its type.
func pictures(t testing.TB, open opener) {
	t.Helper()
	g, ok := openNew(t, open).(store.Gallery)
	if !ok {
		t.Skip("the store is no store.Gallery")
	}
	ctx, b := t.Context(), []byte("\x89PNG bytes")
	p := tree.Picture{SHA256: store.PictureSum(b), Type: "image/png", Width: 1, Height: 1, Bytes: len(b)}
	for _, bad := range []func(p *tree.Picture){
		func(p *tree.Picture) { p.SHA256 = store.PictureSum(b[1:]) },
		func(p *tree.Picture) { p.Type = "text/html" },
		func(p *tree.Picture) { p.Type = "" },
	} {
		other := p
		bad(&other)
		require.ErrorAs(t, g.PutPicture(ctx, other, b), new(*tree.FieldError))
	}
	_, err := g.Picture(ctx, p.SHA256)
	require.ErrorIs(t, err, tree.ErrNotFound)
	for range 2 {
		require.NoError(t, g.PutPicture(ctx, p, b))
	}
	got, err := g.Picture(ctx, p.SHA256)
	require.NoError(t, err)
	require.Equal(t, b, got)
	all, err := g.Pictures(ctx)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, []any{p.SHA256, p.File(), int64(len(b))}, []any{all[0].SHA256, all[0].File, all[0].Bytes})
	for range 2 {
		require.NoError(t, g.RemovePicture(ctx, p.SHA256))
	}
	all, err = g.Pictures(ctx)
	require.NoError(t, err)
	require.Empty(t, all)
}
