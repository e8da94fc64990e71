package jsonstore

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/storetest"
	"github.com/memtree/memtree/tree"
)

// files returns the files of a folder in memory.
func files(mem afero.Fs) (folder, error) {
	out := folder{}
	err := afero.Walk(mem, damageDir, func(name string, info fs.FileInfo, err error) error {
		if err == nil && !info.IsDir() && path.Base(name) != lockName {
			out[name], err = afero.ReadFile(mem, name)
		}
		return err
	})
	return out, err
}

// salvaged repairs a damaged store and returns the problems. The check without repair must change nothing; the repaired
// store must be in order and serve only written data; and missing data must have been reported.
func salvaged(whole seen, known map[string]bool, bad folder) string {
	ctx, mem := context.Background(), bad.onFS()
	told, err := fsckOn(ctx, mem, damageDir, false)
	if err != nil {
		return "fsck fails: " + err.Error()
	}
	if now, err := files(mem); err != nil || !maps.EqualFunc(now, bad, bytes.Equal) {
		return "looking changes the store"
	}
	done, err := fsckOn(ctx, mem, damageDir, true)
	if err != nil {
		return "repair fails: " + err.Error()
	}
	if fmt.Sprint(told.Lost, told.Again, told.Torn) != fmt.Sprint(done.Lost, done.Again, done.Torn) {
		return fmt.Sprintf("says %+v and then %+v", told, done)
	}
	again, err := fsckOn(ctx, mem, damageDir, false)
	if err != nil || !again.Whole() {
		return fmt.Sprintf("is not repaired: %+v %v", again, err)
	}
	got := serve(mem, false)
	if len(got.problems) > 0 {
		return fmt.Sprintf("is not in order: %.300v", got.problems)
	}
	for _, r := range got.records {
		if !known[r] {
			return fmt.Sprintf("serves %.200s", r)
		}
	}
	if missing := len(whole.records) - len(got.records); len(done.Lost) == 0 && missing > 0 && done.Torn == 0 {
		return fmt.Sprintf("lost %d records and told nothing: %+v", missing, done)
	}
	if again.Kept.Nodes+again.Kept.Entries+again.Kept.Letters != len(got.records) {
		return fmt.Sprintf("keeps %d records and says %+v", len(got.records), again.Kept)
	}
	return ""
}

// salvages repairs a store damaged in each of the ways, one at a time, and returns the problems.
func (f folder) salvages(ways []damage) []string {
	whole := serve(f.onFS(), false)
	known := map[string]bool{}
	for _, r := range whole.records {
		known[r] = true
	}
	var found []string
	for _, way := range ways {
		bad := maps.Clone(f)
		bad[way.file] = way.bytes()
		if what := salvaged(whole, known, bad); what != "" {
			found = append(found, fmt.Sprintf("%s, %s: %s", way.file, way.what, what))
		}
	}
	return found
}

func TestSalvage(t *testing.T) {
	f := closedStore(t, 8)
	n := 200 // TestProve does more
	if raceDetector {
		n = 20
	}
	ways := append(f.lineDamages(), some(f.damages(extent{1, 1, 1, true}), n, 1)...)
	require.Empty(t, f.salvages(ways))
}

// TestSalvageWithoutAFile removes each file, one at a time.
func TestSalvageWithoutAFile(t *testing.T) {
	f := closedStore(t, 8)
	whole := serve(f.onFS(), false)
	known := map[string]bool{}
	for _, r := range whole.records {
		known[r] = true
	}
	for name := range f {
		bad := maps.Clone(f)
		delete(bad, name)
		require.Empty(t, salvaged(whole, known, bad), name)
	}
}

