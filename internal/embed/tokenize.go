package embed

import (
	"bytes"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/text"
)

// MaxRunes is the number of characters of a text that its vector is made of; the rest is ignored.
const MaxRunes = 4000

// The longest and shortest pieces, in characters, that a run is cut into when the table does not have the whole.
const (
	hanLongest    = 5
	latinLongest  = 24
	latinShortest = 3

	hanBytes = 3 // every character of the two Han blocks has three bytes in UTF-8
)

// Tokens splits the first [MaxRunes] characters of s into words of the table and returns these in order, with
// repeats.
//
// The rules belong to the table (FORMAT.md): other rules would need another table. They differ from those of
// package text, whose stemmed tokens and bigrams the table does not have.
func (t *WordVectors) Tokens(s string) []string {
	var out []string
	t.tokens(s, func(row int) { out = append(out, t.word(row)) })
	return out
}

// tokens calls f with the row of every token.
func (t *WordVectors) tokens(s string, f func(row int)) {
	b := fold(s)
	for i := 0; i < len(b); {
		start := i
		switch {
		case b[i] >= 0x80:
			for i < len(b) && b[i] >= 0x80 {
				i += hanBytes
			}
			t.longest(b[start:i], hanBytes, hanLongest, 1, f)
		case b[i] != ' ' && b[i] != '\'':
			for i < len(b) && letterOrDigit(b[i]) {
				i++
			}
			if i+1 < len(b) && b[i] == '\'' && letter(b[i+1]) {
				for i++; i < len(b) && letter(b[i]); i++ {
				}
			}
			t.latin(b[start:i], f)
		default:
			i++
		}
	}
}

// latin reads a run of letters and digits with at most one apostrophe: the whole run if it is a word of the table,
// else its parts. "isn't" gives "is" and "not".
func (t *WordVectors) latin(run []byte, f func(row int)) {
	if row, ok := t.find(run); ok {
		f(row)
		return
	}
	if base, ok := bytes.CutSuffix(run, []byte("n't")); ok {
		t.part(base, f)
		t.part([]byte("not"), f)
		return
	}
	base, _, _ := bytes.Cut(run, []byte{'\''})
	t.part(base, f)
}

func (t *WordVectors) part(p []byte, f func(row int)) {
	if row, ok := t.find(p); ok {
		f(row)
		return
	}
	t.longest(p, 1, latinLongest, latinShortest, f)
}

// longest cuts a run into words by forward longest match: at each place it takes the longest word that has least
// to most characters of size bytes each. If none fits, it skips one character.
func (t *WordVectors) longest(run []byte, size, most, least int, f func(row int)) {
	for i := 0; i < len(run); {
		step := size
		for n := min(most*size, len(run)-i); n >= least*size; n -= size {
			if row, ok := t.find(run[i : i+n]); ok {
				f(row)
				step = n
				break
			}
		}
		i += step
	}
}

// fold normalises s: NFKC, ' for ’, a space between [a-z0-9] and [A-Z], lower case. Everything but Han characters
// of the two basic blocks and [a-z0-9'] becomes a space.
func fold(s string) []byte {
	s = text.Normal(s, MaxRunes)
	b := make([]byte, 0, len(s)+len(s)/8)
	camel := false // a capital now begins a new word
	for _, r := range s {
		humps := false // whether a capital after r does
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b = append(b, byte(r))
			humps = true
		case r >= 'A' && r <= 'Z':
			if camel {
				b = append(b, ' ')
			}
			b = append(b, byte(r)+'a'-'A')
		case r == '\'' || r == '\u2019':
			b = append(b, '\'')
		case r >= 0x3400 && r <= 0x4dbf || r >= 0x4e00 && r <= 0x9fff:
			b = utf8.AppendRune(b, r)
		case r == 'İ': // its lower case is i with a dot above; no other character becomes one of [a-z]
			b = append(b, 'i', ' ')
		default:
			b = append(b, ' ')
		}
		camel = humps
	}
	return b
}

func letter(b byte) bool { return b >= 'a' && b <= 'z' }

func letterOrDigit(b byte) bool { return letter(b) || b >= '0' && b <= '9' }
