package tree

import (
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strings"
)

// Evidence is what a test tool recorded about a run, for people who review the run: the failure, the steps, pictures of
// the page. Key, Digest and EvidenceID ignore it. Guidance never contains it, but a model that takes a second look at
// the verdict (package look) sees it. Evidence only names pictures; a store.Gallery has their bytes.
type Evidence struct {
	Failure  string     `json:"failure,omitempty"` // message of the failure, as the tool printed it
	Steps    []TestStep `json:"steps,omitempty"`   // in the order in which they ran
	Pictures []Picture  `json:"pictures,omitempty"`
	Links    []Link     `json:"links,omitempty"`
}

// TestStep is one step of a run, as the test tool named it.
type TestStep struct {
	Title  string `json:"title"`
	Failed bool   `json:"failed,omitempty"`
}

// Picture refers to a picture in a store by the hash of its bytes.
type Picture struct {
	SHA256 string `json:"sha256"`         // hash of the file, 64 lower-case hex digits
	Name   string `json:"name,omitempty"` // name that the tool gave it
	Type   string `json:"type"`           // one of PictureTypes
	Width  int    `json:"width"`          // width in pixels
	Height int    `json:"height"`         // height in pixels
	Bytes  int    `json:"bytes"`          // size of the file in bytes
}

// Link is an http or https address of a page about the run.
type Link struct {
	Name string `json:"name,omitempty"`
	URL  string `json:"url"`
}

// Limits of Evidence.
const (
	MaxFailure  = 8 << 10  // bytes of Evidence.Failure
	MaxSteps    = 100      // steps of one run
	MaxStep     = 300      // bytes of a step's title
	MaxPictures = 8        // pictures of one run
	MaxLinks    = 8        // links of one run
	MaxPicture  = 8 << 20  // bytes of one picture
	MaxSide     = 16_384   // pixels of a picture's width or height
	MaxPixels   = 64 << 20 // width times height of a picture
)

// PictureTypes returns the content types that a Picture may have.
func PictureTypes() []string { return []string{"image/png", "image/jpeg", "image/webp"} }

// File returns the path of the picture's file within a store, such as pictures/….png: the hash, with an extension that
// follows from Type.
func (p *Picture) File() string {
	kind := strings.TrimPrefix(p.Type, "image/")
	return "pictures/" + p.SHA256 + "." + kind
}

// IsPictureID reports whether s has the form of Picture.SHA256.
func IsPictureID(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// Empty reports whether e is nil or has neither failure nor steps, pictures or links.
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

// Texts yields a pointer to each text in e, through which the caller may change the text, and the limit of the text in
// bytes. e may be nil.
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

// Safe reports whether l is an http or https address with a host and without credentials.
func (l Link) Safe() bool {
	u, err := url.Parse(l.URL)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// DropUnsafe removes the links that are not Safe, such as links that redaction changed. e may be nil.
func (e *Evidence) DropUnsafe() {
	if e != nil {
		e.Links = slices.DeleteFunc(e.Links, func(l Link) bool { return !l.Safe() })
	}
}
