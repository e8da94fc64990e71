package jsonstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

var _ store.Verifier = (*Store)(nil)

// Verify reads every file and checks every checksum, every line, the chain of the journals, the indexes against the
// lines they point to, and the laws of the tree. It calls found once for each different problem. See store.Verifier.
func (s *Store) Verify(ctx context.Context, found func(error)) (store.Verified, error) {
	said := map[string]bool{} // a damaged line is read several times
	v := &verifier{store: s, found: func(problem error) {
		if text := problem.Error(); !said[text] {
			said[text] = true
			found(problem)
		}
	}}
	if err := v.run(ctx); err != nil {
		return v.Verified, fmt.Errorf("verify: %w", err)
	}
	return v.Verified, nil
}

// verifier checks one state of a store.
type verifier struct {
	store.Verified
	store *Store
	found func(error)
	state *state
}

// run verifies one state, again if a snapshot replaced its files during the check. For a state that was assembled from
// lines it checks only the nodes.
func (v *verifier) run(ctx context.Context) error {
	for range 100 {
		st, err := v.store.view(ctx)
		if err != nil {
			return err
		}
		v.Verified = store.Verified{Version: st.Version}
		v.state = st
		if r := v.store.replay; r != nil && r.pieced {
			v.found(r.damage)
			err := v.nodes(ctx)
			st.base.release()
			return err
		}
		again, err := v.journals()
		if again { // a snapshot replaced the files
			st.base.release()
			continue
		}
		if err == nil {
			err = v.base(ctx)
		}
		st.base.release()
		return err
	}
	return errors.New("the store is rewritten faster than it can be read")
}

