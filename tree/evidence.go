package tree

import (
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strings"
)

// Evidence is what a test tool recorded about a run, for a person who reviews it: the failure, the steps, pictures of
// the page. It is no part of the identity of a run (Key, Digest) or of a case (EvidenceID), and is never included in a
// prompt. A Gallery stores the pictures themselves.
type Evidence struct {
	Failure  string     `json:"failure,omitempty"` // printed by the tool
	Steps    []TestStep `json:"steps,omitempty"`   // in order
	Pictures []Picture  `json:"pictures,omitempty"`
	Links    []Link     `json:"links,omitempty"`
}

// TestStep is one step of a run.
type TestStep struct {
	Title  string `json:"title"`
	Failed bool   `json:"failed,omitempty"`
}

// Picture refers to a picture by the hash of its bytes.
type Picture struct {
	SHA256 string `json:"sha256"`         // 64 lower-case hex digits
	Name   string `json:"name,omitempty"` // assigned by the tool
	Type   string `json:"type"`           // one of PictureTypes
	Width  int    `json:"width"`          // pixels
	Height int    `json:"height"`
	Bytes  int    `json:"bytes"`
}

// Link is an http or https address of a page about the run.
type Link struct {
	Name string `json:"name,omitempty"`
	URL  string `json:"url"`
}

// Limits on evidence, in bytes unless noted otherwise.
const (
	MaxFailure  = 8 << 10
	MaxSteps    = 100 // a count
	MaxStep     = 300
	MaxPictures = 8 // a count
	MaxLinks    = 8 // a count
	MaxPicture  = 8 << 20
	MaxSide     = 16_384 // pixels
	MaxPixels   = 64 << 20
)

// PictureTypes returns the content types allowed for a picture.
func PictureTypes() []string { return []string{"image/png", "image/jpeg", "image/webp"} }

// File returns the name of the picture's file within a store, such as pictures/….png. The extension follows from Type.
func (p *Picture) File() string {
	kind := strings.TrimPrefix(p.Type, "image/")
	return "pictures/" + p.SHA256 + "." + kind
}

// IsPictureID reports whether s has the form of Picture.SHA256.
func IsPictureID(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// Empty reports whether e holds nothing. e may be nil.
func (e *Evidence) Empty() bool {
	return e == nil || e.Failure == "" && len(e.Steps)+len(e.Pictures)+len(e.Links) == 0
}

// Clone returns a deep copy of e, which may be nil.
func (e *Evidence) Clone() *Evidence {
	if e == nil {
		return nil
	}
	c := *e
	c.Steps, c.Pictures, c.Links = slices.Clone(e.Steps), slices.Clone(e.Pictures), slices.Clone(e.Links)
	return &c
}

// Texts yields pointers to all texts in e, each with its limit in bytes, for redaction.
func (e *Evidence) Texts() iter.Seq2[*string, int] {
	return func(yield func(*string, int) bool) {
		for _, t := range e.texts() {
			if !yield(t.text, t.limit) {
				return
			}
		}
	}
}

// evidenceText is a text of Evidence with the name of its field and its limit in bytes.
type evidenceText struct {
	field string
	text  *string
	limit int
}

func (e *Evidence) texts() []evidenceText {
	if e == nil {
		return nil
	}
	out := []evidenceText{{"evidence.failure", &e.Failure, MaxFailure}}
	for i := range e.Steps {
		out = append(out, evidenceText{"evidence.steps.title", &e.Steps[i].Title, MaxStep})
	}
	for i := range e.Pictures {
		out = append(out, evidenceText{"evidence.pictures.name", &e.Pictures[i].Name, MaxName})
	}
	for i := range e.Links {
		out = append(out, evidenceText{"evidence.links.name", &e.Links[i].Name, MaxName},
			evidenceText{"evidence.links.url", &e.Links[i].URL, MaxName})
	}
	return out
}

// check returns the first field that breaks a limit, as a *FieldError. e may be nil.
func (e *Evidence) check() error {
	if e == nil {
		return nil
	}
	for _, t := range e.texts() {
		if err := CheckText(t.field, *t.text, t.limit); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		field     string
		got, most int
	}{{"steps", len(e.Steps), MaxSteps}, {"pictures", len(e.Pictures), MaxPictures}, {"links", len(e.Links), MaxLinks}} {
		if c.got > c.most {
			return &FieldError{
				Field:   "evidence." + c.field,
				Problem: fmt.Sprintf("has %d entries; the most is %d", c.got, c.most),
			}
		}
	}
	for i := range e.Pictures {
		if err := e.Pictures[i].check(); err != nil {
			return err
		}
	}
	for _, l := range e.Links {
		if !l.Safe() {
			return &FieldError{Field: "evidence.links.url", Problem: "is " + quote(l.URL) + "; use an http or https address"}
		}
	}
	return nil
}

func (p *Picture) check() error {
	switch {
	case !IsPictureID(p.SHA256):
		return &FieldError{Field: "evidence.pictures.sha256", Problem: "is " + quote(p.SHA256) +
			"; use the SHA-256 of the picture in lower-case hex"}
	case !slices.Contains(PictureTypes(), p.Type):
		return &FieldError{Field: "evidence.pictures.type", Problem: "is " + quote(p.Type) +
			"; use " + strings.Join(PictureTypes(), ", ")}
	case p.Width < 1 || p.Height < 1 || p.Width > MaxSide || p.Height > MaxSide || p.Width*p.Height > MaxPixels:
		return &FieldError{Field: "evidence.pictures.width", Problem: fmt.Sprintf(
			"and height are %d and %d; a picture has at most %d pixels a side and %d in all", p.Width, p.Height, MaxSide,
			MaxPixels)}
	case p.Bytes < 1 || p.Bytes > MaxPicture:
		return &FieldError{Field: "evidence.pictures.bytes", Problem: fmt.Sprintf("is %d; the most is %d", p.Bytes,
			MaxPicture)}
	}
	return nil
}

// Safe reports whether the link is an http or https address with a host and without credentials.
func (l Link) Safe() bool {
	u, err := url.Parse(l.URL)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// DropUnsafe removes the links that are not Safe, such as those that redaction broke. e may be nil.
func (e *Evidence) DropUnsafe() {
	if e != nil {
		e.Links = slices.DeleteFunc(e.Links, func(l Link) bool { return !l.Safe() })
	}
}
