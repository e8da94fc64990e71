package brief

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/prompts"
)

// files are the pieces of a saved book, by name.
type files struct {
	head   []byte
	pieces map[string][]byte
	wrote  int // bytes, of the last save
}

// save stores a book as store.SavePieces does.
func (fs *files) save(t testing.TB, b *Book) {
	p, err := b.Pieces()
	require.NoError(t, err)
	had := fs.pieces
	fs.pieces, fs.head, fs.wrote = map[string][]byte{}, p.Head(), len(p.Head())
	for i, name := range p.Names() {
		if old, ok := had[name]; ok {
			fs.pieces[name] = old
			continue
		}
		var w bytes.Buffer
		require.NoError(t, p.Write(i, &w))
		fs.pieces[name] = w.Bytes()
		fs.wrote += w.Len()
	}
}

var errGone = errors.New("it is gone")

func (fs *files) open(name string) (io.ReaderAt, int64, error) {
	b, ok := fs.pieces[name]
	if !ok {
		return nil, 0, errGone
	}
	return bytes.NewReader(b), int64(len(b)), nil
}

func (fs *files) load(t testing.TB) *Book {
	b, err := LoadPieces(fs.head, fs.open)
	require.NoError(t, err)
	return b
}

// bookOf returns a book of n tests for which nothing was read.
func bookOf(t testing.TB, n int) *Book {
	b := New()
	for i := range n {
		require.NoError(t, b.Note(coming(i), coming(i).Prompt))
	}
	return b
}

func saved(t testing.TB, b *Book) *files {
	fs := &files{}
	fs.save(t, b)
	return fs
}

// coming is the i-th test. Two in a row have one prompt, five in a row one id. Prompts quote what looks like fields.
func coming(i int) UpcomingTest {
	return UpcomingTest{
		ID: fmt.Sprintf("T<%d>\"", i/5), Prompt: fmt.Sprintf(`Check 金额 %d, "id":"T<1>" and {"key":"b_2"}, "upTo":7`, i/2),
		Product: []string{"shop", "bank", ""}[i%3], Suite: fmt.Sprint(i % 7),
		Seen: monday.Add(time.Duration(i) * time.Minute),
	}
}

// content is everything that a book has.
func content(t testing.TB, b *Book) string {
	var w bytes.Buffer
	require.NoError(t, b.Save(&w))
	return w.String() + fmt.Sprint(b.Known(), b.readers, b.Picked(), len(b.List()))
}

// TestABookInPiecesIsTheSame: whatever is done with a book, and in whatever order, it makes no difference how often it
// was saved and loaded between.
func TestABookInPiecesIsTheSame(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 1))
		whole, pieced := New(), New()
		live := []Material{{ID: "m1", Line: "line m1", Cases: 1}}
		fs := saved(t, pieced)
		both := func(do func(b *Book)) { do(whole); do(pieced) }
		for range 1 + rng.IntN(40) {
			test, memory, found := coming(rng.IntN(60)), fmt.Sprint("m", rng.IntN(6)), rng.IntN(2) == 0
			switch rng.IntN(9) {
			case 0, 1, 2, 3:
				test.Seen = test.Seen.Add(time.Duration(rng.IntN(3)) * time.Hour)
				both(func(b *Book) { require.NoError(t, b.Note(test, test.Prompt)) })
			case 4:
				require.ElementsMatch(t, whole.Names(&test), pieced.Names(&test))
				was, had := whole.Find(&test)
				is, has := pieced.Find(&test)
				require.Equal(t, had, has)
				require.Equal(t, was, is)
				require.Equal(t, whole.Unread(&was, memory), pieced.Unread(&is, memory))
			case 5:
				live = live[:1]
				if memory != "m1" {
					live = append(live, Material{ID: memory, Line: "line " + memory, Cases: 1})
				}
				both(func(b *Book) { b.Learn(live) })
			case 6:
				both(func(b *Book) {
					b.Learn(live) // as every Read does
					for _, q := range b.Plan(b.Since(time.Time{}), QuestionLimits{Tests: 7}, nil) {
						if q.found = make([]bool, len(q.tests)); found {
							q.found[0] = true
						}
						b.take(&q, []prompts.BriefPick{{Test: "t1", Memory: "m1", Because: q.In.Tests[0].Prompt[:9]}},
							ReaderInfo{By: memory, At: monday})
					}
				})
			case 7:
				before := monday.Add(time.Duration(rng.IntN(20)) * time.Minute)
				both(func(b *Book) { b.Forget(before) })
			default:
				fs.save(t, pieced)
				pieced = fs.load(t)
			}
		}
		fs.save(t, pieced)
		require.Equal(t, content(t, whole), content(t, pieced), "seed %d", seed)
		require.Equal(t, content(t, whole), content(t, fs.load(t)), "seed %d", seed)
		require.Equal(t, whole.Since(monday.Add(time.Hour)), pieced.Since(monday.Add(time.Hour)))
	}
}

