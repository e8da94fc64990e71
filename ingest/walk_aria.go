package ingest

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// ariaLine is a line of a snapshot: - role "name" [state]: text
var ariaLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\s*)- (?:'|")?(/?[a-z]+)(?: ("(?:[^"\\]|\\.)*"|/.*/))?([^:]*)(:.*)?$`)
})

func isAria(name string, head []byte) bool {
	return strings.Contains(name, ".aria.") ||
		regexp.MustCompile(`(?m)^\s*- (?:button|link|heading|textbox|navigation|main|document|banner|list)\b`).Match(head)
}

// aria reads an ARIA snapshot of one page, as Playwright writes it. The place of an element is the nearest landmark,
// form, dialog, table or region around it that has a name.
func (r *walkReader) aria(b []byte) error {
	page := r.o.Page
	if page == "" {
		base := path.Base(strings.ReplaceAll(r.file, `\`, "/"))
		base, _, _ = strings.Cut(base, ".")
		page = "/" + base
	}
	if err := r.see(ledger.Sighting{Kind: ledger.SeenPage, URL: page}); err != nil {
		return err
	}
	type around struct {
		indent int
		place  string
	}
	var in []around
	last := "" // the name of the link whose address follows
	for n, line := range bytes.Split(b, []byte("\n")) {
		m := ariaLine().FindSubmatch(bytes.TrimRight(line, "\r"))
		if m == nil {
			if bytes.HasPrefix(bytes.TrimSpace(line), []byte("- ")) && len(line) > tree.MaxName {
				return r.bad(fmt.Sprint("line ", n+1), "is too long for an element; take the snapshot anew")
			}
			continue
		}
		indent, role, name := len(m[1]), string(m[2]), unquotedName(string(m[3]))
		rest := strings.TrimSpace(strings.TrimPrefix(string(m[5]), ":"))
		for len(in) > 0 && in[len(in)-1].indent >= indent {
			in = in[:len(in)-1]
		}
		if role == "/url" {
			to := unquotedName(rest)
			if to != "" && !strings.HasPrefix(to, "javascript:") && !strings.HasPrefix(to, "mailto:") {
				err := r.see(ledger.Sighting{Kind: ledger.SeenLink, URL: page, To: resolvePage(page, to), Role: "link", Name: last})
				if err != nil {
					return err
				}
			}
			continue
		}
		place := ""
		if len(in) > 0 {
			place = in[len(in)-1].place
		}
		if name == "" && namedRole(role) && !valuedRole(role) {
			name = unquotedName(rest)
		}
		if role == "link" {
			last = name
		}
		if landmarkRole(role) && name != "" {
			in = append(in, around{indent, role + " " + name})
		}
		if plainRole(role) || name == "" && !namedRole(role) {
			continue
		}
		if err := r.see(ledger.Sighting{Kind: ledger.SeenElement, URL: page, Role: role, Name: name,
			Place: place}); err != nil {
			return err
		}
	}
	return nil
}

// unquotedName returns a name as it is read.
func unquotedName(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && s[0] == s[len(s)-1] && strings.ContainsRune(`"'`, rune(s[0])) {
		s = strings.ReplaceAll(s[1:len(s)-1], `\"`, `"`)
	}
	return s
}

// namedRole reports whether elements of a role have their text as their name.
func namedRole(role string) bool {
	switch role {
	case "button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "option", "switch", "slider", "tab",
		"menuitem", "heading", "alert", "status", "spinbutton", "img", "cell", "columnheader":
		return true
	}
	return false
}

// valuedRole reports whether the text of elements of a role is what was typed or chosen.
func valuedRole(role string) bool {
	switch role {
	case "textbox", "searchbox", "combobox", "slider", "spinbutton":
		return true
	}
	return false
}

// landmarkRole reports whether a role is a place on a page.
func landmarkRole(role string) bool {
	switch role {
	case "form", "dialog", "alertdialog", "navigation", "region", "main", "banner", "contentinfo", "search", "group",
		"table", "row", "listitem", "article", "tabpanel", "menu", "toolbar", "complementary":
		return true
	}
	return false
}

// plainRole reports whether a role is text or structure and no element that one looks for.
func plainRole(role string) bool {
	switch role {
	case "text", "paragraph", "generic", "list", "listitem", "document", "main", "banner", "contentinfo", "row",
		"rowgroup", "strong", "emphasis", "code", "separator", "group", "none", "presentation":
		return true
	}
	return false
}

// resolvePage returns the address that a link of a page leads to.
func resolvePage(page, to string) string {
	switch {
	case strings.Contains(to, "://"), strings.HasPrefix(to, "/"):
		return to
	case strings.HasPrefix(to, "#"):
		if strings.HasPrefix(to, "#/") || strings.HasPrefix(to, "#!") {
			return to
		}
		return page
	default:
		head, _, _ := strings.Cut(page, "?")
		return path.Join(path.Dir(head), to)
	}
}
