package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/memtree/memtree/ledger"
)

func isHAR(name string, head []byte) bool {
	return strings.HasSuffix(strings.ToLower(name), ".har") ||
		bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) && bytes.Contains(head, []byte(`"log"`)) &&
			(bytes.Contains(head, []byte(`"creator"`)) || bytes.Contains(head, []byte(`"entries"`)))
}

// harEntry is what is read of an entry of an archive. Bodies, cookies and the values of headers but two are left out.
type harEntry struct {
	Request struct {
		Method  string `json:"method"`
		URL     string `json:"url"`
		Headers []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"headers"`
	} `json:"request"`
	Response struct {
		Status  int `json:"status"`
		Content struct {
			Mime string `json:"mimeType"`
		} `json:"content"`
	} `json:"response"`
	Kind string `json:"_resourceType"`
}

func (e *harEntry) header(name string) string {
	for _, h := range e.Request.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}

// har reads an archive entry by entry.
func (r *walkReader) har(f io.ReaderAt, size int64) error {
	d := json.NewDecoder(io.NewSectionReader(f, 0, size))
	depth, n := 0, 0
	for {
		t, err := d.Token()
		if err == io.EOF {
			return r.bad("", "has no log.entries; export the archive anew")
		}
		if err != nil {
			return r.bad(fmt.Sprint("byte ", d.InputOffset()), "breaks off or is no JSON: %v", err)
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		case "entries":
			if depth != 2 {
				continue
			}
			if t, err = d.Token(); err != nil || t != json.Delim('[') {
				return r.bad("log.entries", "is no list")
			}
			for ; d.More(); n++ {
				var e harEntry
				if err := d.Decode(&e); err != nil {
					return r.bad(fmt.Sprintf("log.entries[%d]", n), "cannot be read: %v", err)
				}
				if err := r.resource(&e); err != nil {
					return err
				}
			}
			return nil
		}
	}
}

// resource sees what an entry is: a page that was opened, or a call of an interface. Scripts, styles and pictures are
// neither.
func (r *walkReader) resource(e *harEntry) error {
	u, err := url.Parse(e.Request.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || len(e.Request.URL) > ledger.MaxAddress {
		return nil //nolint:nilerr // an address that is none is no page
	}
	to, from, mime := e.Request.URL, e.header("Referer"), strings.ToLower(e.Response.Content.Mime)
	kind := strings.ToLower(e.Kind)
	dest := e.header("Sec-Fetch-Dest")
	switch {
	case dest == "document" || kind == "document" || dest == "" && kind == "" && strings.Contains(mime, "text/html"):
		if e.Response.Status >= 400 || e.Request.Method != "GET" {
			return nil
		}
		if err := r.see(ledger.Sighting{Kind: ledger.SeenPage, URL: to}); err != nil {
			return err
		}
		if from != "" && from != to && len(from) <= ledger.MaxAddress {
			return r.see(ledger.Sighting{Kind: ledger.SeenLink, URL: from, To: to})
		}
	case kind == "xhr" || kind == "fetch" || dest == "empty" && kind == "" ||
		dest == "" && kind == "" && (strings.Contains(mime, "json") || e.Request.Method != "GET"):
		if len(from) > ledger.MaxAddress {
			from = ""
		}
		status := e.Response.Status
		if status < 0 || status > 999 {
			status = 0
		}
		return r.see(ledger.Sighting{
			Kind: ledger.SeenCall, URL: from, To: to, Do: strings.ToUpper(clipName(e.Request.Method)), Status: status,
		})
	}
	return nil
}

// resolveURL returns the address that a link of a page leads to; "" for one that is none.
func resolveURL(page, to string) string {
	base, err := url.Parse(page)
	if err != nil {
		return ""
	}
	u, err := base.Parse(to)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "file" {
		return ""
	}
	if s := u.String(); len(s) <= ledger.MaxAddress {
		return s
	}
	return ""
}