// TestSalvageKeepsWhatIsBehind checks that one damaged batch is one lost batch, whatever follows it, and that a lost
// index or manifest loses no data.
func TestSalvageKeepsWhatIsBehind(t *testing.T) {
	ctx := context.Background()
	f := closedStore(t, 8)
	whole := serve(f.onFS(), false)
	for name, want := range map[string]Loss{
		"journal.000002.jsonl":                              {Kind: LostBatches, Count: 1},
		"manifest.000002.json":                              {},
		"snapshot.000002/ledger.index":                      {},
		"snapshot.000002/state_detection_error/nodes.index": {},
		"snapshot.000002/state_detection_error/nodes.jsonl": {Kind: LostNodes, Count: 1, Name: add(3).Node.ID},
		"snapshot.000002/outbox.jsonl":                      {Kind: LostEvaluations, Count: 1},
		"FORMAT.json":                                       {},
	} {
		bad := maps.Clone(f)
		file := path.Join(damageDir, name)
		b := bytes.Clone(bad[file])
		require.NotEmpty(t, b, name)
		b[len(b)*2/3] ^= 8
		bad[file] = b
		mem := bad.onFS()
		r, err := fsckOn(ctx, mem, damageDir, true)
		require.NoError(t, err, name)
		if want.Kind == "" {
			require.Empty(t, r.Lost, name)
			require.Equal(t, []string{name}, r.Again)
			require.Equal(t, whole.records, serve(mem, true).records, name)
		} else {
			require.Len(t, r.Lost, 1, name)
			got := r.Lost[0]
			require.Equal(t, want, Loss{Kind: got.Kind, Count: got.Count, Name: got.Name}, name)
			require.Len(t, r.Moved, 1, name)
			aside, err := afero.ReadFile(mem, path.Join(damageDir, r.Moved[0]))
			require.NoError(t, err)
			require.Equal(t, b[got.Offset:got.Offset+got.Bytes], aside, name)
		}
	}
}

// TestLostCaseIsRecordedAgain checks that the key of an evaluation whose case is lost is removed, so that it can be
// recorded again, and that the other keys remain.
func TestLostCaseIsRecordedAgain(t *testing.T) {
	ctx := t.Context()
	f := closedStore(t, 8)
	b := f["store/snapshot.000002/state_detection_error/nodes.jsonl"]
	b[len(b)*2/3] ^= 8 // in that of case 3
	mem := f.onFS()
	r, err := fsckOn(ctx, mem, damageDir, true)
	require.NoError(t, err)
	require.Equal(t, 1, r.Forgotten)
	s, err := Open(ctx, mem, damageDir, Options{})
	require.NoError(t, err)
	got, err := s.Accept(ctx, []tree.Evaluation{someEvaluation(2), someEvaluation(3)})
	require.NoError(t, err)
	require.Equal(t, []store.ReceiptStatus{store.Duplicate, store.Accepted},
		[]store.ReceiptStatus{got[0].Status, got[1].Status})
	require.NoError(t, s.Close())
}

// TestReadWithoutManifest checks that a reader sees the readable part.
func TestReadWithoutManifest(t *testing.T) {
	f := closedStore(t, 8)
	whole := serve(f.onFS(), true)
	f[path.Join(damageDir, manifestName(2))] = []byte("{")
	got := serve(f.onFS(), true)
	require.Equal(t, whole.records, got.records)
	require.Contains(t, strings.Join(got.problems, "\n"), "manifest.000002.json is damaged")
	_, err := Open(t.Context(), f.onFS(), damageDir, Options{})
	require.ErrorContains(t, err, "manifest.000002.json is damaged")
}

// TestSalvageCrashes crashes at every operation of a repair and repairs again.
func TestSalvageCrashes(t *testing.T) {
	require.Positive(t, salvageCrashes(t, 1))
}

