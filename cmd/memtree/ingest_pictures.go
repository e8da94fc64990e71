package main

import (
	"cmp"
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/ingest/report"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/tree"
)

// pictureKeeper stores the pictures of reports beside the store.
type pictureKeeper struct {
	*app
	ctx     context.Context //nolint:containedctx // the reader of reports has none
	mem     *memtree.Memory
	folder  string // folder of the attachments; "": that of the report
	folders map[string]*report.Attachments
}

func newPictureKeeper(ctx context.Context, a *app, folder string) *pictureKeeper {
	return &pictureKeeper{app: a, ctx: ctx, folder: folder, folders: map[string]*report.Attachments{}}
}

// keep stores one picture; see report.Options.
func (k *pictureKeeper) keep(s report.Shot) (tree.Picture, error) {
	name := cmp.Or(s.Name, path.Base(strings.ReplaceAll(s.Path, `\`, "/")))
	if s.Data != nil {
		return k.mem.Pictures().Keep(k.ctx, name, s.Data)
	}
	from, err := k.attachments(s.Report)
	if err != nil {
		return tree.Picture{}, err
	}
	f, err := from.Open(s.Path)
	if err != nil {
		return tree.Picture{}, err
	}
	p, err := k.mem.Pictures().Keep(k.ctx, name, f)
	return p, errors.Join(err, f.Close())
}

// attachments opens the folder with the attachments of a report.
func (k *pictureKeeper) attachments(file string) (*report.Attachments, error) {
	folder := k.folder
	if folder == "" {
		if file == k.files.Name("-") {
			return nil, &tree.FieldError{Field: "picture",
				Problem: "is a file, and standard input has no folder; name the folder that has it with --attachments"}
		}
		folder = filepath.Dir(file)
	}
	if from := k.folders[folder]; from != nil {
		return from, nil
	}
	at, err := k.files.Path(folder)
	if err != nil {
		return nil, err
	}
	from, err := report.OpenAttachments(at)
	if err == nil {
		k.folders[folder] = from
	}
	return from, err
}

func (k *pictureKeeper) close() {
	for _, f := range k.folders {
		_ = f.Close() // only read
	}
}

// shownLeft limits the printed reasons.
const shownLeft = 5

// pictureLines describes the result for the pictures of reports.
func pictureLines(v *say.Voice, p *input.Pictures) (out []string) {
	if n := p.Kept - p.Again; n > 0 && !v.Quiet {
		out = append(out, v.Wrap(v.Say("Screenshots kept: %d; label, show and the pages have them.", n))...)
	}
	if p.Again > 0 && !v.Quiet {
		out = append(out, v.Wrap(v.Say("Screenshots of runs that were recorded before: %d. Such a run keeps those it was "+
			"recorded with, and gets no new ones.", p.Again))...)
	}
	if p.Left > 0 {
		out = append(out, v.Wrap(v.Say("Screenshots left out: %d. Their runs are recorded all the same.", p.Left))...)
	}
	for _, l := range p.Why[:min(shownLeft, len(p.Why))] {
		out = append(out, v.Wrap("  "+l.File+": "+l.Picture+" "+v.Mistake(l.Problem))...)
	}
	return out
}
