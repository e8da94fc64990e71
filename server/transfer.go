package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// streamWithin is how long a stream may be idle. An idle stream is closed after this long.
const streamWithin = 30 * time.Second

// streamIn is how long the body of a stream may take in all.
const streamIn = 15 * time.Minute

type exportInput struct {
	InTree
	Format        string    `query:"format" enum:"memtree,seed" default:"memtree"`
	Types         []string  `query:"type" maxItems:"100" doc:"Only these error types"`
	Level         tree.Type `query:"level" enum:"case,experience,strategy"`
	Product       string    `query:"product" maxLength:"1024"`
	Suite         string    `query:"suite" maxLength:"1024"`
	Test          string    `query:"test" maxLength:"1024"`
	MinConfidence float64   `query:"minConfidence" minimum:"0" maximum:"1"`
	Since         string    `query:"since" maxLength:"40" doc:"Only memories updated since then: a day, UTC, such as 2026-01-28, or time, RFC 3339"` //nolint:lll // a tag cannot be broken
	NoCases       bool      `query:"noCases" doc:"Lessons alone; the cases they rest on leave as counts and hashes"`
	Redact        bool      `query:"redact" doc:"Take secrets, addresses and names out, and leave cases out"`
	Cases         bool      `query:"cases" doc:"With redact: cases leave too; a name in running text may stay in them"`
	NoFacts       bool      `query:"noFacts" doc:"Memories alone, without what is known of the products"`
	Risk          bool      `query:"risk" doc:"Say how many verdicts of each judge, product and type of scene were right"`
	All           bool      `query:"all" doc:"Archived memories and imports that wait, too"`
}

func (in *exportInput) options() (_ *transfer.ExportOptions, err error) {
	var since time.Time
	if in.Since != "" {
		if since, _, err = find.ParseTime("since", in.Since); err != nil {
			return nil, err
		}
	}
	o := transfer.ExportOptions{NoFacts: in.NoFacts, Risk: in.Risk, Redact: in.Redact, Cases: in.Cases}
	o.ExportChoice = transfer.ExportChoice{
		ErrorTypes: in.Types, Level: in.Level.Level(), MinConfidence: in.MinConfidence, Since: since, NoCases: in.NoCases,
		Scope: tree.Scope{Product: in.Product, Suite: in.Suite, Test: in.Test}, All: in.All,
	}
	return &o, nil
}

// export writes the whole file before it answers, so that a part of one never looks complete.
func (s *Server) export(ctx context.Context, in *exportInput) (*huma.StreamResponse, error) {
	if in.Risk && in.Format == string(transfer.Seed) {
		return nil, input(badPart{"query.risk", "has no place in the seed form; leave one out"})
	}
	options, err := in.options()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "memtree-export-")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "export")
	const tries = 5
	for range tries {
		err = writeExport(ctx, treeIn(ctx), path, transfer.Form(in.Format), options)
		if !errors.Is(err, store.ErrConflict) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	name := treeIn(ctx).name + map[string]string{"memtree": ".memtree", "seed": ".json"}[in.Format]
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		_, w := humago.Unwrap(hc)
		if err := sendFile(w, path, name); err != nil {
			panic(http.ErrAbortHandler) // half a file must not look complete
		}
	}}, nil
}

func writeExport(ctx context.Context, t *treeOf, path string, form transfer.Form, o *transfer.ExportOptions) error {
	chosen, err := t.Transfer().Export(ctx, o)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if _, err = transfer.Write(path, form, chosen.Nodes(ctx), chosen.Beside); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

func sendFile(w http.ResponseWriter, path, name string) error {
	f, err := os.Open(path) //nolint:gosec // we have just written it
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	c := http.NewResponseController(w)
	for last := time.Now().Add(streamIn); time.Now().Before(last); {
		_ = c.SetWriteDeadline(time.Now().Add(streamWithin)) // not every writer has one
		const piece = 1 << 20
		if _, err := io.CopyN(w, f, piece); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return os.ErrDeadlineExceeded
}

// importInput stores the body in a temporary file, since an import is read twice.
type importInput struct {
	InTree
	DryRun bool `query:"dryRun" doc:"Say what would change, write nothing"`

	dir string
	err error
}

// Resolve implements huma's interface, which passes the body as a stream.
func (in *importInput) Resolve(hc huma.Context) []error {
	if in.dir, in.err = os.MkdirTemp("", "memtree-import-"); in.err == nil {
		_, w := humago.Unwrap(hc)
		in.err = spool(filepath.Join(in.dir, "import"), hc.BodyReader(), http.NewResponseController(w), streamIn)
	}
	return nil
}

func spool(path string, r io.Reader, c *http.ResponseController, within time.Duration) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600) //nolint:gosec // in a folder of our own
	if err != nil {
		return err
	}
	last := time.Now().Add(within)
	_ = c.SetWriteDeadline(last.Add(writeWithin)) // not every writer has one
	for err == nil && time.Now().Before(last) {
		_ = c.SetReadDeadline(time.Now().Add(streamWithin)) // likewise
		const piece = 1 << 20
		_, err = io.CopyN(f, r, piece)
	}
	switch {
	case errors.Is(err, io.EOF):
		err = nil
	case err == nil:
		err = fmt.Errorf("the upload took longer than %s: %w", within, os.ErrDeadlineExceeded)
	}
	return errors.Join(err, f.Close())
}

// imported is the result of an import of a file of memories.
type imported struct {
	DryRun bool                   `json:"dryRun"`
	Counts map[transfer.Class]int `json:"counts"`
	Items  []transfer.NodePlan    `json:"items" doc:"Those that are not the same as here, at most 1000"`
	Facts  int                    `json:"facts" doc:"New facts: no run is given them before a person confirms them"`
	Bad    int                    `json:"factsRefused" doc:"Facts that break a law"`
}

// mostItems is the maximum number of memories of an import that are listed.
const mostItems = 1000

// imports imports a file of memories into quarantine.
func (s *Server) imports(ctx context.Context, in *importInput) (*reply[imported], error) {
	defer os.RemoveAll(in.dir) //nolint:errcheck // a temporary folder
	if in.err != nil {
		return nil, fmt.Errorf("import: %w", in.err)
	}
	t := treeIn(ctx)
	if !in.DryRun {
		if err := t.writable(); err != nil {
			return nil, err
		}
	}
	f := transfer.File{Path: filepath.Join(in.dir, "import"), Guess: formation.Guess}
	plan, err := t.Transfer().Import(ctx, f.Nodes, &transfer.ImportOptions{DryRun: in.DryRun})
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	facts, err := t.Knowledge().Import(ctx, f.Facts, "import", in.DryRun)
	if _, full := errors.AsType[*tree.FieldError](err); full { // the memories are in
		facts.Bad, err = len(f.Facts), nil
	}
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	items := append([]transfer.NodePlan{}, plan.Items[:min(mostItems, len(plan.Items))]...)
	return &reply[imported]{imported{in.DryRun, plan.Counts, items, len(facts.New), facts.Bad}}, nil
}
