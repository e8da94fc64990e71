package report_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ingest/report"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/tree"
)

// Each sample is damaged at so many places and with so many seeds.
const cuts, seeds = 10, 4

// TestDamaged: of a report that is cut off, doubled, emptied, or has random bytes in it, only the damaged parts are
// lost, and a sentence that names the file states what could not be read.
func TestDamaged(t *testing.T) {
	for _, f := range sampled {
		for name, files := range samples(t, f) {
			t.Run(string(f)+"/"+name, func(t *testing.T) {
				t.Parallel()
				d := damaged{f: f, o: options(t, f, name), files: files, named: map[string]string{}}
				whole, said, _ := readAll(t, f, d.o, files...)
				for _, e := range whole {
					d.named[e.Key()] = verdict(&e)
				}
				d.runs, d.said = len(whole), len(said)
				for i := range files {
					d.cut(t, i)
					d.flip(t, i)
					d.empty(t, i)
				}
				d.double(t)
			})
		}
	}
}

// damaged is a report whose files are damaged one after another.
type damaged struct {
	f     report.Format
	o     report.Options
	files []input
	named map[string]string // the verdicts of the whole report by key
	runs  int
	said  int // sentences about the whole report
}

func verdict(e *tree.Evaluation) string {
	return map[judgment.Polarity]string{judgment.Passes: "pass", judgment.Fails: "fail"}[judgment.PolarityOf(
		judgment.Decode(e.Judgment))]
}

// read reads the report with other content in one of its files.
func (d *damaged) read(t *testing.T, i int, content string) (es []tree.Evaluation, said []string) {
	t.Helper()
	files := append([]input(nil), d.files...)
	files[i].content = content
	es, said, _ = readAll(t, d.f, d.o, files...)
	for _, s := range said {
		require.True(t, strings.HasPrefix(s, files[i].name) || d.said > 0 || len(files) > 1, "%q names no file", s)
		require.False(t, strings.ContainsAny(s, "\x00\n"), "%q is not one sentence", s)
	}
	return es, said
}

// cut reads the report cut off at several places. The result is a beginning of what the whole report has.
func (d *damaged) cut(t *testing.T, i int) {
	content := d.files[i].content
	before := 0
	for n := range cuts {
		at := len(content) * n / cuts
		es, said := d.read(t, i, content[:at])
		if len(d.files) == 1 && !strings.HasPrefix(content, "PK") {
			require.GreaterOrEqual(t, len(es), before, "more of the file is there, and less is read")
			before = len(es)
		}
		if len(es) < d.runs && d.f != report.CSV && d.f != report.Map { // whose lines stand for themselves
			require.NotEmpty(t, said, "cut at %d", at)
		}
		other := 0
		for _, e := range es {
			if was, ok := d.named[e.Key()]; ok && was != verdict(&e) {
				other++
			}
		}
		require.LessOrEqual(t, other, 2, "only a test whose later attempts are cut off may have another verdict")
	}
}

// flip reads the report with some bytes of chance. It is the same each time, and no run is half one.
func (d *damaged) flip(t *testing.T, i int) {
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), uint64(i)))
		b := []byte(d.files[i].content)
		for range 1 + seed {
			b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
		}
		es, said := d.read(t, i, string(b))
		again, saidAgain := d.read(t, i, string(b))
		require.Equal(t, es, again)
		require.Equal(t, said, saidAgain)
	}
}

// empty reads the report with an empty file. Of several files the others are read.
func (d *damaged) empty(t *testing.T, i int) {
	_, said := d.read(t, i, "")
	require.Contains(t, strings.Join(said, "\n"), d.files[i].name+" is empty")
}

// double reads a report twice: in one file, and as two. Its runs are the same as once, unless they are lines that
// nothing distinguishes.
func (d *damaged) double(t *testing.T) {
	keys := map[string]bool{}
	if !strings.HasPrefix(d.files[0].content, "PK") && len(d.files) == 1 {
		es, _ := d.read(t, 0, d.files[0].content+"\n"+d.files[0].content)
		for _, e := range es {
			keys[e.Key()] = true
		}
		if d.f != report.CSV && d.f != report.Map {
			require.Len(t, keys, d.runs)
		}
	}
	es, _, _ := readAll(t, d.f, d.o, append(append([]input(nil), d.files...), d.files...)...)
	for _, e := range es {
		require.Equal(t, d.named[e.Key()], verdict(&e), "a file that is there twice counts once")
	}
}

// FuzzReport reads anything as a report of each format: it is the same each time, no run is half one, and errors name
// the file.
func FuzzReport(f *testing.F) {
	for i, format := range sampled {
		for _, files := range samples(f, format) {
			for _, in := range files[:min(2, len(files))] {
				if len(in.content) < 10_000 {
					f.Add(i, in.content)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, i int, content string) {
		if i < 0 {
			return
		}
		format := sampled[i%len(sampled)]
		o := options(t, format, "nested.json")
		first, said, _ := readAll(t, format, o, input{"fuzzed", content})
		again, saidAgain, _ := readAll(t, format, o, input{"fuzzed", content})
		require.Equal(t, first, again)
		require.Equal(t, said, saidAgain)
		for _, s := range said {
			require.True(t, strings.HasPrefix(s, "fuzzed"), "%q names no file", s)
			require.False(t, strings.ContainsAny(s, "\x00\n"), "%q is not one sentence", s)
		}
		report.Recognise([]byte(content)[:min(len(content), report.Sniff)])
	})
}
