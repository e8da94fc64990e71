package ingest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/memtree/memtree/ledger"
)

func isSitemap(_ string, head []byte) bool {
	return bytes.Contains(head, []byte("<urlset")) || bytes.Contains(head, []byte("<sitemapindex"))
}

// sitemap sees the pages of a sitemap.
func (r *walkReader) sitemap(b []byte) error {
	d := xml.NewDecoder(bytes.NewReader(b))
	inside := ""
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return r.bad("", "is no XML: %v", err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			inside = t.Name.Local
		case xml.EndElement:
			inside = ""
		case xml.CharData:
			if s := strings.TrimSpace(string(t)); inside == "loc" && s != "" && len(s) <= ledger.MaxAddress {
				if err := r.see(ledger.Sighting{Kind: ledger.SeenPage, URL: s}); err != nil {
					return err
				}
			}
		}
	}
}

var openAPI = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*"?(?:openapi|swagger)"?\s*:`)
})

func isOpenAPI(_ string, head []byte) bool { return openAPI().Match(head) }

// openapi sees the interfaces that a description names, with the names of their parameters. A variable of a path is one
// of a route.
func (r *walkReader) openapi(b []byte) error {
	var doc struct {
		Servers []struct {
			URL string `yaml:"url"`
		} `yaml:"servers"`
		Base  string                    `yaml:"basePath"`
		Paths map[string]map[string]any `yaml:"paths"`
	}
	if err := yaml.Unmarshal(b, &doc); err != nil {
		return r.bad("", "is no JSON or YAML that can be read: %.200v", err)
	}
	if len(doc.Paths) == 0 {
		return r.bad("paths", "is missing or empty")
	}
	base := doc.Base
	if len(doc.Servers) > 0 {
		base = doc.Servers[0].URL
	}
	variable := regexp.MustCompile(`\{[^{}/]*\}`)
	for _, p := range slices.Sorted(maps.Keys(doc.Paths)) {
		of := doc.Paths[p]
		for _, method := range []string{"get", "put", "post", "delete", "patch", "head", "options"} {
			call, ok := of[method]
			if !ok {
				continue
			}
			params := slices.Concat(paramNames(of["parameters"]), paramNames(call))
			to := strings.TrimSuffix(base, "/") + variable.ReplaceAllString(p, ":p")
			if len(to) > ledger.MaxAddress {
				continue
			}
			err := r.see(ledger.Sighting{Kind: ledger.SeenCall, To: to, Do: strings.ToUpper(method), Params: params})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// paramNames returns the names of a list of parameters, or of that of a call.
func paramNames(v any) (out []string) {
	if m, ok := v.(map[string]any); ok {
		v = m["parameters"]
	}
	list, _ := v.([]any)
	for _, x := range list {
		if m, ok := x.(map[string]any); ok {
			if name, ok := m["name"].(string); ok && name != "" && len(out) < 100 {
				out = append(out, clipName(name))
			}
		}
	}
	return out
}

func isMidscene(_ string, head []byte) bool {
	return bytes.Contains(head, []byte("midsceneVersion:")) && bytes.Contains(head, []byte("caches:"))
}

// midscene sees the elements that a cache of Midscene has found: the prompt names the element, and the path is its
// selector. A cache does not say on which page that was; see Options.Page.
func (r *walkReader) midscene(b []byte) error {
	var doc struct {
		ID     string `yaml:"cacheId"`
		Caches []struct {
			Type   string `yaml:"type"`
			Prompt any    `yaml:"prompt"`
			Cache  struct {
				Paths []string `yaml:"xpaths"`
			} `yaml:"cache"`
			Paths []string `yaml:"xpaths"`
		} `yaml:"caches"`
	}
	if err := yaml.Unmarshal(b, &doc); err != nil {
		return r.bad("", "is no YAML that can be read: %.200v", err)
	}
	if r.o.Page == "" {
		return r.bad("", "is a cache of Midscene, which does not say on which page it was; name it with --page")
	}
	for _, c := range doc.Caches {
		prompt, ok := c.Prompt.(string)
		if !ok || c.Type != "locate" {
			continue
		}
		for _, p := range slices.Concat(c.Cache.Paths, c.Paths) {
			if len(p) > ledger.MaxAddress {
				continue
			}
			err := r.see(ledger.Sighting{
				Kind: ledger.SeenAction, URL: r.o.Page, Do: "locate", Name: clipName(prompt), Selector: "xpath=" + p,
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
