package ingest

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memtree/memtree/ledger"
)

// Bounds of a trace.
const (
	longestEvent = 16 << 20 // bytes of one line
	mostParts    = 100_000  // files in it
)

var mostUnpacked = int64(4 << 30) // bytes that are read of it, as a stream; tests lower it

func isZip(_ string, head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }

// playwright reads a trace. Its names of files are not used as paths.
func (r *walkReader) playwright(f io.ReaderAt, size int64) error {
	z, err := zip.NewReader(f, size)
	if err != nil {
		return r.bad("", "is a zip that breaks off or is damaged (%v); take the trace anew", err)
	}
	if len(z.File) > mostParts {
		return r.bad("", "has %d files; the most of a trace is %d", len(z.File), mostParts)
	}
	parts := slices.DeleteFunc(slices.Clone(z.File), func(p *zip.File) bool {
		return !strings.HasSuffix(p.Name, ".trace") && !strings.HasSuffix(p.Name, ".network")
	})
	if len(parts) == 0 {
		return r.bad("", "is a zip without a trace in it; give the trace.zip that Playwright wrote")
	}
	slices.SortFunc(parts, func(a, b *zip.File) int { // actions before calls
		return cmp.Or(cmp.Compare(path.Ext(b.Name), path.Ext(a.Name)), cmp.Compare(a.Name, b.Name))
	})
	left := mostUnpacked
	for _, p := range parts {
		t := &playwrightTrace{walkReader: r, part: p.Name, calls: map[string]*tracedAction{}}
		if err := t.read(p, &left); err != nil {
			return err
		}
	}
	return nil
}

// playwrightTrace is one part of a trace that is read.
type playwrightTrace struct {
	*walkReader
	part  string
	calls map[string]*tracedAction // under way, by id
	last  *tracedAction            // ended, and not handed out yet: where it led is seen by the next snapshot
	seen  string                   // the page whose elements were seen last
	names map[string]string        // of its elements, by their id
}

// tracedAction is a call of Playwright's interface.
type tracedAction struct {
	ledger.Sighting
	start float64
	ended bool
}

// traceEvent is a line of a trace. Values that were typed are not read.
type traceEvent struct {
	Type    string  `json:"type"`
	Title   string  `json:"title"`
	CallID  string  `json:"callId"`
	Start   float64 `json:"startTime"`
	End     float64 `json:"endTime"`
	Method  string  `json:"method"`
	Message string  `json:"message"`
	Params  struct {
		Selector   string `json:"selector"`
		Expression string `json:"expression"`
	} `json:"params"`
	Error    json.RawMessage `json:"error"`
	Snapshot struct {
		CallID   string          `json:"callId"`
		Phase    string          `json:"phase"`
		FrameURL string          `json:"frameUrl"`
		Main     bool            `json:"isMainFrame"`
		HTML     json.RawMessage `json:"html"`
		harEntry
	} `json:"snapshot"`
}

func (t *playwrightTrace) read(p *zip.File, left *int64) error {
	in, err := p.Open()
	if err != nil {
		return t.bad(p.Name, "cannot be unpacked: %v", err)
	}
	defer func() { _ = in.Close() }()
	limited := &io.LimitedReader{R: in, N: *left}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, longestEvent)
	n := 0
	for lines.Scan() {
		n++
		var e traceEvent
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return t.bad(fmt.Sprintf("%s line %d", p.Name, n), "is no event of a trace: %v", err)
		}
		if err := t.event(&e); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return t.bad(fmt.Sprintf("%s line %d", p.Name, n+1),
			"breaks off, or is longer than %d bytes (%v); take the trace anew", longestEvent, err)
	}
	if *left = limited.N; *left == 0 {
		return t.bad(p.Name, "unpacks to more than %d bytes", mostUnpacked)
	}
	return t.hand()
}

// event takes in one event.
func (t *playwrightTrace) event(e *traceEvent) error {
	switch e.Type {
	case "context-options":
		if t.o.Test == "" && e.Title != "" && len(t.walk.Seen) == 0 {
			t.walk.Test = clipName(e.Title)
		}
	case "before":
		if len(t.calls) > 1000 { // calls that never ended
			clear(t.calls)
		}
		a := &tracedAction{start: e.Start}
		a.Kind, a.Do, a.Selector = ledger.SeenAction, e.Method, e.Params.Selector
		if e.Method == "expect" && e.Params.Selector == "" {
			a.Do = ""
		}
		t.calls[e.CallID] = a
	case "log":
		if a := t.calls[e.CallID]; a != nil {
			a.log(e.Message, t.names)
		}
	case "after":
		return t.after(e)
	case "frame-snapshot":
		return t.snapshot(e)
	case "resource-snapshot":
		return t.resource(&e.Snapshot.harEntry)
	}
	return nil
}

