package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

func (a *app) editCommand() *cobra.Command {
	o, file := curation.Options{}, ""
	c := a.wordCommand("edit ID", &o, func(c *cobra.Command, id string) error {
		return a.edit(c.Context(), id, file, o)
	})
	c.Short = a.say("Word a lesson better, by the gates that every lesson passes")
	c.Long = a.say(`Opens what an experience or strategy says, as JSON, in the editor of $VISUAL or $EDITOR, or
takes it from a file: title, description, appliesWhen, notWhen and lessons with check, instead and mistake.
It goes into the tree if it passes the gates that a model's words have to pass too, and evolve keeps it from
then on. A case is evidence: see memtree relabel. memtree undo takes it back.`)
	c.Example = "  memtree edit e_fhb3x2\n  memtree edit e_fhb3x2 --file better.json"
	c.Flags().StringVar(&file, "file", "", a.say("the JSON; - for standard input, without an editor"))
	return c
}

func (a *app) edit(ctx context.Context, id, file string, o curation.Options) error {
	return a.with(ctx, writing, func(m *memtree.Memory) error {
		n, err := a.find(ctx, m, id)
		if err != nil {
			return err
		}
		words, err := a.words(ctx, &n, file)
		if err != nil {
			return err
		}
		d, err := m.Curation().Edit(ctx, n.ID, words, o)
		if refused, ok := errors.AsType[*curation.GateError](err); ok {
			for _, why := range refused.Reasons {
				a.complain(why)
			}
			return &failure{a.say("%s stays as it was: the gates refuse these words", n.ID), err}
		}
		if err != nil {
			return a.wordRefused(err)
		}
		return a.printWord(m.Taxonomy(), &d, &d.Changes[0].Node, false)
	})
}

// words returns a person's draft of a lesson, from a file or an editor.
func (a *app) words(ctx context.Context, n *tree.Node, file string) (gate.Draft, error) {
	const most = 1 << 20
	var b []byte
	var err error
	switch file {
	case "":
		b, err = a.draftInEditor(ctx, n)
	case "-":
		b, err = io.ReadAll(io.LimitReader(a.stdin, most))
	default:
		var f *os.File
		if f, err = a.openNamed(file); err == nil {
			b, err = io.ReadAll(io.LimitReader(f, most))
			err = errors.Join(err, f.Close())
		}
	}
	if err != nil {
		return gate.Draft{}, err
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	var d gate.Draft
	if err := dec.Decode(&d); err != nil {
		return d, &failure{a.say("what was written is no JSON of a lesson: %s", text.Line(err.Error())), err}
	}
	return d, nil
}

// draftInEditor opens a lesson in the user's editor and returns the edited draft.
func (a *app) draftInEditor(ctx context.Context, n *tree.Node) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(curation.DraftOf(n)); err != nil {
		return nil, fmt.Errorf("edit %s: %w", n.ID, err)
	}
	return a.inEditor(ctx, n.ID+".json", buf.Bytes())
}
