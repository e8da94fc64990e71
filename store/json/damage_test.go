package jsonstore

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

const (
	damageDir    = "store"
	damageSector = 512
)

// folder is a closed store: the bytes of its files by name.
type folder map[string][]byte

// closedStore returns a closed store of the given number of cases. Half of them are in a snapshot;
// some evaluations wait in the outbox and some are dead letters.
func closedStore(t testing.TB, cases int) folder {
	t.Helper()
	ctx, mem := context.Background(), afero.NewMemMapFs()
	s, err := Open(ctx, mem, damageDir, Options{Origin: tree.Origin{ID: "o_test"}})
	require.NoError(t, err)
	for i := range cases {
		_, err := s.Accept(ctx, []tree.Evaluation{someEvaluation(i)})
		require.NoError(t, err)
		b := store.Batch{Changes: []tree.Change{add(i)},
			Entries: []ledger.Entry{{Verdict: &ledger.Verdict{Evaluation: fmt.Sprint("ev", i), Node: add(i).Node.ID}}}}
		switch i % 4 {
		case 1:
			b.Done = []string{fmt.Sprint("ev", i)}
		case 3:
			b.Dead = []store.DeadLetter{{Evaluation: someEvaluation(i), Why: "no answer"}}
		}
		_, err = s.Commit(ctx, b)
		require.NoError(t, err)
		if i == cases/2 {
			require.NoError(t, s.Compact(ctx))
		}
	}
	require.NoError(t, s.Close())
	files := folder{}
	require.NoError(t, afero.Walk(mem, damageDir, func(name string, info fs.FileInfo, err error) error {
		if err == nil && !info.IsDir() && path.Base(name) != lockName {
			files[name], err = afero.ReadFile(mem, name)
		}
		return err
	}))
	return files
}

func (f folder) onFS() afero.Fs {
	mem := afero.NewMemMapFs()
	for name, b := range f {
		_ = afero.WriteFile(mem, name, b, 0o600) // memory does not fail
	}
	return mem
}

// damage is one way to change one file of a closed store. Its bytes are made on demand, because there are many damages.
type damage struct {
	file, what string
	bytes      func() []byte
}

// extent selects the damages of each kind: every flips-th bit and every cuts-th length. Every sector is zeroed, and
// swapped with the next or, if pairs is set, with every other.
type extent struct {
	flips, cuts, sectors int
	pairs                bool
}

// damages returns the ways to damage the files, in a fixed order.
func (f folder) damages(e extent) []damage {
	var out []damage
	for _, name := range slices.Sorted(maps.Keys(f)) {
		good := f[name]
		for bit := 0; bit < 8*len(good); bit += e.flips {
			out = append(out, damage{name, fmt.Sprint("bit ", bit), func() []byte {
				b := bytes.Clone(good)
				b[bit/8] ^= 1 << (bit % 8)
				return b
			}})
		}
		for size := 0; size < len(good); size += e.cuts {
			out = append(out, damage{name, fmt.Sprint("cut at ", size), func() []byte { return good[:size] }})
		}
		out = append(out, sectorDamages(name, good, e)...)
	}
	return out
}

func sectorDamages(name string, good []byte, e extent) []damage {
	var out []damage
	n := (len(good) + damageSector - 1) / damageSector
	for i := 0; i < n; i += e.sectors {
		zeroed := bytes.Clone(good)
		clear(zeroed[i*damageSector : min(len(good), (i+1)*damageSector)])
		if !bytes.Equal(zeroed, good) {
			out = append(out, damage{name, fmt.Sprint("sector zeroed: ", i), func() []byte { return zeroed }})
		}
		last := min(n, i+2)
		if e.pairs {
			last = n
		}
		for j := i + 1; j < last; j++ {
			if b := swapped(good, i, j); !bytes.Equal(b, good) {
				out = append(out, damage{name, fmt.Sprintf("sectors swapped: %d and %d", i, j), func() []byte { return b }})
			}
		}
	}
	return out
}

// lineDamages returns the ways to damage whole lines of journals: one is missing, repeated, or in the place of another.
func (f folder) lineDamages() []damage {
	var out []damage
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if ok, _ := path.Match("journal.*.jsonl", path.Base(name)); !ok {
			continue
		}
		lines := bytes.SplitAfter(f[name], []byte("\n"))
		lines = lines[:len(lines)-1] // what follows the last line's end
		way := func(what string, lines ...[]byte) {
			out = append(out, damage{name, what, func() []byte { return bytes.Join(lines, nil) }})
		}
		for i := range lines {
			way(fmt.Sprint("line gone: ", i), slices.Delete(slices.Clone(lines), i, i+1)...)
			way(fmt.Sprint("line twice: ", i), slices.Insert(slices.Clone(lines), i, lines[i])...)
			for j := i + 1; j < len(lines); j++ {
				other := slices.Clone(lines)
				other[i], other[j] = other[j], other[i]
				way(fmt.Sprintf("lines swapped: %d and %d", i, j), other...)
			}
		}
	}
	return out
}

// swapped returns a file with two sectors swapped. The last one may be shorter.
func swapped(good []byte, i, j int) []byte {
	a, b := i*damageSector, j*damageSector
	first, second := good[a:a+damageSector], good[b:min(len(good), b+damageSector)]
	return slices.Concat(good[:a], second, good[a+damageSector:b], first, good[b+len(second):])
}

// seen is the content that a store serves, and the errors it reports.
type seen struct {
	records  []string // nodes, ledger entries, dead letters
	info     string
	problems []string
}

