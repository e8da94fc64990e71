package jsonstore

import (
	"slices"

	"github.com/spf13/afero"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"

	"github.com/memtree/memtree/store"
)

// A loss can leave traces in the rest: a key whose record is lost, and a link to a node that is lost. The ledger
// restores the keys, and the links are removed.

// verdicts calls f with each verdict of the ledger, in order. It passes over invalid entries.
func (s *salvage) verdicts(f func(*ledger.Verdict)) error {
	for _, r := range s.state.entries {
		raw, err := r.at.read()
		if err != nil {
			return err
		}
		var e ledger.Entry
		if err := decode(raw, &e); err == nil && e.Verdict != nil {
			f(e.Verdict)
		}
	}
	return nil
}

// learnKeys restores lost keys from the verdicts. The digest of the evaluation remains unknown, see store.Known.
func (s *salvage) learnKeys() error {
	isKeys := func(l Loss) bool { return l.Kind == LostKeys }
	if !slices.ContainsFunc(s.Lost, isKeys) {
		return nil
	}
	known := &s.state.top.known
	learned := map[string]bool{}
	if err := s.verdicts(func(v *ledger.Verdict) {
		h := store.HashOf(v.Evaluation)
		key := string(h[:])
		k, ok := known.get(key)
		if !ok || learned[key] {
			learned[key] = true
			*known = known.put(key, store.Known{Labelled: k.Labelled || v.Labelled})
		}
	}); err != nil {
		return err
	}
	left := len(learned)
	for i := range s.Lost {
		if l := &s.Lost[i]; isKeys(*l) {
			restored := min(left, l.Count)
			l.Count, left = l.Count-restored, left-restored
			if l.Count == 0 {
				s.noteRebuildable(l.File)
			}
		}
	}
	s.Lost = slices.DeleteFunc(s.Lost, func(l Loss) bool { return isKeys(l) && l.Count == 0 })
	return nil
}

// lostCases is why a node without its last case is archived.
const lostCases = "the memories that it rests on were lost with damaged files"

// mend removes links to nodes that are lost. A node in use that rests on others, of which none is left, is archived.
// The new bodies are in memory until the repair writes them.
func (s *salvage) mend() error {
	if !slices.ContainsFunc(s.Lost, func(l Loss) bool { return l.Kind == LostNodes || l.Kind == LostBatches }) {
		return nil
	}
	children, err := s.children()
	if err != nil {
		return err
	}
	d := &disk{fs: afero.NewMemMapFs(), dir: "."}
	h := &handle{disk: d, number: -1, ref: fileRef{Name: "mended"}}
	var bodies []byte
	for _, e := range s.state.top.nodes.from("") {
		raw, err := e.at.read()
		if err != nil {
			return err
		}
		var n tree.Node
		if decode(raw, &n) != nil {
			continue // a reader reports it
		}
		if !s.unlink(&n, children) {
			continue
		}
		n.Revision++
		if raw, err = encode(&n); err != nil {
			return err
		}
		mended, err := parseNode(raw)
		if err != nil {
			return err
		}
		mended.at, mended.change = piece{h, placeOf(int64(len(bodies)), raw)}, e.change
		s.state.top.nodes = s.state.top.nodes.put(n.ID, mended)
		bodies = append(bodies, raw...)
		s.Mended++
	}
	if len(bodies) == 0 {
		return nil
	}
	return afero.WriteFile(d.fs, h.ref.Name, bodies, 0o600)
}

// children returns the children of each node above a case, sorted, by its id.
func (s *salvage) children() (map[string][]string, error) {
	all := map[string][]string{}
	for _, e := range s.state.top.nodes.from("") {
		if int(e.meta.level) == tree.Case.Level() {
			continue
		}
		raw, err := e.at.read()
		if err != nil {
			return nil, err
		}
		var n tree.Node
		if decode(raw, &n) == nil {
			all[e.id] = n.Children
		}
	}
	return all, nil
}

// unlink removes the links of n that lead nowhere, and reports whether there were any.
func (s *salvage) unlink(n *tree.Node, children map[string][]string) bool {
	before := len(n.Children)
	n.Children = slices.DeleteFunc(n.Children, func(id string) bool {
		_, ok := s.state.top.nodes.get(id)
		return !ok
	})
	changed := len(n.Children) < before
	if _, named := slices.BinarySearch(children[n.Parent], n.ID); n.Parent != "" && !named {
		n.Parent, changed = "", true
	}
	if changed && n.Type != tree.Case && len(n.Children) == 0 && n.Live() && !n.StandsAlone() {
		n.Status, n.ArchivedFor = tree.Archived, lostCases
	}
	return changed
}
