package jsonstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
)

// manifest lists the files of a snapshot. Unchanged files belong to earlier snapshots. The journal of the same number
// begins where the snapshot ends.
type manifest struct {
	Number   int         `json:"number"`
	Seq      uint64      `json:"seq"`  // number of the last journal line that the snapshot contains
	Prev     string      `json:"prev"` // link of that line, in hex
	Counts   counts      `json:"counts"`
	Branches []branchRef `json:"branches"` // by error type
	Outbox   *linesRef   `json:"outbox,omitempty"`
	Ledger   []linesRef  `json:"ledger"` // in order
	Dead     []linesRef  `json:"dead"`   // in order
	Known    []tableRef  `json:"known"`  // newest first
}

// fileRef is a file with its length and hash.
type fileRef struct {
	Name  string `json:"name"` // relative to the store's folder
	Bytes int64  `json:"bytes"`
	Sum   string `json:"sha256"`
}

// linesRef is a file of JSON lines with its index: a table of lineSize records.
type linesRef struct {
	Count int     `json:"count"`
	First uint64  `json:"first,omitempty"` // number of the first line
	Last  uint64  `json:"last,omitempty"`
	Data  fileRef `json:"data"`
	Index fileRef `json:"index"`
}

// branchRef is the file of the nodes of one error type. Its index holds two tables: the
// lines, and then idSize records that find a line by the hash of its node's id.
type branchRef struct {
	ErrorType string `json:"errorType"`
	linesRef
}

// tableRef is a table of knownSize records.
type tableRef struct {
	Count int     `json:"count"`
	Table fileRef `json:"table"`
}

const maxManifest = 64 << 20

func manifestName(n int) string { return fmt.Sprintf("manifest.%06d.json", n) }

func snapshotName(n int) string { return fmt.Sprintf("snapshot.%06d", n) }

// encode returns the manifest in the form that parseManifest reads: preceded by the SHA-256 of its bytes.
func (m *manifest) encode() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(m); err != nil {
		return nil, err
	}
	body := bytes.TrimSpace(buf.Bytes())
	sum := sha256.Sum256(body)
	out := fmt.Appendf(nil, "{\"sha256\":\"%x\",\n\"manifest\":", sum)
	return append(append(out, body...), "}\n"...), nil
}

var errManifest = errors.New("is not a whole manifest")

// parseManifest reads a manifest and checks all of it.
func parseManifest(b []byte) (*manifest, error) {
	rest, ok := bytes.CutPrefix(b, []byte(`{"sha256":"`))
	if !ok || len(rest) < 64 {
		return nil, errManifest
	}
	var want [32]byte
	if !fixedHex(want[:], rest[:64]) {
		return nil, errManifest
	}
	body, ok := bytes.CutPrefix(rest[64:], []byte("\",\n\"manifest\":"))
	if !ok {
		return nil, errManifest
	}
	body, ok = bytes.CutSuffix(body, []byte("}\n"))
	if !ok || sha256.Sum256(body) != want {
		return nil, errManifest
	}
	var m manifest
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, fmt.Errorf("%w: %w", errManifest, err)
	}
	return &m, m.check()
}

// check returns an error if counts and sizes do not agree, or if a file is outside the snapshots.
func (m *manifest) check() error {
	var prev link
	if m.Number < 1 || !fixedHex(prev[:], []byte(m.Prev)) {
		return errManifest
	}
	for i, b := range m.Branches {
		if !slug(b.ErrorType) || (i > 0 && m.Branches[i-1].ErrorType >= b.ErrorType) || !b.fits(idSize) {
			return fmt.Errorf("%w: its branch %q", errManifest, b.ErrorType)
		}
	}
	sets := append(append([]linesRef{}, m.Ledger...), m.Dead...)
	if m.Outbox != nil {
		sets = append(sets, *m.Outbox)
	}
	for _, l := range sets {
		if !l.fits(0) || l.First > l.Last {
			return fmt.Errorf("%w: its lines %q", errManifest, l.Data.Name)
		}
	}
	for _, t := range m.Known {
		if t.Count < 1 || t.Count > maxCount || t.Table.Bytes != int64(pages(t.Count, knownSize))*pageSize {
			return fmt.Errorf("%w: its table %q", errManifest, t.Table.Name)
		}
	}
	for _, f := range m.files() {
		if !f.safe() {
			return fmt.Errorf("%w: its file %q", errManifest, f.Name)
		}
	}
	return nil
}

// maxCount is the most lines of a file: their numbers have to fit 31 bits.
const maxCount = 1<<31 - 1

// fits reports whether the count and the sizes of the files agree. more is the record size
// of the second table of the index, 0 if there is none.
func (l *linesRef) fits(more int) bool {
	if l.Count < 1 || l.Count > maxCount || l.Data.Bytes < int64(l.Count) {
		return false
	}
	n := pages(l.Count, lineSize)
	if more > 0 {
		n += pages(l.Count, more)
	}
	return l.Index.Bytes == int64(n)*pageSize
}

// safe reports whether the name is inside the folder of a snapshot.
func (f *fileRef) safe() bool {
	top, rest, ok := strings.Cut(f.Name, "/")
	var sum [32]byte
	return ok && rest != "" && path.Clean(f.Name) == f.Name && strings.HasPrefix(top, "snapshot.") &&
		!strings.Contains(f.Name, "..") &&
		!strings.ContainsAny(f.Name, `\:`) && len(f.Name) < 256 && f.Bytes >= 0 && fixedHex(sum[:], []byte(f.Sum))
}

// files returns all files that the manifest lists.
func (m *manifest) files() []fileRef {
	var out []fileRef
	for _, b := range m.Branches {
		out = append(out, b.Data, b.Index)
	}
	if m.Outbox != nil {
		out = append(out, m.Outbox.Data, m.Outbox.Index)
	}
	for _, l := range m.Ledger {
		out = append(out, l.Data, l.Index)
	}
	for _, l := range m.Dead {
		out = append(out, l.Data, l.Index)
	}
	for _, t := range m.Known {
		out = append(out, t.Table)
	}
	return out
}

// bytes returns the size of all files the manifest lists.
func (m *manifest) bytes() int64 {
	var n int64
	for _, f := range m.files() {
		n += f.Bytes
	}
	return n
}

// link returns the link of the last line before the snapshot.
func (m *manifest) link() link {
	var l link
	fixedHex(l[:], []byte(m.Prev)) // checked when it was read
	return l
}

func (l link) String() string { return hex.EncodeToString(l[:]) }
