package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

func editCommand(a *app) *cobra.Command {
	o, file := curation.Options{}, ""
	c := decisionCommand(a, "edit ID", &o, func(c *cobra.Command, id string) error {
		return runEdit(c.Context(), a, id, file, o)
	})
	c.Flags().StringVar(&file, "file", "", a.Say("the JSON; - for standard input, without an editor"))
	return c
}

func runEdit(ctx context.Context, a *app, id, file string, o curation.Options) error {
	return a.store.Write(ctx, func(m *memtree.Memory) error {
		n, err := findNode(ctx, a.Voice, m, id)
		if err != nil {
			return err
		}
		words, err := readDraft(ctx, a, &n, file)
		if err != nil {
			return err
		}
		d, err := m.Curation().Edit(ctx, n.ID, words, o)
		if refused, ok := errors.AsType[*curation.GateError](err); ok {
			for _, why := range refused.Reasons {
				a.Complain(why)
			}
			return a.Fail(err, "%s stays as it was: the gates refuse these words", n.ID)
		}
		if err != nil {
			return decisionFailure(a.Voice, err)
		}
		return printDecision(a.Voice, m.Taxonomy(), &d, &d.Changes[0].Node, false)
	})
}

// readDraft returns a person's draft of a lesson, from a file or an editor.
func readDraft(ctx context.Context, a *app, n *tree.Node, file string) (d gate.Draft, err error) {
	const most = 1 << 20
	var written string
	if file != "" {
		written, err = a.files.Text(ctx, file, most)
	} else {
		written, err = draftInEditor(ctx, a, n)
	}
	if err != nil {
		return d, err
	}
	dec := json.NewDecoder(strings.NewReader(written))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return d, a.Fail(err, "what was written is no JSON of a lesson: %s", text.Line(err.Error()))
	}
	return d, nil
}

// draftInEditor opens a lesson in the user's editor and returns the edited draft.
func draftInEditor(ctx context.Context, a *app, n *tree.Node) (string, error) {
	b, err := say.Indented(curation.DraftOf(n))
	if err == nil {
		b, err = a.files.Edit(ctx, n.ID+".json", b)
	}
	return string(b), err
}