// journals replays the journals from the disk and compares the result with the state. again is true if a snapshot
// replaced them during the check.
func (v *verifier) journals() (again bool, err error) {
	base := v.state.base
	g := newGeneration(v.store.disk, base.manifest, base)
	defer g.release()
	fresh := &state{base: g, counts: base.Counts}
	if err := fresh.loadOutbox(); err != nil {
		v.found(err)
		return false, nil
	}
	r, err := v.store.disk.replayFrom(fresh, base.Number, base.Seq, base.link(), false)
	if now := v.store.state.Load(); now.base != base {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if r.damage != nil {
		v.found(r.damage)
	} else if r.state.Version < v.state.Version {
		v.found(fmt.Errorf("the journals on disk end at version %d, the store is at %d", r.state.Version, v.state.Version))
	}
	for _, t := range r.torn {
		v.Torn += int64(len(t.bytes))
	}
	v.Batches = r.lines
	v.Files += r.number - base.Number + 1
	v.Bytes += r.state.journaled
	return false, nil
}

// base checks the files of the snapshot, and the outbox, the ledger and the nodes.
func (v *verifier) base(ctx context.Context) error {
	if err := v.small(); err != nil {
		return err
	}
	for _, f := range v.state.base.files() {
		if err := ctx.Err(); err != nil {
			return err
		}
		v.file(f)
	}
	v.indexes()
	n, last := v.segments(ledgerName, v.state.base.Ledger, v.state.entries)
	if v.Entries = n; last != v.state.Entries {
		v.found(fmt.Errorf("%s: it ends at number %d instead of %d", ledgerName, last, v.state.Entries))
	}
	if n, _ := v.segments("dead letters", v.state.base.Dead, v.state.dead); n != v.state.Dead {
		v.found(fmt.Errorf("dead letters: there are %d, and %d were counted", n, v.state.Dead))
	}
	for _, it := range v.state.outbox.from("") {
		e, err := v.state.evaluation(it)
		if err == nil {
			err = e.Check()
		}
		if err != nil {
			v.found(fmt.Errorf("an evaluation of the outbox: %w", err))
		}
	}
	v.keys()
	if err := v.pictures(ctx); err != nil {
		return err
	}
	return v.nodes(ctx)
}

// small checks the files that hold a single value, and the derived data.
func (v *verifier) small() error {
	d := v.store.disk
	checks := map[string]func([]byte) error{
		formatName: func(b []byte) error { _, err := parseFormat(b); return err },
		shutdownName: func(b []byte) error {
			if _, ok := parseShutdown(b); !ok {
				return errors.New("does not say what it was written with")
			}
			return nil
		},
	}
	for _, name := range []string{formatName, shutdownName} {
		check := checks[name]
		b, err := d.read(name, 64<<10)
		if err != nil {
			if name == formatName {
				v.found(fmt.Errorf("%s: %w", name, err))
			}
			continue
		}
		v.Files++
		v.Bytes += int64(len(b))
		if err := check(b); err != nil {
			v.found(fmt.Errorf("%s: %w", name, err))
		}
	}
	if n := v.state.base.Number; n > 1 {
		b, err := d.read(manifestName(n), maxManifest)
		if err == nil {
			_, err = parseManifest(b)
		}
		if err != nil {
			v.found(fmt.Errorf("%s: %w", manifestName(n), err))
		}
		v.Files++
		v.Bytes += int64(len(b))
	}
	names, err := d.names(derivedFolder)
	if err != nil {
		return err
	}
	for _, n := range names {
		if !isTemp(n) {
			v.derived(derivedFolder + "/" + n)
		}
	}
	return nil
}

func (v *verifier) derived(name string) {
	b, err := v.store.disk.read(name, 1<<40)
	if err != nil {
		return // it was replaced during the check
	}
	v.Files++
	v.Bytes += int64(len(b))
	held, _, _ := derivedFile(path.Base(name))
	switch {
	case wholeDerived(b):
	case store.HeldBeside(held):
		v.found(&store.CorruptError{File: name, Lost: "what it holds beside the tree cannot be read"})
	default:
		v.found(fmt.Errorf("%s: %w; remove it, it is made again", name, errDerived))
	}
}

// file compares the hash of a file with the manifest.
func (v *verifier) file(f fileRef) {
	h := sha256.New()
	_, err := io.Copy(h, io.NewSectionReader(v.state.base.handles[f.Name], 0, f.Bytes))
	if err == nil && hex.EncodeToString(h.Sum(nil)) != f.Sum {
		err = errors.New("its SHA-256 is not the manifest's")
	}
	if err != nil {
		v.found(damaged(f, 0, err))
		return
	}
	v.Files++
	v.Bytes += f.Bytes
}

// segments reads all lines and returns their number and the number of the last one. Numbers may have gaps after an
// accepted loss; the counts of the manifest exclude those lines.
func (v *verifier) segments(what string, files []linesRef, records []record) (n int, last uint64) {
	want := len(records)
	for i := range files {
		want += files[i].Count
	}
	for raw, err := range v.state.base.linesAfter(files, records, 0) {
		if err != nil {
			v.found(fmt.Errorf("%s: %w", what, err))
			return n, last
		}
		n++
		if what != ledgerName {
			continue
		}
		seq, err := entrySeq(raw)
		if err != nil || seq <= last {
			v.found(fmt.Errorf("%s: line %d is numbered %d", what, n, seq))
		}
		last = seq
	}
	if n != want {
		v.found(fmt.Errorf("%s: there are %d, and there should be %d", what, n, want))
	}
	return n, last
}

const ledgerName = "ledger"

// keys checks that the tables of known keys are sorted.
func (v *verifier) keys() {
	for _, ref := range v.state.base.Known {
		next := v.state.base.oldKeys(ref)
		var last []byte
		for {
			rec, err := next()
			if err != nil {
				v.found(err)
				break
			}
			if rec == nil {
				break
			}
			if last != nil && bytes.Compare(last[:16], rec[:16]) >= 0 {
				v.found(fmt.Errorf("%s: its keys are out of order", ref.Table.Name))
				break
			}
			last = rec
		}
	}
}

// indexes checks that every line of a branch is found by its node's id, and that they are sorted.
func (v *verifier) indexes() {
	g := v.state.base
	for i := range g.Branches {
		b := &g.Branches[i]
		r := blockReader{gen: g, ref: &b.linesRef}
		last := ""
		for {
			at, ok, err := r.index()
			if !ok && err == nil {
				break
			}
			var raw []byte
			if err == nil {
				raw, err = r.read(at.place)
			}
			if err != nil {
				v.found(err)
				if !ok {
					break
				}
				continue
			}
			n, err := parseNode(raw)
			if err == nil {
				_, l, ok, ferr := g.find(n.id)
				if err = ferr; err == nil && (!ok || l.place != at.place || n.branch.Value() != b.ErrorType ||
					n.meta != at.meta() || n.id <= last) {
					err = errors.New("the index says something else than the line")
				}
				last = n.id
			}
			if err != nil {
				v.found(damaged(b.Data, at.off, err))
			}
		}
	}
}

// nodes checks every node against the laws of the tree.
func (v *verifier) nodes(ctx context.Context) error {
	get := func(_ context.Context, id string) (tree.Node, error) {
		var n tree.Node
		raw, err := v.state.node(id)
		if err == nil {
			err = decode(raw, &n)
		}
		return n, err
	}
	all, last := v.state.nodes("", filter{}), ""
	for {
		n, ok, err := all.decode(ctx, store.Filter{})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && last == err.Error() {
			return nil // the same error again: there is no way past it
		}
		if err != nil {
			last = err.Error()
			v.found(err)
			continue
		}
		if !ok {
			break
		}
		v.Nodes++
		if err := errors.Join(tree.Check(&n), tree.CheckLinks(ctx, &n, get)); err != nil {
			v.found(err)
		}
	}
	if v.Nodes != v.state.Nodes {
		v.found(fmt.Errorf("there are %d nodes, and %d were counted", v.Nodes, v.state.Nodes))
	}
	return nil
}