// serve opens a store and reads all of it.
func serve(mem afero.Fs, readOnly bool) seen {
	ctx := context.Background()
	s, err := Open(ctx, mem, damageDir, Options{ReadOnly: readOnly})
	if err != nil {
		return seen{problems: []string{err.Error()}}
	}
	var out seen
	wrong := func(err error) { out.problems = append(out.problems, err.Error()) }
	if _, err := s.Verify(ctx, wrong); err != nil {
		wrong(err)
	}
	keep := func(v any, err error) {
		if err != nil {
			wrong(err)
			return
		}
		b, _ := encode(v) // of what was decoded
		out.records = append(out.records, string(b))
	}
	for n, err := range s.Scan(ctx, store.Filter{}) {
		keep(n, err)
	}
	for e, err := range s.Ledger(ctx, 0) {
		keep(e, err)
	}
	for d, err := range s.DeadLetters(ctx) {
		keep(d, err)
	}
	info, err := s.Info(ctx)
	info.Bytes = 0
	out.info = fmt.Sprint(info, err)
	if !readOnly {
		waiting, err := s.Lease(ctx, 1<<20)
		if err != nil {
			wrong(err)
		}
		out.info += fmt.Sprint(waiting)
	}
	if err := s.Close(); err != nil {
		wrong(err)
	}
	return out
}

// harm returns the errors in the content of a damaged store that the store does not report itself; "" if there are
// none.
func harm(whole, got seen, known map[string]bool) string {
	for _, r := range got.records {
		if !known[r] {
			return fmt.Sprintf("serves %.200s", r)
		}
	}
	if len(got.problems) == 0 && (got.info != whole.info || !slices.Equal(got.records, whole.records)) {
		return fmt.Sprintf("serves %d records of %d, says %.200s", len(got.records), len(whole.records), got.info)
	}
	return ""
}

// harmless damages a closed store in each of the ways, one at a time, and opens it for reading and for writing. The
// served content must be right, and missing content must be reported. It returns the problems.
func (f folder) harmless(ways []damage) []string {
	whole := [2]seen{serve(f.onFS(), true), serve(f.onFS(), false)}
	known := map[string]bool{}
	for _, r := range whole[0].records {
		known[r] = true
	}
	var found []string
	for _, way := range ways {
		for n, readOnly := range []bool{true, false} {
			bad := maps.Clone(f)
			bad[way.file] = way.bytes()
			if what := harm(whole[n], serve(bad.onFS(), readOnly), known); what != "" {
				found = append(found, fmt.Sprintf("%s, %s, read only %v: %s", way.file, way.what, readOnly, what))
			}
		}
	}
	return found
}

// unfinished damages the last line of a store that was not closed. That line may be unacknowledged, so the store must
// open each time, with or without it, and report no loss. It returns the problems and the number of ways tried.
func unfinished(t testing.TB) (found []string, tried int) {
	t.Helper()
	ctx, mem := context.Background(), afero.NewMemMapFs()
	s, err := Open(ctx, mem, damageDir, Options{Origin: tree.Origin{ID: "o_test"}})
	require.NoError(t, err)
	infos := map[string]bool{}
	var before, after []byte
	name := path.Join(damageDir, journalName(1))
	for i := range 2 {
		before, err = afero.ReadFile(mem, name)
		require.NoError(t, err)
		_, err = s.Commit(ctx, store.Batch{Entries: []ledger.Entry{{Verdict: &ledger.Verdict{Evaluation: fmt.Sprint("ev",
			i)}}}})
		require.NoError(t, err)
		info, err := s.Info(ctx)
		require.NoError(t, err)
		info.Bytes = 0
		infos[fmt.Sprint(info, nil)+"[]"] = true
	}
	after, err = afero.ReadFile(mem, name)
	require.NoError(t, err)
	first, err := afero.ReadFile(mem, path.Join(damageDir, formatName))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	look := func(what string, journal []byte) {
		tried++
		got := serve(folder{name: journal, path.Join(damageDir, formatName): first}.onFS(), false)
		if len(got.problems) > 0 || !infos[got.info] {
			found = append(found, fmt.Sprintf("%s: %v %s", what, got.problems, got.info))
		}
	}
	for bit := 8 * len(before); bit < 8*len(after); bit++ {
		b := bytes.Clone(after)
		b[bit/8] ^= 1 << (bit % 8)
		look(fmt.Sprint("bit ", bit), b)
	}
	for size := len(before); size < len(after); size++ {
		look(fmt.Sprint("cut at ", size), after[:size])
	}
	return found, tried
}

// some returns n of the ways, chosen by seed, or all if there are no more.
func some(ways []damage, n int, seed uint64) []damage {
	if len(ways) > n {
		//nolint:gosec // a seeded test
		rand.New(rand.NewPCG(seed, 3)).Shuffle(len(ways), func(i, j int) { ways[i], ways[j] = ways[j], ways[i] })
		ways = ways[:n]
	}
	return ways
}

func TestDamage(t *testing.T) {
	found, _ := unfinished(t)
	require.Empty(t, found)
	f := closedStore(t, 4)
	whole := serve(f.onFS(), false)
	require.Empty(t, whole.problems)
	require.Len(t, whole.records, 4+4+1)
	ways := f.damages(extent{1, 1, 1, true})
	require.Empty(t, f.harmless(append(f.lineDamages(), some(ways, 200, 1)...)))
}
