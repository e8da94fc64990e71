package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/whole"
	"github.com/memtree/memtree/knowledge"
)

func knowExportCommand(a *app) *cobra.Command {
	x, format := knowledge.Filter{}, ""
	c := &cobra.Command{
		Use:  "export FILE",
		Args: arguments(a.Voice, 1, 1, a.Say("the file or folder")),
		RunE: func(c *cobra.Command, args []string) error {
			x.State = knowledge.Active
			return a.store.Read(c.Context(), func(m *memtree.Memory) error {
				all, err := m.Knowledge().List(c.Context(), x)
				if err != nil {
					return err
				}
				return exportFacts(a.Voice, all, args[0], format)
			})
		},
	}
	c.Flags().StringVar(&x.Product, "product", "", a.Say("only those of this product"))
	c.Flags().StringVar(&format, "format", "memtree", a.Say("memtree or agent-qa"))
	return c
}

func exportFacts(v *say.Voice, all []knowledge.Fact, to, format string) error {
	written, left := 0, []error{}
	switch format {
	case "memtree":
		if to == "-" {
			return writeFacts(v.Stdout, all)
		}
		if err := whole.Write(to, 0o644, func(w io.Writer) error { return writeFacts(w, all) }); err != nil {
			return err
		}
		written = len(all)
	case "agent-qa":
		for i := range all {
			switch err := exportObservation(&all[i], to); {
			case errors.As(err, new(*ingest.StatementError)):
				left = append(left, err)
			case err != nil:
				return err
			default:
				written++
			}
		}
	default:
		return v.Usage("--format is %s; use memtree or agent-qa", format)
	}
	for _, err := range left {
		v.Complain(err.Error())
	}
	return v.Result(map[string]int{"written": written, "left": len(left)},
		v.Wrap(v.Say("Facts written to %s: %d.", to, written))...)
}

func writeFacts(w io.Writer, all []knowledge.Fact) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range all {
		if err := enc.Encode(all[i].Statement); err != nil {
			return fmt.Errorf("write facts: %w", err)
		}
	}
	return nil
}

func exportObservation(f *knowledge.Fact, dir string) error {
	o := &ingest.Observation{
		Statement: f.Statement, Trust: f.Trust, Since: f.Since, Used: f.Used, Contradicts: f.Missed,
		Confirms: f.Right + len(f.Cases),
	}
	for i := range f.People {
		if f.People[i].Holds {
			o.Confirms++
		} else {
			o.Contradicts++
		}
	}
	path, err := ingest.ObservationPath(o)
	if err != nil {
		return err
	}
	to := filepath.Join(dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", to, err)
	}
	return whole.Write(to, 0o644, func(w io.Writer) error { return ingest.WriteObservation(w, o) })
}
