package ingest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"github.com/memtree/memtree/internal/aria"
	"github.com/memtree/memtree/ledger"
)

// deepestPage bounds how deep a document nests.
const deepestPage = 512

// domElement is an element of a document as a trace has it: ["TAG", {attributes}, children…], a text, or a reference to
// what an earlier snapshot had, which is left out.
type domElement struct {
	tag      string
	attrs    map[string]string
	text     string
	children []domElement
}

func (e *domElement) parse(b []byte, depth int) error {
	if depth > deepestPage {
		return errDeep
	}
	if b = bytes.TrimSpace(b); len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &e.text) //nolint:wrapcheck // the caller names the place
	}
	var list []json.RawMessage
	if json.Unmarshal(b, &list) != nil || len(list) == 0 || json.Unmarshal(list[0], &e.tag) != nil {
		return nil //nolint:nilerr // a reference
	}
	for i, x := range list[1:] {
		if i == 0 && json.Unmarshal(x, &e.attrs) == nil {
			continue
		}
		var child domElement
		if err := child.parse(x, depth+1); err != nil {
			return err
		}
		e.children = append(e.children, child)
	}
	e.tag = strings.ToLower(e.tag)
	return nil
}

// document sees a page, its elements that one can act on and its links.
func (t *playwrightTrace) document(url string, html []byte) error {
	var root domElement
	if err := root.parse(html, 0); err != nil {
		return t.bad(t.part, "has a page that nests deeper than %d elements", deepestPage)
	}
	page := ledger.Sighting{Kind: ledger.SeenPage, URL: url}
	labels := map[string]string{}
	root.each(func(e *domElement) {
		switch {
		case e.tag == "title" && page.Title == "":
			page.Title = clipName(e.words())
		case e.tag == "label" && e.attrs["for"] != "":
			labels[e.attrs["for"]] = e.words()
		}
	})
	if err := t.see(page); err != nil {
		return err
	}
	t.names = labels
	return t.elements(url, &root, labels, "", "")
}

// elements sees what is in an element, whose place is that of the nearest form, dialog or region with a name. label is
// the text of the label around it.
func (t *playwrightTrace) elements(url string, e *domElement, labels map[string]string, place, label string) error {
	if e.tag == "script" || e.tag == "style" || e.attrs["hidden"] != "" || e.attrs["aria-hidden"] == "true" {
		return nil
	}
	role := roleOf(e.tag, e.attrs)
	name := clipName(nameOf(e.attrs, cmp.Or(labels[e.attrs["id"]], ofInput(e.tag, label), e.words())))
	if e.tag == "label" {
		label = e.words()
	}
	if aria.Is(role, aria.Place) && e.attrs["aria-label"] != "" {
		place = role + " " + e.attrs["aria-label"]
	}
	if role != "" && !aria.Is(role, aria.Plain) && !aria.Is(role, aria.Place) && name != "" {
		if err := t.see(ledger.Sighting{Kind: ledger.SeenElement, URL: url, Role: role, Name: name,
			Place: place}); err != nil {
			return err
		}
	}
	if to := e.attrs["href"]; e.tag == "a" && to != "" && !strings.Contains(strings.ToLower(to), "script:") {
		if to = resolveURL(url, to); to != "" {
			if err := t.see(ledger.Sighting{Kind: ledger.SeenLink, URL: url, To: to, Role: "link", Name: name}); err != nil {
				return err
			}
		}
	}
	for i := range e.children {
		if err := t.elements(url, &e.children[i], labels, place, label); err != nil {
			return err
		}
	}
	return nil
}

// ofInput returns the label around an element that a label may name.
func ofInput(tag, label string) string {
	if tag == "input" || tag == "select" || tag == "textarea" {
		return label
	}
	return ""
}

func (e *domElement) each(f func(*domElement)) {
	f(e)
	for i := range e.children {
		e.children[i].each(f)
	}
}

// words returns the text of an element, of its beginning where it is long.
func (e *domElement) words() string {
	var b strings.Builder
	e.each(func(x *domElement) {
		if b.Len() < 400 && x.tag == "" {
			b.WriteString(" " + x.text)
		}
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// roleOf returns the role of ARIA of a tag, "" for one without (W3C, "HTML Accessibility API Mappings").
func roleOf(tag string, attrs map[string]string) string {
	if r := attrs["role"]; r != "" {
		return strings.ToLower(r)
	}
	switch tag {
	case "a":
		if attrs["href"] != "" {
			return "link"
		}
		return ""
	case "button", "summary":
		return "button"
	case "select":
		return "combobox"
	case "textarea":
		return "textbox"
	case "option", "form", "dialog", "article", "table":
		return tag
	case "nav":
		return "navigation"
	case "img":
		return "img"
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return "heading"
	case "input":
		return roleOfInput(strings.ToLower(attrs["type"]))
	}
	return ""
}

func roleOfInput(kind string) string {
	switch kind {
	case "checkbox", "radio":
		return kind
	case "button", "submit", "reset", "image":
		return "button"
	case "range":
		return "slider"
	case "number":
		return "spinbutton"
	case "search":
		return "searchbox"
	case "hidden":
		return ""
	}
	return "textbox"
}

// nameOf returns the accessible name of an element: its label, its text, or what replaces them.
func nameOf(attrs map[string]string, text string) string {
	return cmp.Or(attrs["aria-label"], strings.TrimSpace(text), attrs["placeholder"], attrs["alt"], attrs["title"],
		attrs["data-testid"])
}
