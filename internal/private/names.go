package private

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// capital handles a capitalised word: an address, or a name. It returns the next position, or 0.
func (f *personFinder) capital(i, end int) int {
	if to := f.street(i, end); to > 0 {
		return to
	}
	w := f.s[i:end]
	to, starts := f.run(i)
	if f.page.parts[w] != "" {
		for _, at := range starts {
			if f.page.parts[f.s[at:at+wordLen(f.s[at:])]] == "" {
				to = end // not all of them are known
			}
		}
		return f.add(i, max(to, end), nameKind)
	}
	for _, last := range slices.Backward(starts) { // a city or a street that appeared before with its number
		if cut := min(last+wordLen(f.s[last:]), to); f.page.known[f.s[i:cut]] == addressKind {
			return f.add(i, cut, addressKind)
		}
	}
	if titles()[strings.ToLower(w)] {
		at := skip(f.s, end, ". ")
		if to, starts := f.run(at); len(starts) > 0 && at > end {
			return f.add(at, to, nameKind)
		}
	}
	if functionWord(w) {
		return end
	}
	return to
}

// introduced finds the name in "you are N N" and "my name is N N", behind the verb at i.
func (f *personFinder) introduced(i, end int) int {
	verb := f.s[i:end]
	if !slices.Contains([]string{"am", "are", "is", "m", "re"}, verb) {
		return 0
	}
	at := skip(f.s, end, ` :"'*`)
	to, starts := f.run(at)
	if len(starts) < 2 || at == end {
		return 0
	}
	before := strings.FieldsFunc(strings.ToLower(f.s[max(0, i-near):i]), func(r rune) bool { return !unicode.IsLetter(r) })
	before = append([]string{"", ""}, before...)
	last, ahead := before[len(before)-1], before[len(before)-2]
	if verb == "is" && last == "name" && owners()[ahead] || verb != "is" && (last == "you" || last == "i") {
		return f.add(at, to, nameKind)
	}
	return 0
}

func skip(s string, i int, any string) int {
	for n := 0; i < len(s) && strings.IndexByte(any, s[i]) >= 0 && n < 4; n++ {
		i++
	}
	return i
}

// run reads capitalised words from i on, with one space between two, and initials and particles within. It returns
// where they end, and where each begins.
func (f *personFinder) run(i int) (end int, starts []int) {
	const most = 6
	end = i
	for at := i; at < len(f.s) && len(starts) < most; {
		size := wordLen(f.s[at:])
		w := f.s[at : at+size]
		switch {
		case size == 0:
			return end, starts
		case capitalised(w) && !functionWord(w):
			starts = append(starts, at)
			end = at + size
			if strings.HasSuffix(w, "'s") {
				return end - 2, starts
			}
		case len(starts) > 0 && size == 1 && strings.HasPrefix(f.s[at+1:], ".") && w >= "A" && w <= "Z": // an initial
			size++
		case len(starts) > 0 && particles()[w]:
		default:
			return end, starts
		}
		if at += size; at+1 >= len(f.s) || f.s[at] != ' ' {
			return end, starts
		}
		at++
	}
	return end, starts
}

// wordLen returns the length of the word at the beginning of s, including hyphens and apostrophes within it.
func wordLen(s string) int {
	i := 0
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsLetter(r) && !unicode.Is(unicode.Han, r), unicode.IsMark(r):
		case (r == '-' || r == '\'' || r == '’') && i > 0 && letterAt(s[i+size:]):
		case r == '_' || r >= '0' && r <= '9':
			return 0
		default:
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

// capitalised reports whether a word is written like a name: a capital, then small letters; O'Neil, McDonald, Jean-Luc
// and DeShawn too.
func capitalised(w string) bool {
	small, boundary := false, true
	for i, r := range w {
		upper := unicode.IsUpper(r)
		switch {
		case i == 0 && !upper, upper && !boundary && i > 3:
			return false
		case upper:
			boundary = false
		case r == '-' || r == '\'' || r == '’':
			boundary = true
		default:
			small, boundary = true, false
		}
	}
	return small
}
