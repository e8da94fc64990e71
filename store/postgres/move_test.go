//go:build unix

package postgres_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/png"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/store/move"
	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/store/postgres/pgtest"
	"github.com/memtree/memtree/tree"
)

// filled returns a folder with everything that a store can hold.
func filled(t *testing.T, nodes int) *jsonstore.Store {
	t.Helper()
	s, err := jsonstore.OpenDir(t.Context(), filepath.Join(t.TempDir(), "store"), jsonstore.Options{
		Origin: tree.Origin{ID: "o_moved", Label: "shop"},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	ctx := t.Context()
	unlabelled := run(1)
	unlabelled.GroundTruth = nil
	failed := run(2)
	failed.GroundTruth = nil
	for _, es := range [][]tree.Evaluation{{unlabelled, failed, run(3), run(4)}, {run(1)}} {
		_, err = s.Accept(ctx, es)
		require.NoError(t, err)
	}
	for i := range nodes {
		n := aCase(i)
		b := store.Batch{Changes: []tree.Change{tree.NewChange(tree.OpAdd, n, 0, "formation", "wrong")},
			Entries: entries("", i).Entries}
		n.Content.Guidance = "Add up <all> 总额."
		b.Changes = append(b.Changes, tree.NewChange(tree.OpRevise, n, 1, "evolution", "better"))
		_, err = s.Commit(ctx, b)
		require.NoError(t, err)
	}
	_, err = s.Commit(ctx, store.Batch{Done: []string{"ev3"}, Dead: []store.DeadLetter{{Evaluation: failed, Why: "无法"}}})
	require.NoError(t, err)
	_, err = s.Accept(ctx, []tree.Evaluation{run(2)}) // its label came later, so it waits again
	require.NoError(t, err)
	require.NoError(t, s.SaveDerived(ctx, "inbox", 1, writing("what nothing else has")))
	require.NoError(t, s.SaveDerived(ctx, "index", 1, writing("can be built")))
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))))
	sum := sha256.Sum256(b.Bytes())
	require.NoError(t, s.PutPicture(ctx, tree.Picture{SHA256: hex.EncodeToString(sum[:]), Type: "image/png", Width: 2,
		Height: 2, Bytes: b.Len()}, b.Bytes()))
	return s
}

func quiet(string, int, int) {}

// TestMove moves a folder into a database and back. The hash of the content is the same all the way, and what was
// accepted is known in the end.
func TestMove(t *testing.T) {
	ctx, server := t.Context(), pgtest.Shared(t)
	from, a := filled(t, 30), address(t, server)
	want, err := move.Sum(ctx, from)
	require.NoError(t, err)
	to, err := postgres.Receive(ctx, a, "folder@1", "folder")
	require.NoError(t, err)
	got, err := move.Copy(ctx, from, to, quiet)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, move.Copied{SHA256: want.SHA256, Nodes: 30, Entries: 30, Waiting: 4, Letters: 1, Known: 4,
		Pictures: 1}, got)
	require.NoError(t, to.Close())

	s := opened(t, a)
	info, err := s.Info(ctx)
	require.NoError(t, err)
	was, err := from.Info(ctx)
	require.NoError(t, err)
	was.Format, was.Bytes = info.Format, 0
	require.Equal(t, was, info)
	_, err = s.Verify(ctx, func(problem error) { t.Error(problem) })
	require.NoError(t, err)
	v, err := s.Commit(ctx, entries("", 99))
	require.NoError(t, err)
	require.Equal(t, was.Version+1, v, "versions go on")

	dir := filepath.Join(t.TempDir(), "back")
	back, err := jsonstore.NewFolder(ctx, dir, info.Origin, noon)
	require.NoError(t, err)
	want, err = move.Copy(ctx, s, back, quiet)
	require.NoError(t, err)
	f, err := jsonstore.OpenDir(ctx, dir, jsonstore.Options{})
	require.NoError(t, err)
	defer f.Close()
	got, err = move.Sum(ctx, f)
	require.NoError(t, err)
	require.Equal(t, want, got)
	for _, to := range []store.Store{s, f} {
		receipts, err := to.Accept(ctx, []tree.Evaluation{run(1), run(2), run(3), run(5)})
		require.NoError(t, err)
		require.Equal(t, []store.ReceiptStatus{store.Duplicate, store.Duplicate, store.Duplicate, store.Accepted},
			[]store.ReceiptStatus{receipts[0].Status, receipts[1].Status, receipts[2].Status, receipts[3].Status})
	}
	_, err = jsonstore.NewFolder(ctx, dir, info.Origin, noon)
	require.ErrorContains(t, err, "move to a folder that does not")
}