// after ends a call.
func (t *playwrightTrace) after(e *traceEvent) error {
	a := t.calls[e.CallID]
	if a == nil {
		return nil
	}
	delete(t.calls, e.CallID)
	a.ended = true
	a.Failed = len(e.Error) > 0 && string(e.Error) != "null"
	if ms := e.End - a.start; ms > 0 && ms < 1<<31 {
		a.MS = int(ms)
	}
	if a.Do == "expect" && a.Failed { // a failed expectation is no failure of the selector
		return nil
	}
	if a.URL == "" || a.Do == "" || a.Selector == "" && a.Do != "goto" {
		return nil
	}
	if err := t.hand(); err != nil {
		return err
	}
	t.last = a
	return nil
}

// hand hands out the last action.
func (t *playwrightTrace) hand() error {
	a := t.last
	if t.last = nil; a == nil {
		return nil
	}
	if a.Do == "goto" {
		return nil // the page is seen by its snapshot
	}
	return t.see(a.Sighting)
}

// snapshot notes the address of the page, where actions begin and end, and what a new page contains.
func (t *playwrightTrace) snapshot(e *traceEvent) error {
	s := &e.Snapshot
	if !s.Main || !strings.Contains(s.FrameURL, "://") {
		return nil
	}
	if a := t.calls[s.CallID]; a != nil && s.Phase == "before" {
		a.URL = s.FrameURL
	}
	if a := t.last; a != nil && a.To == "" && a.URL != s.FrameURL && a.Do != "goto" {
		a.To = s.FrameURL
	}
	if s.FrameURL == t.seen {
		return nil
	}
	if err := t.hand(); err != nil {
		return err
	}
	if !bytes.HasPrefix(s.HTML, []byte(`["HTML"`)) {
		return nil
	}
	t.seen = s.FrameURL
	return t.document(s.FrameURL, s.HTML)
}

// log reads what Playwright logs of a call: the selector in its own form, and the element that it found.
func (a *tracedAction) log(message string, names map[string]string) {
	message = strings.TrimSpace(message)
	if s, ok := strings.CutPrefix(message, "waiting for "); ok && isLocator(s) {
		a.Selector = "page." + s
		a.Role, a.Name = ofLocator(s)
		return
	}
	if s, ok := strings.CutPrefix(message, "locator resolved to "); ok && (a.Name == "" || a.Role == "") {
		role, name := ofTag(s, names)
		a.Role, a.Name = cmp.Or(a.Role, role), cmp.Or(a.Name, name)
	}
}

func isLocator(s string) bool {
	return strings.HasPrefix(s, "getBy") || strings.HasPrefix(s, "locator(") || strings.HasPrefix(s, "frameLocator(")
}

var (
	byRole = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`getByRole\('([a-z]+)'(?:, \{ name: (?:'((?:[^'\\]|\\.)*)'|/[^/]*/))?`)
	})
	byText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`getBy(?:Label|Text|Placeholder|TestId|AltText|Title)\('((?:[^'\\]|\\.)*)'`)
	})
	tag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<([a-z0-9-]+)((?:\s+[^\s=>/]+(?:="[^"]*")?)*)\s*/?>([^<]*)`)
	})
	attr = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`([^\s=]+)="([^"]*)"`)
	})
)

// ofLocator returns the role and the name that the last part of a locator names.
func ofLocator(s string) (role, name string) {
	at := -1
	if all := byRole().FindAllStringSubmatchIndex(s, -1); len(all) > 0 {
		m := all[len(all)-1]
		at, role = m[0], s[m[2]:m[3]]
		if m[4] >= 0 {
			name = strings.ReplaceAll(s[m[4]:m[5]], `\'`, `'`)
		}
	}
	if all := byText().FindAllStringSubmatchIndex(s, -1); len(all) > 0 {
		if m := all[len(all)-1]; m[0] > at {
			role, name = "", strings.ReplaceAll(s[m[2]:m[3]], `\'`, `'`)
		}
	}
	return role, name
}

// ofTag returns the role and the name of an element by its opening tag and the text after it. names are those of
// elements of the page, by their id.
func ofTag(s string, names map[string]string) (role, name string) {
	m := tag().FindStringSubmatch(s)
	if m == nil {
		return "", ""
	}
	attrs := map[string]string{}
	for _, a := range attr().FindAllStringSubmatch(m[2], -1) {
		attrs[a[1]] = a[2]
	}
	return roleOf(m[1], attrs), clipName(nameOf(attrs, cmp.Or(names[attrs["id"]], strings.TrimRight(m[3], "…"))))
}

// clipName returns the beginning of a name that is as long as a name may be.
func clipName(s string) string {
	if len(s) <= 200 {
		return strings.Join(strings.Fields(s), " ")
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(s[:200], "")), " ")
}

var errDeep = errors.New("nests too deep")
