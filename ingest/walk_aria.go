package ingest

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/aria"
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
		if name == "" && aria.Is(role, aria.Named) && !aria.Is(role, aria.Valued) {
			name = unquotedName(rest)
		}
		if role == "link" {
			last = name
		}
		if aria.Is(role, aria.Place) && name != "" {
			in = append(in, around{indent, role + " " + name})
		}
		if aria.Is(role, aria.Plain) || name == "" && !aria.Is(role, aria.Named) {
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
