// Command peers serves memtree's index to the peers harness, which compares search engines. It reads one JSON object
// a line from standard input and writes one answer a line to standard output. It is a separate module; build it to
// where the harness looks for it:
//
//	go build -C quality/peers -o BIN/memtree .
//
// and name it in the harness's peers file, with "vectors" false and "setting" default (lexical search and the
// built-in encoder) or words (lexical search alone).
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/memtree/memtree/internal/embed/use"
	"github.com/memtree/memtree/internal/whole"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// request is one line of input. Op is hello, open, add, build, query or close.
type request struct {
	Op, Dir, Mode, Setting, Text string
	K                            int
	Docs                         []struct {
		ID, Text string
		Scene    tree.Scene
	}
}

// reply is one line of output. NS is how long the operation took, in nanoseconds.
type reply struct {
	OK      bool     `json:"ok"`
	Error   string   `json:"error,omitempty"`
	NS      int64    `json:"ns"`
	IDs     []string `json:"ids,omitempty"`
	Version string   `json:"version,omitempty"`
}

// peer is an index in a folder: its head in a file, and each segment in one.
type peer struct {
	dir   string
	index *retrieval.Index
	files []*os.File
}

// do performs one operation.
func (p *peer) do(ctx context.Context, r *request, out *reply) error {
	switch r.Op {
	case "hello":
		out.Version = "memtree, " + runtime.Version()
		return nil
	case "open":
		return p.open(r)
	case "add":
		return p.add(ctx, r)
	case "build":
		return p.save(ctx)
	case "query":
		var err error
		out.IDs, err = p.query(ctx, r)
		return err
	case "close":
		var errs []error
		for _, f := range p.files {
			errs = append(errs, f.Close())
		}
		return errors.Join(errs...)
	}
	return fmt.Errorf("unknown op %q", r.Op)
}

// open creates a new index, or loads the one in the folder unless Mode is create.
func (p *peer) open(r *request) error {
	p.dir = r.Dir
	var e llm.Embedder
	var err error
	switch r.Setting {
	case "words":
	default:
		e, err = use.Default()
	}
	if err != nil {
		return err
	}
	p.index = retrieval.New(taxonomy.Default(), e)
	if r.Mode == "create" {
		return nil
	}
	head, err := os.ReadFile(filepath.Join(p.dir, "head"))
	if err != nil {
		return err
	}
	p.index, err = retrieval.LoadPieces(head, p.segment, taxonomy.Default(), e)
	return err
}

// segment opens the file of a segment.
func (p *peer) segment(name string) (io.ReaderAt, int64, error) {
	f, err := os.Open(filepath.Join(p.dir, "segment-"+name))
	if err != nil {
		return nil, 0, err
	}
	p.files = append(p.files, f)
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}

func (p *peer) add(ctx context.Context, r *request) error {
	nodes := make([]tree.Node, len(r.Docs))
	for i, d := range r.Docs {
		nodes[i] = tree.Node{
			ID: d.ID, Type: tree.Case, Level: 1, ErrorType: taxonomy.OtherError, Direction: taxonomy.Other, Scene: d.Scene,
			Content: tree.Content{Confidence: 0.5}, Status: tree.Active, Revision: 1,
			CaseData: &tree.CaseData{TestCase: tree.TestCase{Prompt: d.Text}},
		}
	}
	return p.index.Update(ctx, 1, nodes)
}

func (p *peer) save(ctx context.Context) error {
	for more := true; more; {
		var err error
		if more, err = p.index.Merge(ctx); err != nil {
			return err
		}
	}
	pieces, err := p.index.Pieces()
	if err != nil {
		return err
	}
	for i, name := range pieces.Names() {
		write := func(w io.Writer) error { return pieces.Write(i, w) }
		if err := whole.Write(filepath.Join(p.dir, "segment-"+name), 0o600, write); err != nil {
			return err
		}
	}
	return whole.Bytes(filepath.Join(p.dir, "head"), 0o600, pieces.Head())
}

func (p *peer) query(ctx context.Context, r *request) ([]string, error) {
	found, err := p.index.Explain(ctx, retrieval.Query{Prompt: r.Text, Alike: true, Limits: retrieval.Limits{Candidates: r.K}})
	ids := make([]string, len(found.Considered))
	for i, h := range found.Considered {
		ids[i] = h.ID
	}
	return ids, err
}

func run(ctx context.Context, in io.Reader, out io.Writer) error {
	read, write := json.NewDecoder(bufio.NewReaderSize(in, 1<<20)), json.NewEncoder(out)
	p := &peer{}
	for {
		var r request
		if err := read.Decode(&r); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		var answer reply
		start := time.Now()
		if err := p.do(ctx, &r, &answer); err != nil {
			answer.Error = err.Error()
		}
		answer.OK, answer.NS = answer.Error == "", time.Since(start).Nanoseconds()
		if err := write.Encode(answer); err != nil {
			return err
		}
		if r.Op == "close" {
			return nil
		}
	}
}

func main() {
	if err := run(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
