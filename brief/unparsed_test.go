package brief

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// savedBook returns a saved book of n tests for which nothing was read.
func savedBook(t testing.TB, n int) []byte {
	b := New()
	for i := range n {
		require.NoError(t, b.Note(coming(i), coming(i).Prompt))
	}
	var out bytes.Buffer
	require.NoError(t, b.Save(&out))
	return out.Bytes()
}

// coming is the i-th test. Two in a row have one prompt, five in a row one id. Prompts quote what looks like fields.
func coming(i int) UpcomingTest {
	return UpcomingTest{
		ID: fmt.Sprintf("T<%d>\"", i/5), Prompt: fmt.Sprintf(`Check 金额 %d, "id":"T<1>" and {"key":"b_2"}`, i/2),
		Product: []string{"shop", "bank", ""}[i%3], Suite: fmt.Sprint(i % 7),
		Seen: monday.Add(time.Duration(i) * time.Minute),
	}
}

// TestABookThatIsNotParsedIsTheSame: whatever is done with a book, and in whatever order, it makes no difference
// whether its tests were parsed before.
func TestABookThatIsNotParsedIsTheSame(t *testing.T) {
	file := savedBook(t, 200)
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		early, err := Load(bytes.NewReader(file))
		require.NoError(t, err)
		require.NotNil(t, early.rest)
		early.parseAll()
		late, err := Load(bytes.NewReader(file))
		require.NoError(t, err)
		for range 1 + rng.IntN(8) {
			test := coming(rng.IntN(260)) // some are new
			switch rng.IntN(5) {
			case 0, 1:
				test.Seen = test.Seen.Add(time.Duration(rng.IntN(3)) * time.Hour)
				require.NoError(t, early.Note(test, test.Prompt))
				require.NoError(t, late.Note(test, test.Prompt))
			case 2, 3:
				require.ElementsMatch(t, early.Names(&test), late.Names(&test))
			default:
				_, was := early.Find(&test)
				_, is := late.Find(&test)
				require.Equal(t, was, is)
			}
		}
		var want, got bytes.Buffer
		require.NoError(t, early.Save(&want))
		require.NoError(t, late.Save(&got))
		require.Equal(t, want.String(), got.String(), "seed %d", seed)
		require.Equal(t, early.Changes(), late.Changes())
		require.Equal(t, early.Known(), late.Known())
		require.Equal(t, early.List(), late.List())
		require.Equal(t, early.Since(monday.Add(time.Hour)), late.Since(monday.Add(time.Hour)))
	}
}

// TestOddLinesAreParsedAtOnce: a file in another form than Save's is read as before, with its errors.
func TestOddLinesAreParsedAtOnce(t *testing.T) {
	file := savedBook(t, 3)
	lines := bytes.SplitAfter(file, []byte("\n"))
	for name, bad := range map[string][]byte{
		"cut off":   file[:len(file)-5],
		"twice":     append(bytes.Clone(file), lines[1]...),
		"no key":    append(bytes.Clone(file), "{}\n"...),
		"not JSON":  append(bytes.Clone(file), "x\n"...),
		"no memory": append([]byte(`{"version":1,"last":1,"memories":{"m":{"n":2}}}`+"\n"), lines[1]...),
	} {
		_, err := Load(bytes.NewReader(bad))
		require.ErrorContains(t, err, "load briefs: line", name)
	}
	turned, err := Load(bytes.NewReader(bytes.Join([][]byte{lines[0], lines[2], lines[1], lines[3]}, nil)))
	require.NoError(t, err)
	require.Nil(t, turned.rest)
	require.Equal(t, 3, turned.Known().Tests)
}

// TestADamagedLineCostsOneTest: a line of the right form whose inside is damaged is left out when it is parsed.
func TestADamagedLineCostsOneTest(t *testing.T) {
	file := savedBook(t, 9)
	at := bytes.Index(file, []byte(`"seen":"`)) + len(`"seen":"`)
	file[at] = 'x'
	b, err := Load(bytes.NewReader(file))
	require.NoError(t, err)
	require.Len(t, b.List(), 8)
	require.Equal(t, 8, b.Known().Tests)
}

func BenchmarkLoadAndNote(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		file := savedBook(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				book, err := Load(bytes.NewReader(file))
				require.NoError(b, err)
				test := coming(n + 1)
				_ = book.Names(&test)
				require.NoError(b, book.Note(test, test.Prompt))
				require.NoError(b, book.Save(io.Discard))
			}
		})
	}
}
