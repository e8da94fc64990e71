package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// storeText returns the content of a store as text, with every byte of every payload. It leases everything and releases
// it, so the store should be freshly opened.
func storeText(ctx context.Context, s store.Store) (string, error) {
	var b strings.Builder
	info, err := s.Info(ctx)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "version %d nodes %d evaluations %d outbox %d dead %d entries %d\n",
		info.Version, info.Nodes, info.Evaluations, info.Outbox, info.Dead, info.Entries)
	nodes, err := allAsJSON(s.Scan(ctx, store.Filter{}))
	if err != nil {
		return "", err
	}
	past, err := history(ctx, s, 0)
	if err != nil {
		return "", err
	}
	b.WriteString("nodes:\n" + nodes + past + "outbox:\n")
	es, err := s.Lease(ctx, 1<<20)
	if err != nil {
		return "", err
	}
	var keys []string
	for _, e := range es {
		b.WriteString(asJSON(e) + "\n")
		keys = append(keys, e.Key())
	}
	if err := s.Release(ctx, keys); err != nil {
		return "", err
	}
	return b.String(), nil
}

// compareChanges returns how the changes of two stores since a version differ. A store that
// has compacted them passes.
func compareChanges(ctx context.Context, s, m store.Store, after uint64) error {
	got, err := allAsJSON(s.Changes(ctx, after))
	if errors.Is(err, store.ErrCompacted) && got == "" {
		return nil
	}
	if err != nil {
		return err
	}
	want, err := allAsJSON(m.Changes(ctx, after))
	if err == nil && got != want {
		err = fmt.Errorf("changes after %d differ:\n%s", after, difference(want, got))
	}
	return err
}

// compareKnown accepts the accepted evaluations of the model again. A store that has forgotten one would accept it
// instead of returning Duplicate.
func compareKnown(ctx context.Context, s store.Store, m *MapStore) error {
	for i := range 8 {
		for variant := range 3 {
			e := evaluation(i, variant)
			k, ok := m.known[e.Key()]
			if !ok || (k.digest != e.Digest() && k.before != e.Digest()) {
				continue
			}
			r, err := s.Accept(ctx, []tree.Evaluation{e})
			if err != nil {
				return err
			}
			if r[0].Status != store.Duplicate {
				return fmt.Errorf("evaluation %s was accepted before and is %s now", e.Key(), r[0].Status)
			}
		}
	}
	return nil
}

// difference returns the first line in which two texts differ.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		a, b := lineAt(w, i), lineAt(g, i)
		if a != b {
			return fmt.Sprintf("line %d\n  want %s\n  got  %s", i+1, a, b)
		}
	}
	return "no difference"
}

func lineAt(lines []string, i int) string {
	if i >= len(lines) {
		return "(nothing)"
	}
	const most = 600
	if len(lines[i]) > most {
		return lines[i][:most] + "…"
	}
	return lines[i]
}