// TestOneMoreTestIsOneSmallPiece: what a save writes does not depend on how many tests there are, and a book that was
// loaded and saved is the same.
func TestOneMoreTestIsOneSmallPiece(t *testing.T) {
	fs := saved(t, bookOf(t, 3000))
	before := maps.Clone(fs.pieces)
	fs.save(t, fs.load(t))
	require.Equal(t, before, fs.pieces)
	b := fs.load(t)
	require.NoError(t, b.Note(coming(4000), coming(4000).Prompt))
	fs.save(t, b)
	require.Less(t, fs.wrote, 10_000)
	require.Len(t, b.briefs, 1, "no other test was parsed")
	again := coming(10)
	again.Seen = again.Seen.Add(2 * time.Hour)
	require.NoError(t, b.Note(again, again.Prompt))
	fs.save(t, b)
	require.Less(t, fs.wrote, 10_000)
	require.Equal(t, 3001, fs.load(t).Known().Tests)
	for i := range 500 { // small pieces are merged
		test := coming(5000 + i)
		require.NoError(t, b.Note(test, test.Prompt))
		fs.save(t, b)
	}
	require.Less(t, len(fs.pieces), 12)
	require.Len(t, fs.load(t).List(), 3501)
}

// TestABookThatIsOneFileIsConverted: a shared store has a book as one file.
func TestABookThatIsOneFileIsConverted(t *testing.T) {
	b := bookOf(t, 50)
	b.Learn([]Material{{ID: "m1", Line: "a line"}})
	var old bytes.Buffer
	require.NoError(t, b.Save(&old))
	got, err := LoadPieces(old.Bytes(), nil)
	require.NoError(t, err)
	require.Equal(t, content(t, b), content(t, saved(t, got).load(t)))
	for name, bad := range map[string][]byte{
		"cut off":    old.Bytes()[:old.Len()-5],
		"twice":      append(bytes.Clone(old.Bytes()), bytes.SplitAfter(old.Bytes(), []byte("\n"))[1]...),
		"no key":     append(bytes.Clone(old.Bytes()), "{}\n"...),
		"not JSON":   append(bytes.Clone(old.Bytes()), "x\n"...),
		"no memory":  []byte(`{"version":1,"last":1,"memories":{"m":{"n":2}}}` + "\n"),
		"no version": []byte("{}\n"),
		"nothing":    nil,
	} {
		_, err := LoadPieces(bad, nil)
		require.ErrorContains(t, err, "load briefs: ", name)
	}
}

// TestDamageCostsThePieceItIsIn: a lost or damaged piece is an error, and what else there is can be used and is saved.
func TestDamageCostsThePieceItIsIn(t *testing.T) {
	b := bookOf(t, 100)
	fs := saved(t, b)
	b = fs.load(t)
	for i := range 10 {
		require.NoError(t, b.Note(coming(200+i), coming(200+i).Prompt))
	}
	b.Learn([]Material{{ID: "m1", Line: "a line"}})
	fs.save(t, b)
	require.Len(t, fs.pieces, 3)
	left := map[int]bool{}
	for name, data := range fs.pieces {
		for _, bad := range [][]byte{nil, data[:len(data)-1], flip(data, 3), flip(data, 30), flip(data, 5000%len(data))} {
			broken := &files{head: fs.head, pieces: maps.Clone(fs.pieces)}
			if broken.pieces[name] = bad; bad == nil {
				delete(broken.pieces, name)
			}
			got, err := LoadPieces(broken.head, broken.open)
			if bad == nil {
				require.ErrorIs(t, err, errGone)
			}
			if err != nil {
				require.ErrorContains(t, err, "load briefs: ")
				left[got.Known().Tests] = true
			}
			n := len(got.List()) // reads all pages
			require.GreaterOrEqual(t, n, 10)
			broken.save(t, got)
			require.Len(t, broken.load(t).List(), n)
		}
	}
	require.Equal(t, map[int]bool{10: true, 100: true, 110: true}, left)
	for at := range fs.head {
		_, err := LoadPieces(flip(fs.head, at), fs.open)
		require.Error(t, err, "byte %d of the head", at)
	}
}

func flip(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 4
	return b
}

// FuzzPieces: no head and no piece makes a book panic.
func FuzzPieces(f *testing.F) {
	fs := saved(f, bookOf(f, 9))
	for name, piece := range fs.pieces {
		f.Add(fs.head, name, piece)
		f.Add(fs.head, name, piece[:len(piece)-1])
	}
	f.Fuzz(func(t *testing.T, head []byte, name string, piece []byte) {
		b, err := LoadPieces(head, (&files{pieces: map[string][]byte{name: piece}}).open)
		if err != nil && b == nil {
			return
		}
		test := coming(3)
		_ = b.Names(&test)
		_ = b.List()
		_, err = b.Pieces()
		require.NoError(t, err)
	})
}

// BenchmarkNote opens a book, looks for a test, adds one, and saves the book.
func BenchmarkNote(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		fs := saved(b, bookOf(b, n))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				book, own := fs.load(b), *fs
				test := coming(n + 1)
				_ = book.Names(&test)
				require.NoError(b, book.Note(test, test.Prompt))
				own.save(b, book)
				b.ReportMetric(float64(own.wrote), "bytes/op")
			}
		})
	}
}
