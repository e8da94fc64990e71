package piece

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
)

var testKind = Kind{Magic: "memtree-test\n", Format: 1, Name: "a test's file", Again: "it is made again"}

// fileOf returns a file of some pages, the last one in part, with the pages themselves.
func fileOf(t *testing.T, size int) (file, pages []byte) {
	r := rand.New(rand.NewPCG(1, uint64(size)))
	pages = make([]byte, size)
	for i := range pages {
		pages[i] = byte(r.Uint32())
	}
	var b bytes.Buffer
	p := InMemory(&testKind, pages)
	require.NoError(t, p.Write(&b, p.Front([]byte("fields"))))
	return b.Bytes(), pages
}

// TestEveryReaderSeesTheSameBytes: pages in memory, of a file, of one who passes through it, and of a mapped file are
// the same bytes at every place, and make the same file.
func TestEveryReaderSeesTheSameBytes(t *testing.T) {
	for _, size := range []int{1, PageSize, PageSize + 1, windowSize + 3, 3*windowSize + 5*PageSize + 77} {
		file, pages := fileOf(t, size)
		opened, _, _, err := Open(&testKind, bytes.NewReader(file), int64(len(file)))
		require.NoError(t, err)
		f, err := os.Create(filepath.Join(t.TempDir(), "pages"))
		require.NoError(t, err)
		_, err = f.Write(pages)
		require.NoError(t, err)
		mapped, err := Mapped(&testKind, f, int64(size))
		require.NoError(t, err)
		passed, passedMap, none := opened.Passing(), mapped.Passing(), InMemory(&testKind, pages)
		for name, p := range map[string]*Pages{"file": &opened, "mapped": &mapped, "passing": &passed,
			"passing a map": &passedMap, "memory": &none} {
			r := rand.New(rand.NewPCG(2, uint64(size)))
			for range 300 {
				off := r.Int64N(int64(size))
				n := r.Int64N(int64(size)-off) + 1
				if r.IntN(3) > 0 {
					n = min(n, 40)
				}
				b, err := p.Span(off, n)
				require.NoError(t, err, name)
				require.True(t, bytes.Equal(pages[off:off+n], b), "%s at %d", name, off)
				if b := p.Resident(off, n); b != nil {
					require.True(t, bytes.HasPrefix(pages[off:], b), "%s at %d", name, off)
				}
				require.NoError(t, p.Ahead(off, n))
				require.NotEmpty(t, p.Resident(off, n), name)
			}
			var again bytes.Buffer
			require.NoError(t, p.Write(&again, p.Front([]byte("fields"))), name)
			require.True(t, bytes.Equal(file, again.Bytes()), name)
			_, err := p.Span(int64(size), 1)
			require.Error(t, err, name)
		}
	}
}

// TestOneWhoPassesFindsDamage: a changed byte of a file is an error of whoever reads its page.
func TestOneWhoPassesFindsDamage(t *testing.T) {
	file, _ := fileOf(t, 2*windowSize)
	start := len(file) - 2*windowSize
	file[start+windowSize+9] ^= 1
	p, _, _, err := Open(&testKind, bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	passing := p.Passing()
	_, err = passing.Span(0, windowSize)
	require.NoError(t, err)
	var damage *store.CorruptError
	_, err = passing.Span(windowSize, 1)
	require.ErrorAs(t, err, &damage)
	require.ErrorAs(t, p.Write(new(bytes.Buffer), p.Front(nil)), &damage)
}
