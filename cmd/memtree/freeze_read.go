package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/memtree/memtree/enhance"
)

// readFrozen reads a file of memtree freeze.
func readFrozen(ctx context.Context, a *app, path string) (*frozen, error) {
	s, err := a.files.Text(ctx, path, mostFrozenList)
	if err != nil {
		return nil, err
	}
	var f frozen
	if len(s) > mostFrozenList || json.Unmarshal([]byte(s), &f) != nil || f.Format != frozenFormat || f.Version != 1 {
		return nil, a.Fail(nil, "%s is no file of memtree freeze that this version reads; write it anew", path)
	}
	for i := range f.Guidance {
		g := &f.Guidance[i]
		if g.Memories == nil {
			g.Memories = []string{}
		}
		if g.Text != "" && !fenced(g.Text) {
			return nil, a.Fail(nil, "%s: guidance[%d].text has no fence of memtree; write it anew", path, i)
		}
	}
	return &f, nil
}

// fenced reports whether a text is guidance: one fence around it.
func fenced(s string) bool {
	return strings.HasPrefix(s, enhance.Open) && strings.HasSuffix(s, enhance.Close) && strings.Count(s, enhance.Open) == 1
}

// find returns the guidance for a prompt, nil if there is none. An entry that names a page or a test matches only
// that one, and precedes an entry that names none. The TypeScript client uses the same order.
func (f *frozen) find(prompt, route, test string) *frozenGuidance {
	var best *frozenGuidance
	most := -1
	for i := range f.Guidance {
		g := &f.Guidance[i]
		if g.Prompt != prompt || g.Scene.Route != "" && g.Scene.Route != route || g.Scope.Test != "" && g.Scope.Test != test {
			continue
		}
		names := 0
		if g.Scene.Route != "" {
			names++
		}
		if g.Scope.Test != "" {
			names++
		}
		if names > most {
			best, most = g, names
		}
	}
	return best
}
