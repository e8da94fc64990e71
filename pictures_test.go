package memtree_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/tree"
)

func pngOf(t testing.TB, width int) []byte {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 4))))
	return b.Bytes()
}

func keptPicture(t *testing.T, m *memtree.Memory, width int) tree.Picture {
	t.Helper()
	p, err := m.Pictures().Keep(t.Context(), "at-the-end", bytes.NewReader(pngOf(t, width)))
	require.NoError(t, err)
	return p
}

func pictures(t *testing.T, m *memtree.Memory) int {
	t.Helper()
	n, _, err := m.Pictures().Count(t.Context())
	require.NoError(t, err)
	return n
}

// What a test tool left of a run goes with it: into the inbox, into the case that it becomes, and away with it.
func TestEvidenceGoesWithTheRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	m, err := memtree.Open(t.Context(), dir, &memtree.Options{Deadline: time.Minute})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	p := keptPicture(t, m, 9)
	require.Equal(t, p, keptPicture(t, m, 9), "the same bytes are one picture")
	e := sumRun("r1", "cart", 5)
	e.GroundTruth = nil
	e.Evidence = &tree.Evidence{Failure: "sum is 3, password=hunter2secret", Pictures: []tree.Picture{p},
		Steps: []tree.TestStep{{Title: "open the cart"}}, Links: []tree.Link{{URL: "https://ci.example/1"}}}
	require.NoError(t, m.Record(t.Context(), e))
	require.NoError(t, m.Wait(t.Context()))
	box, err := m.Inbox().List(t.Context(), 0)
	require.NoError(t, err)
	got := box.Waiting[0].Evaluation.Evidence
	require.NotContains(t, got.Failure, "hunter2", "secrets are taken out before anything is stored")
	require.Equal(t, e.Evidence.Pictures, got.Pictures)

	d, err := m.Curation().Relabel(t.Context(), "r1", curation.Truth{Correct: new(false), Direction: "false_pass"},
		curation.Options{})
	require.NoError(t, err)
	n, err := m.Tree().Get(t.Context(), d.Verdict.Node)
	require.NoError(t, err)
	require.Equal(t, got, n.CaseData.Evidence)
	b, kind, err := m.Pictures().Get(t.Context(), p.SHA256)
	require.NoError(t, err)
	require.Equal(t, "image/png", kind)
	require.Equal(t, pngOf(t, 9), b)

	_, err = m.Curation().Forget(t.Context(), n.ID, curation.Options{Purge: true})
	require.NoError(t, err)
	require.Zero(t, pictures(t, m), "a purge leaves no picture")
	_, _, err = m.Pictures().Get(t.Context(), p.SHA256)
	require.ErrorIs(t, err, tree.ErrNotFound)
}

// A picture that two cases have stays while one of them does, and what nothing refers to goes.
func TestPicturesAreSwept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	m, err := memtree.Open(t.Context(), dir, &memtree.Options{Deadline: time.Minute})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	p, orphan := keptPicture(t, m, 9), keptPicture(t, m, 10)
	for i, of := range []string{"cart", "invoice"} {
		e := sumRun(of, of, i+1)
		e.Evidence = &tree.Evidence{Pictures: []tree.Picture{p}}
		require.NoError(t, m.Record(t.Context(), e))
	}
	require.NoError(t, m.Wait(t.Context()))
	_, err = m.Prune(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 2, pictures(t, m), "a picture may wait for its run")
	for _, x := range []tree.Picture{p, orphan} {
		old := time.Now().Add(-2 * time.Hour)
		require.NoError(t, os.Chtimes(filepath.Join(dir, x.File()), old, old))
	}
	_, err = m.Prune(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 1, pictures(t, m))
	cases := liveOf(t, m, tree.Case)
	require.Len(t, cases, 2)
	_, err = m.Curation().Forget(t.Context(), cases[0].ID, curation.Options{Purge: true})
	require.NoError(t, err)
	require.Equal(t, 1, pictures(t, m), "the other case has it")
	_, err = m.Curation().Forget(t.Context(), cases[1].ID, curation.Options{Purge: true})
	require.NoError(t, err)
	require.Zero(t, pictures(t, m))
}

func TestKeepPictureRefuses(t *testing.T) {
	m, err := memtree.Open(t.Context(), "", &memtree.Options{Deadline: time.Minute, InMemory: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	bomb := pngOf(t, 9) // claims 60,000 by 60,000 pixels in a few bytes
	copy(bomb[16:24], "\x00\x00\xea\x60\x00\x00\xea\x60")
	for want, b := range map[string]string{
		"is no PNG":       "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
		"more than 8 MiB": string(pngOf(t, 9)) + strings.Repeat("x", 100<<20),
		"cannot be read":  string(bomb),
	} {
		_, err := m.Pictures().Keep(t.Context(), "x", strings.NewReader(b))
		var field *tree.FieldError
		require.ErrorAs(t, err, &field, want)
		require.ErrorContains(t, err, want)
	}
	_, err = m.Pictures().Keep(t.Context(), "x", bytes.NewReader(pngOf(t, tree.MaxSide+1)))
	require.ErrorContains(t, err, "the most is 16384 a side")
	require.Zero(t, pictures(t, m))
}
