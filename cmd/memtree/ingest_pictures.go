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

func (a *app) pictureKeeper(ctx context.Context, folder string) *pictureKeeper {
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
		if file == k.fileName("-") {
			return nil, &tree.FieldError{Field: "picture",
				Problem: "is a file, and standard input has no folder; name the folder that has it with --attachments"}
		}
		folder = filepath.Dir(file)
	}
	if from := k.folders[folder]; from != nil {
		return from, nil
	}
	at, err := k.path(folder)
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

// ingestedPictures is the result for the pictures of reports, as --json prints it.
type ingestedPictures struct {
	Kept int `json:"kept"`
	Left int `json:"left"` // not stored
	// Again is the part of Kept whose runs were recorded before; those runs keep their first pictures.
	Again int                  `json:"again,omitempty"`
	Why   []report.LeftPicture `json:"why"` // reasons for the first of Left
}

// note adds the counts of a reader.
func (p *ingestedPictures) note(rd *report.Reader) {
	p.Kept += rd.Pictures
	p.Left += rd.Left
	p.Why = append(p.Why, rd.Why...)
}

// shownLeft limits the printed reasons.
const shownLeft = 5

// pictureLines describes the result for the pictures of reports.
func (a *app) pictureLines(p *ingestedPictures) (out []string) {
	if n := p.Kept - p.Again; n > 0 && !a.quiet {
		out = append(out, a.Wrap(a.say("Screenshots kept: %d; label, show and the pages have them.", n))...)
	}
	if p.Again > 0 && !a.quiet {
		out = append(out, a.Wrap(a.say("Screenshots of runs that were recorded before: %d. Such a run keeps those it was "+
			"recorded with, and gets no new ones.", p.Again))...)
	}
	if p.Left > 0 {
		out = append(out, a.Wrap(a.say("Screenshots left out: %d. Their runs are recorded all the same.", p.Left))...)
	}
	for _, l := range p.Why[:min(shownLeft, len(p.Why))] {
		out = append(out, a.Wrap("  "+l.File+": "+l.Picture+" "+a.mistake(l.Problem))...)
	}
	return out
}
