package private

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// capital looks at a word that begins with a capital: an address, or a name.
func (f *personFinder) capital(i, end int) int {
	if to := f.street(i, end); to > 0 {
		return to
	}
	w := f.s[i:end]
	low := strings.ToLower(w)
	if p := f.page.parts[w]; p != "" {
		if to, n, starts := f.run(i); n > 1 && f.allKnown(starts) {
			return f.add(i, to, Name)
		}
		return f.add(i, end, Name)
	}
	if len(f.page.known) > 0 { // a city or a street that was said with its number
		to, _, starts := f.run(i)
		for _, last := range slices.Backward(starts) {
			if cut := min(last+wordLen(f.s[last:]), to); f.page.known[f.s[i:cut]] == Address {
				return f.add(i, cut, Address)
			}
		}
	}
	if to := f.called(i, end); to > end {
		return to
	}
	if functionWord(w) || titles[low] || greetings[low] {
		return end
	}
	return f.names(i)
}

// allKnown reports whether all words that begin at starts are parts of names.
func (f *personFinder) allKnown(starts []int) bool {
	return !slices.ContainsFunc(starts, func(i int) bool { return !f.part(i) })
}

// known reports whether one of them is.
func (f *personFinder) known(starts []int) bool { return slices.ContainsFunc(starts, f.part) }

// part reports whether the word at i is a part of a name.
func (f *personFinder) part(i int) bool { return f.page.parts[f.s[i:i+wordLen(f.s[i:])]] != "" }

// names finds, in a run of words with capitals, two or more beside each other
// that are rare.
func (f *personFinder) names(i int) int {
	end, n, starts := f.run(i)
	if n < 2 || f.element(i, end) && !f.known(starts) {
		return end
	}
	for k := 0; k < len(starts); {
		m := k
		for m < len(starts) && f.rareWord(starts[m]) {
			m++
		}
		if m-k >= 2 || m-k == 1 && f.part(starts[k]) {
			to := end
			if m < len(starts) {
				to = starts[m-1] + wordLen(f.s[starts[m-1]:])
			}
			f.add(starts[k], to, Name)
		}
		k = max(m, k+1)
	}
	return end
}

func (f *personFinder) rareWord(i int) bool {
	w := strings.TrimSuffix(f.s[i:i+wordLen(f.s[i:])], "'s")
	return len(w) > 1 && f.page.words != nil && f.page.words.rare(w) || f.page.parts[w] != ""
}

// element reports whether a name is that of a thing on a page.
func (f *personFinder) element(i, end int) bool {
	rest := strings.TrimLeft(f.ahead(end), `"'”’」 `)
	n := 0
	for n < len(rest) && wordByte(rest[n]) {
		n++
	}
	if elements[strings.TrimSuffix(strings.ToLower(rest[:n]), "s")] {
		return true
	}
	for w := range strings.FieldsSeq(f.s[i:end]) {
		if elements[strings.ToLower(w)] {
			return true
		}
	}
	return false
}

// called finds the name behind a title, a greeting, a role or "is".
func (f *personFinder) called(i, end int) int {
	low := strings.ToLower(f.s[i:end])
	switch {
	case titles[low] && low != f.s[i:end]:
		at := skip(f.s, end, ". ")
		if to, n, _ := f.run(at); n > 0 && at > end {
			return f.add(at, to, Name)
		}
	case low == "am", low == "are", low == "is", low == "m", low == "re":
		return f.introduced(i, end, low)
	case greetings[low], roles[low]:
		at := skip(f.s, end, ` :,"'*`)
		if low != "name" && low != "contact" && !greetings[low] && strings.ContainsAny(f.s[end:at], ",") {
			return end
		}
		to, n, starts := f.run(at)
		switch {
		case n == 0 || at == end || f.element(at, to):
		case f.allRare(starts):
			return f.add(at, to, Name)
		}
	}
	return end
}

// introduced finds the name in "you are N N" and "my name is N". Things have a
// name too: "the name is N" is only likely.
func (f *personFinder) introduced(i, end int, verb string) int {
	at := skip(f.s, end, ` :"'*`)
	to, n, starts := f.run(at)
	if n == 0 || at == end {
		return end
	}
	before := strings.FieldsFunc(strings.ToLower(f.s[max(0, i-near):i]), func(r rune) bool { return !unicode.IsLetter(r) })
	last := func(k int) string { return before[max(0, len(before)-k):][0] }
	sure, likely := false, false
	switch {
	case len(before) == 0:
	case verb == "is":
		likely = last(1) == "name"
		sure = likely && owners[last(2)]
	default:
		sure = last(1) == "you" || last(1) == "i"
	}
	if sure && n > 1 || (sure || likely) && f.allRare(starts) {
		return f.add(at, to, Name)
	}
	return end
}

func (f *personFinder) allRare(starts []int) bool {
	for _, i := range starts {
		if !f.rareWord(i) {
			return false
		}
	}
	return len(starts) > 0
}

func skip(s string, i int, any string) int {
	for n := 0; i < len(s) && strings.IndexByte(any, s[i]) >= 0 && n < 4; n++ {
		i++
	}
	return i
}

// run reads words with capitals from i on, one space between two, initials and
// particles within. It returns where they end, how many they are, and where each
// begins.
func (f *personFinder) run(i int) (end, n int, starts []int) {
	const most = 6
	end = i
	for at := i; at < len(f.s) && n < most; {
		size := wordLen(f.s[at:])
		w := f.s[at : at+size]
		switch {
		case size == 0:
			return end, n, starts
		case capitalised(w) && !functionWord(w):
			starts = append(starts, at)
			n++
			end = at + size
			if strings.HasSuffix(w, "'s") {
				end -= 2
				return end, n, starts
			}
		case n > 0 && initial(f.s[at:], size):
			size++
		case n > 0 && particles[w]:
		default:
			return end, n, starts
		}
		if at += size; at+1 >= len(f.s) || f.s[at] != ' ' {
			return end, n, starts
		}
		at++
	}
	return end, n, starts
}

// initial reports whether s begins with one capital and a full stop.
func initial(s string, size int) bool {
	return size == 1 && len(s) > 1 && s[1] == '.' && s[0] >= 'A' && s[0] <= 'Z'
}

// wordLen returns how long the word at the beginning of s is, with the hyphens
// and apostrophes within it.
func wordLen(s string) int {
	i := 0
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsLetter(r) && !unicode.Is(unicode.Han, r), unicode.IsMark(r):
		case (r == '-' || r == '\'' || r == '’') && i > 0 && i+size < len(s) && letterAt(s[i+size:]):
		default:
			if r == '_' || r >= '0' && r <= '9' {
				return 0
			}
			return i
		}
		i += size
	}
	return i
}

func letterAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) && !unicode.Is(unicode.Han, r)
}

// capitalised reports whether a word is written as names are: a capital, then
// small letters; O'Neil, McDonald, Jean-Luc and DeShawn too.
func capitalised(w string) bool {
	small, capitals, boundary := 0, 0, true
	for i, r := range w {
		switch {
		case unicode.IsUpper(r):
			if !boundary && i > 3 {
				return false
			}
			capitals++
			boundary = false
		case r == '-' || r == '\'' || r == '’':
			boundary = true
		default:
			if i == 0 {
				return false
			}
			small++
			boundary = false
		}
	}
	return capitals > 0 && small > 0
}