// stopping is a target that fails after some parts.
type stopping struct {
	*postgres.Receiver
	after int
}

var errStopped = errors.New("stopped")

func (s *stopping) PutNodes(ctx context.Context, part []tree.Node) error {
	if s.after--; s.after < 0 {
		return errStopped
	}
	return s.Receiver.PutNodes(ctx, part)
}

// TestMoveGoesOn: a move that ended in the middle lets nobody open the tree, and the next one goes on. Two at once are
// refused, and so is a target that is in use.
func TestMoveGoesOn(t *testing.T) {
	ctx, server := t.Context(), pgtest.Shared(t)
	from, a := filled(t, 2500), address(t, server)
	to, err := postgres.Receive(ctx, a, "folder@1", "folder")
	require.NoError(t, err)
	_, err = postgres.Receive(ctx, a, "folder@1", "folder")
	require.ErrorContains(t, err, "another move that is under way")
	_, err = move.Copy(ctx, from, &stopping{to, 2}, quiet)
	require.ErrorIs(t, err, errStopped)
	require.NoError(t, to.Close())
	_, err = postgres.Open(ctx, a, postgres.Options{})
	require.ErrorContains(t, err, "let memtree move end, or run it again")

	to, err = postgres.Receive(ctx, a, "folder@1", "folder")
	require.NoError(t, err)
	at, err := to.Reached(ctx)
	require.NoError(t, err)
	require.NotEmpty(t, at.Node, "it goes on")
	require.NoError(t, to.Close())
	to, err = postgres.Receive(ctx, a, "folder@2", "folder")
	require.NoError(t, err)
	at, err = to.Reached(ctx)
	require.NoError(t, err)
	require.Empty(t, at.Node, "the source has changed, so it begins anew")
	_, err = move.Copy(ctx, from, &stopping{to, 1}, quiet)
	require.ErrorIs(t, err, errStopped)
	require.NoError(t, to.Close())
	to, err = postgres.Receive(ctx, a, "folder@2", "folder")
	require.NoError(t, err)
	begun := time.Now()
	got, err := move.Copy(ctx, from, to, quiet)
	require.NoError(t, err)
	t.Logf("moved %d memories in %s", got.Nodes, time.Since(begun).Round(time.Millisecond))
	require.NoError(t, to.Close())
	_, err = postgres.Receive(ctx, a, "folder@2", "folder")
	require.ErrorContains(t, err, "is in use; move to a tree that is new")
}

// TestMoveDiffers: a copy whose hash is another one, or that cannot be read, is not taken into use, and is dropped: the
// next move succeeds. So does one after a change of what an interrupted move had put.
func TestMoveDiffers(t *testing.T) {
	ctx, server := t.Context(), pgtest.Shared(t)
	from, a := filled(t, 3), address(t, server)
	for _, by := range []string{`convert_to(replace(convert_from(body, 'UTF8'), 'Add', 'Sum'), 'UTF8')`, `'xx'`} {
		to, err := postgres.Receive(ctx, a, "folder@1", "folder")
		require.NoError(t, err)
		changed := false
		_, err = move.Copy(ctx, from, to, func(step string, _, _ int) {
			if step == "verify" && !changed {
				changed = true
				server.Exec(t, "postgres", fmt.Sprintf("UPDATE memtree.node SET body = "+by+" WHERE id = '%s' AND tree = "+
					"(SELECT id FROM memtree.tree WHERE name = '%s')", aCase(1).ID, a.Tree))
			}
		})
		require.ErrorIs(t, err, move.ErrDiffers)
		require.NoError(t, to.Close())
		_, err = postgres.Open(ctx, a, postgres.Options{})
		require.ErrorContains(t, err, "is being moved here from a move that failed")
	}
	to, err := postgres.Receive(ctx, a, "folder@1", "./folder")
	require.NoError(t, err)
	defer to.Close()
	changed := false
	_, err = move.Copy(ctx, from, to, func(step string, _, _ int) {
		if step == "verify" && !changed {
			changed = true
			_, err := from.Commit(ctx, entries("", 1))
			require.NoError(t, err)
		}
	})
	require.ErrorIs(t, err, move.ErrChanged)
	var steps []string
	_, err = move.Copy(ctx, from, to, func(step string, done, total int) {
		if len(steps) == 0 || steps[len(steps)-1] != step {
			steps = append(steps, step)
		}
		require.True(t, total == 0 || step == "verify" || done <= total, "%s: %d of %d", step, done, total)
	})
	require.NoError(t, err, "it goes on")
	require.Equal(t, []string{"memories", "ledger", "letters", "outbox", "known", "beside", "verify"}, steps)
}
