package jsonstore

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// FuzzJournalLine checks that a line that parses is in the only valid encoding, and that applying it neither panics nor
// changes the state it is applied to.
func FuzzJournalLine(f *testing.F) {
	l := lines{}
	l.add([]byte(`{"begin":{"journal":1}}`))
	l.add([]byte(`{"version":1,"changes":[{"op":"add","why":"w","by":"b","key":"k","node":{"id":"c_a","errorType":"x",` +
		`"revision":1,"level":1}}],"entries":[{"seq":1}]}`))
	l.add([]byte(`{"accept":[{"key":"a","digest":"0011223344556677","labelled":true,"evaluation":{}}]}`))
	l.add([]byte(`{"version":2,"done":["a"]}`))
	for line := range bytes.Lines(l.buf) {
		f.Add(line)
	}
	f.Add([]byte("M1 1 18446744073709551615 00000000 0000000000000000 0 {}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if fr, size, ok := parseFrame(b); ok {
			require.Equal(t, b[:size], fr.appendTo(nil))
		}
		lookAhead(b)
		st := &state{base: newGeneration(&disk{}, &manifest{Number: 1}, nil)}
		if next, err := st.apply(b, piece{}); err == nil {
			require.NotNil(t, next)
		}
		require.Zero(t, st.top.nodes.n+st.outbox.n)
		_ = elements(b, func([]byte, int) error { return nil })
		_, _ = parseNode(b)
		_, _ = idOf(b)
	})
}

// FuzzManifest checks that an accepted manifest names only files of snapshots.
func FuzzManifest(f *testing.F) {
	b, err := (&manifest{Number: 2, Prev: link{}.String()}).encode()
	require.NoError(f, err)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parseManifest(b)
		if err != nil {
			return
		}
		for _, file := range m.files() {
			require.True(t, file.safe())
		}
	})
}

// FuzzManifestBody checks what a manifest with a right checksum may contain.
func FuzzManifestBody(f *testing.F) {
	f.Add("snapshot.000001/../../x", 1, int64(4096))
	f.Add("snapshot.000001/known.table", 113, int64(4096))
	f.Fuzz(func(t *testing.T, name string, count int, size int64) {
		m := &manifest{Number: 2, Prev: link{}.String(),
			Known: []tableRef{{Count: count, Table: fileRef{Name: name, Bytes: size,
				Sum: string(bytes.Repeat([]byte("a"), 64))}}}}
		b, err := m.encode()
		require.NoError(t, err)
		got, err := parseManifest(b)
		if err != nil {
			return
		}
		fs := afero.NewMemMapFs()
		require.NoError(t, afero.WriteFile(fs, "/secret", []byte("x"), 0o600))
		g := newGeneration(&disk{fs: fs, dir: "/store"}, got, nil)
		_, known, err := g.knows(store.HashOf("a"))
		require.False(t, known)
		require.Error(t, err)
	})
}

// FuzzSnapshotFiles reads hostile tables and lines under a manifest that matches them.
func FuzzSnapshotFiles(f *testing.F) {
	var buf bytes.Buffer
	w := newTable(&buf, lineSize)
	require.NoError(f, w.add(indexed{place: place{len: 3, crc: checksum([]byte("{}x"))}}.bytes()))
	require.NoError(f, w.flush())
	f.Add([]byte("{}x\n"), buf.Bytes(), 1)
	f.Fuzz(func(t *testing.T, data, index []byte, count int) {
		fs := afero.NewMemMapFs()
		ref := branchRef{"a", linesRef{Count: count, Data: fileRef{Name: "snapshot.000002/a/nodes.jsonl",
			Bytes: int64(len(data))}, Index: fileRef{Name: "snapshot.000002/a/nodes.index", Bytes: int64(len(index))}}}
		if !ref.fits(idSize) {
			return
		}
		require.NoError(t, afero.WriteFile(fs, ref.Data.Name, data, 0o600))
		require.NoError(t, afero.WriteFile(fs, ref.Index.Name, index, 0o600))
		g := newGeneration(&disk{fs: fs, dir: "."}, &manifest{Number: 2, Branches: []branchRef{ref}}, nil)
		st := &state{base: g}
		_, _ = st.node("c_a")
		all := st.nodes("", filter{})
		for {
			if _, ok, err := all.decode(context.Background(), store.Filter{}); !ok || err != nil {
				return
			}
		}
	})
}

func FuzzFormat(f *testing.F) {
	form := format{Format: "memtree", Major: 1, Origin: tree.Origin{ID: "o_a", Label: "team"}}
	form.Sum = form.sum()
	b, err := encode(form)
	require.NoError(f, err)
	f.Add(b)
	f.Add([]byte(`{"format":"memtree","major":1,"minor":0,"origin":{}}`))
	f.Add([]byte(`{"format":"memtree","major":2}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, err := parseFormat(b); err == nil {
			require.Equal(t, majorFormat, v.Major)
			require.Equal(t, v.sum(), v.Sum)
		}
	})
}

func FuzzLockFile(f *testing.F) {
	f.Add([]byte(`{"pid":1,"host":"h","started":"2026-01-28T09:00:00Z"}`))
	f.Add([]byte(`{"pid":-1,"host":"\u001b[31m"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		h := parseHolder(b)
		require.GreaterOrEqual(t, h.PID, 0)
		require.NotContains(t, h.Host, "\x1b", "it is printed")
	})
}

func FuzzShutdown(f *testing.F) {
	rec := shutdown{Journal: 1, Bytes: 60, Seq: 1}
	rec.Sum = rec.sum()
	b, err := encode(rec)
	require.NoError(f, err)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, ok := parseShutdown(b); ok {
			require.Equal(t, s.sum(), s.Sum)
		}
	})
}

func FuzzDerived(f *testing.F) {
	f.Add(derivedHeader(7, 9, make([]byte, 32)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if version, size, sum, ok := parseDerived(b); ok {
			require.Equal(t, b, derivedHeader(version, size, sum))
		}
		wholeDerived(b)
	})
}

// FuzzStored checks that an accepted evaluation is returned byte for byte, including after a reopen and after a repair.
func FuzzStored(f *testing.F) {
	f.Add([]byte(`{"id":"r1","case_id":"c1","prompt":"p","judgment":{"verdict":"pass"},"ground_truth":"fail"}`))
	f.Add([]byte(`{"id":"M1 2 2 00000000 0000000000000000 0 {}","case_id":"\n","prompt":"p","judgment":1e999}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var e tree.Evaluation
		if json.Unmarshal(b, &e) != nil || e.Check() != nil {
			return
		}
		ctx, mem := t.Context(), afero.NewMemMapFs()
		s, err := Open(ctx, mem, "store", Options{})
		require.NoError(t, err)
		if _, err = s.Accept(ctx, []tree.Evaluation{e}); err != nil {
			require.NoError(t, s.Close())
			return
		}
		want, err := s.Lease(ctx, 1)
		require.NoError(t, err)
		require.NoError(t, s.Close())
		s, err = Open(ctx, mem, "store", Options{})
		require.NoError(t, err)
		got, err := s.Lease(ctx, 1)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.NoError(t, s.Close())
		r, err := fsckOn(ctx, mem, "store", true)
		require.NoError(t, err)
		require.True(t, r.Whole())
		require.Equal(t, 1, r.Kept.Evaluations)
	})
}
