// Package private finds the parts of a memory's texts that identify one person, and replaces them with their kind:
// [name 1], [address 1], [number 2], [phone 1], [date 1].
//
// It finds shapes that are seldom anything else: a telephone number, a card, an account, a street with a house number,
// a name behind a title or in a field called first_name. These are replaced wherever the memory repeats them. A name
// in running text without a title or a cue has no such shape, and remains.
//
// There is no list of names of people or places. Shapes and cue words come from published standards, which are named
// beside them.
//
// Where to look:
//   - find.go: the one pass over a text; words.txt: the lists of words; fields.go: values by their field's name
//   - names.go, addresses.go, chinese.go, numbers.go: the shapes
package private

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memtree/memtree/tree"
)

// partKind is the kind of a personal part, as its placeholder names it.
type partKind string

// The kinds.
const (
	nameKind    partKind = "name"
	addressKind partKind = "address"
	numberKind  partKind = "number" // of an account, order, card, document, vehicle; also the name of a user
	phoneKind   partKind = "phone"
	dateKind    partKind = "date" // of birth
)

// Redaction replaces the personal parts of all texts of one memory by placeholders; equal values get the same one. Pass
// each text to Read first, then each to Write, always in the same order. The numbers in placeholders follow the order
// of appearance in these texts and depend on nothing else: the same evidence gets the same placeholders in every tree.
type Redaction struct {
	marks  map[string]string
	counts map[partKind]int
	parts  map[string]string   // a word of a person's name → the full name
	known  map[string]partKind // replaced wherever it appears in the texts
	han    []string            // names in Chinese characters, the longest first
	quiet  bool                // texts were read, and none contained a find
	begun  bool
}

// NewRedaction returns a Redaction that has read no text.
func NewRedaction() *Redaction {
	return &Redaction{
		marks: map[string]string{}, counts: map[partKind]int{}, parts: map[string]string{}, known: map[string]partKind{},
	}
}

// Read finds the personal parts of s and remembers them, because parts of a name may appear in other texts.
func (p *Redaction) Read(s string) { p.read("", s) }

// ReadJSON calls Read for all texts in a JSON value. It also uses the names of their fields.
func (p *Redaction) ReadJSON(v tree.Raw) {
	v.Replace(func(x tree.Scalar) (string, int) {
		p.read(x.Field, x.Text)
		return x.Text, 0
	})
}

// Write returns s with placeholders for its personal parts, and how many it replaced. A second Write of the result
// replaces nothing.
func (p *Redaction) Write(s string) (string, int) { return p.write("", s) }

// WriteJSON calls Write for all texts in a JSON value, and returns valid JSON and the number of replacements.
func (p *Redaction) WriteJSON(v tree.Raw) (tree.Raw, int) {
	return v.Replace(func(x tree.Scalar) (string, int) { return p.write(x.Field, x.Text) })
}

func (p *Redaction) read(field, s string) {
	p.count(s)
	finds := p.finds(field, s)
	p.quiet = len(finds) == 0 && (p.quiet || !p.begun)
	p.begun = true
	for _, x := range finds {
		said := s[x.from:x.to]
		switch x.kind {
		case nameKind:
			p.learnName(said)
		case addressKind: // the street and a city field may appear again alone
			p.known[said] = x.kind
			if x.street > x.from {
				p.known[strings.TrimRight(s[x.street:x.streetEnd], ".")] = addressKind
			}
		case numberKind, phoneKind:
			p.known[said] = x.kind
		}
	}
}

// count records placeholders of an earlier redaction.
func (p *Redaction) count(s string) {
	for i := range len(s) {
		if s[i] != '[' {
			continue
		}
		if kind, n, _ := placeholder(s[i:]); kind != "" {
			p.counts[kind] = max(p.counts[kind], n)
		}
	}
}

func (p *Redaction) learnName(said string) {
	if isHan(said) {
		if !slices.Contains(p.han, said) {
			p.han = append(p.han, said)
			slices.SortFunc(p.han, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
		}
		return
	}
	for _, w := range strings.FieldsFunc(said, func(r rune) bool { return r == ' ' || r == ',' }) {
		if capitalised(w) && len(w) > 2 && p.parts[w] == "" && !functionWord(w) {
			p.parts[w] = said
		}
	}
}

// passes bounds how often Write searches its result again. A placeholder may bring a cue nearer to the text after it,
// so two passes are common.
const passes = 8

func (p *Redaction) write(field, s string) (string, int) {
	if p.quiet {
		return s, 0
	}
	total := 0
	for range passes {
		finds := p.finds(field, s)
		if len(finds) == 0 {
			break
		}
		var b strings.Builder
		at := 0
		for _, x := range finds {
			b.WriteString(s[at:x.from])
			b.WriteString(p.mark(x.kind, s[x.from:x.to]))
			at = x.to
		}
		b.WriteString(s[at:])
		s = b.String()
		total += len(finds)
	}
	return s, total
}

// mark returns the placeholder of a value.
func (p *Redaction) mark(kind partKind, said string) string {
	if full := p.parts[said]; full != "" && kind == nameKind {
		said = full
	}
	key := string(kind) + " " + strings.ToLower(strings.TrimLeft(said, "#"))
	if m := p.marks[key]; m != "" {
		return m
	}
	p.counts[kind]++
	p.marks[key] = fmt.Sprintf("[%s %d]", kind, p.counts[kind])
	return p.marks[key]
}

// finds returns the parts of a text to replace, in order and without overlap.
func (p *Redaction) finds(field, s string) []foundPart {
	if x, ok := whole(field, s); ok {
		return []foundPart{x}
	}
	f := personFinder{s: s, page: p}
	f.scan()
	for _, n := range p.han {
		for at := 0; ; {
			i := strings.Index(s[at:], n)
			if i < 0 {
				break
			}
			f.add(at+i, at+i+len(n), nameKind)
			at += i + len(n)
		}
	}
	slices.SortStableFunc(f.out, func(a, b foundPart) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	at := 0
	return slices.DeleteFunc(f.out, func(x foundPart) bool {
		if x.from < at || x.from >= x.to {
			return true
		}
		at = x.to
		return false
	})
}

// placeholder reads a placeholder at the beginning of s: one of this package, or a mark of a removed secret, which has
// no kind here.
func placeholder(s string) (kind partKind, n, size int) {
	const most = 64
	end := strings.IndexByte(s[:min(len(s), most)], ']')
	if end < 0 {
		return "", 0, 0
	}
	if strings.HasPrefix(s, "[redacted:") {
		return "", 0, end + 1
	}
	word, digits, ok := strings.Cut(s[1:end], " ")
	n, err := strconv.Atoi(digits)
	if kind = partKind(word); !ok || err != nil || n < 1 || n > 9999 ||
		!slices.Contains([]partKind{nameKind, addressKind, numberKind, phoneKind, dateKind}, kind) {
		return "", 0, 0
	}
	return kind, n, end + 1
}