// salvageCrashes returns the number of crashes it tried.
func salvageCrashes(t testing.TB, seed uint64) int {
	t.Helper()
	ctx, crashes := context.Background(), 0
	f := closedStore(t, 8)
	for _, name := range []string{"journal.000002.jsonl", "manifest.000002.json",
		"snapshot.000002/state_detection_error/nodes.jsonl", "FORMAT.json"} {
		bad := maps.Clone(f)
		file := path.Join(damageDir, name)
		bad[file] = bytes.Clone(bad[file])
		bad[file][len(bad[file])*2/3] ^= 8
		disk := storetest.NewCrashFS()
		require.NoError(t, bad.write(disk))
		begin := disk.Ops()
		_, err := fsckOn(ctx, disk, damageDir, true)
		require.NoError(t, err)
		want := serve(disk.Crash(seed), false)
		require.Empty(t, want.problems)
		for n := begin; n <= disk.Ops(); n++ {
			for i := range uint64(3) {
				left := disk.CrashAt(n, seed+i)
				_, err := fsckOn(ctx, left, damageDir, true)
				require.NoError(t, err, "%s: crash at %d with seed %d", name, n, seed+i)
				got := serve(left, false)
				require.Empty(t, got.problems, "%s: crash at %d with seed %d", name, n, seed+i)
				require.Equal(t, want.records, got.records, "%s: crash at %d with seed %d", name, n, seed+i)
				crashes++
			}
		}
	}
	return crashes
}

// write writes a folder durably.
func (f folder) write(to afero.Fs) error {
	folders := map[string]bool{"/": true}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		for up := path.Dir(name); up != "." && up != "/"; up = path.Dir(up) {
			folders[up] = true
		}
		d := disk{fs: to, dir: "."}
		if err := to.MkdirAll(path.Dir(name), 0o700); err != nil {
			return err
		}
		if err := d.replace(name, f[name]); err != nil {
			return err
		}
	}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(folders))) {
		if err := (&disk{fs: to, dir: name}).syncDir("."); err != nil {
			return err
		}
	}
	return nil
}

// FuzzFsck checks that, for any journal, a repair does not panic and does not produce a store that Open refuses.
func FuzzFsck(f *testing.F) {
	l := lines{}
	l.add([]byte(`{"begin":{"journal":1}}`))
	l.add([]byte(`{"accept":[{"key":"a","digest":"0011223344556677","labelled":true,"evaluation":{}}]}`))
	l.add([]byte(`{"version":1,"done":["a"],"entries":[{"seq":1}]}`))
	f.Add(l.buf, 100)
	f.Fuzz(func(t *testing.T, journal []byte, flip int) {
		if len(journal) > 0 {
			journal = bytes.Clone(journal)
			journal[max(0, flip)%len(journal)] ^= 1
		}
		mem := afero.NewMemMapFs()
		form := format{Format: "memtree", Major: 1}
		form.Sum = form.sum()
		b, err := encode(form)
		require.NoError(t, err)
		require.NoError(t, afero.WriteFile(mem, "store/"+formatName, b, 0o600))
		require.NoError(t, afero.WriteFile(mem, "store/"+journalName(1), journal, 0o600))
		if _, err := fsckOn(t.Context(), mem, "store", true); err != nil {
			return
		}
		s, err := Open(t.Context(), mem, "store", Options{})
		require.NoError(t, err)
		_ = s.Close() // it may contain invalid lines
	})
}

// TestFsckLooksWhereItMayNotWrite checks a store on a disk that is mounted read-only.
func TestFsckLooksWhereItMayNotWrite(t *testing.T) {
	f := closedStore(t, 4)
	d := &disk{fs: afero.NewReadOnlyFs(f.onFS()), dir: damageDir}
	for _, err := range []error{fs.ErrPermission, syscall.EROFS} {
		lock := func() (func() error, error) { return nil, err }
		r, got := fsck(t.Context(), d, damageDir, false, lock)
		require.NoError(t, got)
		require.True(t, r.Whole())
		_, got = fsck(t.Context(), d, damageDir, true, lock)
		require.ErrorIs(t, got, err)
	}
}

// fsckOn is Fsck for any file system.
func fsckOn(ctx context.Context, on afero.Fs, dir string, acceptLoss bool) (Repair, error) {
	if _, real := on.(*afero.OsFs); real {
		return Fsck(ctx, dir, time.Time{}, acceptLoss)
	}
	return fsck(ctx, &disk{fs: on, dir: dir}, dir, acceptLoss, func() (func() error, error) { return lockMemory(on, dir) })
}
