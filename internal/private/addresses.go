package private

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parts of the shapes of addresses.
const (
	capital = `\p{Lu}[\p{L}'’.-]*`
	proper  = `(?:(?:[NSEW]{1,2}\.? |\d{1,3}(?:st|nd|rd|th) )?` + capital + `(?: ` + capital + `){0,3} |` +
		`[NSEW]{0,2}\.? ?\d{1,3}(?:st|nd|rd|th) )`
	// Publication 28, appendix C2.
	unit = `(?:,? (?:(?i:apartment|apt|suite|ste|unit|floor|fl|room|rm|building|bldg|flat)\.? ?#?\w{1,6}|#\w{1,6}))?`
	city = `(?:,? ` + capital + `(?: ` + capital + `){0,2})`
	zip  = `(?:,? \d{5}(?:-\d{4})?\b)`
	// states and territories: Publication 28, appendix B. ID is also a common word, and is Idaho only behind a comma.
	states = `(?:,? (?:A[AEKLPRSZ]|C[AOT]|D[CE]|F[LM]|G[AU]|HI|I[ALN]|K[SY]|LA|M[ADEHINOPST]|N[CDEHJMVY]|` +
		`O[HKR]|P[ARW]|RI|S[CD]|T[NX]|UT|V[AIT]|W[AIVY])|, ID)`
	romance = ` (?:(?:de|du|des|la|le|les|del|della|dos|das|do|da|di|dei) |d'|l')*` + capital + `(?: ` + capital + `){0,3}`
	town    = `(?:,? \d{4,5} ?(?:[A-Z]{2} )?` + capital + `)?`
)

var (
	firm   = set("street firm")
	homely = set("street homely")
	types  = set("street firm", "street homely", "street loose")
	leads  = set("street leading")
	boxes  = set("box")
)

// The shapes of addresses. A group is the street; {firm} matches the words of that kind of street.
var (
	// 7746 Maple Drive, Suite 865, Chicago, IL 60625
	houseFirst = lazy(`\d{1,6}[A-Za-z]?,? (` + proper + `(?:{firm}|{homely}|{loose})\b\.?)` + unit +
		`(?:` + city + states + `\b` + zip + `?|` + city + zip + `)?`)
	// 101 Highway
	houseType = lazy(`\d{1,6} ((?:{firm})\b)` + unit)
	// 12, rue de la Paix, 75002 Paris
	houseLeading = lazy(`\d{1,5}[a-z]?(?: bis| ter)?,? ((?i:{leading})` + romance + `)` + town)
	// Calle Mayor 10
	leadingStreet = lazy(`((?i:{leading})` + romance + `),? (?:n[.º°]{0,2} ?)?\d{1,5}[a-z]?\b` + town)
	// Hauptstraße 12a, 10115 Berlin
	joinedStreet = lazy(`(\p{L}+(?:{joined})\.?) \d{1,4}[a-z]?\b` + town)
	box          = lazy(`(?i:p\.? ?o\.? box|postfach|boîte postale|apartado) #?\d{1,6}`)
	bareFirm     = lazy(capital + `(?: ` + capital + `)? (?:{firm})\b`)
	cityZip      = lazy(capital + `(?: ` + capital + `){0,2}` + states + zip)
)

// house finds an address that begins with the number of a house.
func (f *personFinder) house(i int) int {
	end, _ := tokenEnd(f.s, i)
	if end-i > 7 || end >= len(f.s) || f.s[end] != ' ' && f.s[end] != ',' {
		return 0
	}
	rest := f.ahead(i)
	if typed(rest, types()) {
		if loc := houseFirst().FindStringSubmatchIndex(rest); loc != nil {
			street := strings.TrimRight(rest[loc[2]:loc[3]], ".")
			last := street[strings.LastIndexByte(street, ' ')+1:]
			// Place and View are words of products too: the text that follows, or the length of the number, decides.
			if firm()[last] || homely()[last] && countDigits(rest[:end-i]) >= 3 ||
				strings.TrimRight(rest[loc[3]:loc[1]], ".") != "" || f.page.known[street] != "" {
				return f.address(i, loc)
			}
		}
		if loc := houseType().FindStringSubmatchIndex(rest); loc != nil {
			return f.address(i, loc)
		}
	}
	if typed(strings.ToLower(rest), leads()) {
		return f.address(i, houseLeading().FindStringSubmatchIndex(rest))
	}
	return 0
}

// typed reports whether one of the next words is in a set. It is a cheap test before a shape.
func typed(s string, in map[string]bool) bool {
	const most = 8
	n := 0
	for w := range strings.FieldsSeq(s) {
		if cut := strings.IndexAny(w, ".,;:!?)\"'*"); cut > 0 {
			w = w[:cut]
		}
		if in[w] {
			return true
		}
		if n++; n == most {
			break
		}
	}
	return false
}

// address adds the match of a shape and returns where it ends, or 0.
func (f *personFinder) address(i int, loc []int) int {
	if loc == nil {
		return 0
	}
	x := foundPart{from: i, to: i + loc[1], kind: addressKind}
	if len(loc) > 2 {
		x.street, x.streetEnd = i+loc[2], i+loc[3]
	}
	f.out = append(f.out, x)
	return x.to
}

// street finds an address that begins with a word.
func (f *personFinder) street(i, end int) int {
	rest := f.ahead(i)
	w := strings.ToLower(f.s[i:end])
	if boxes()[w] {
		if to := f.address(i, box().FindStringIndex(rest)); to > 0 {
			return to
		}
	}
	if leads()[w] {
		if to := f.address(i, leadingStreet().FindStringSubmatchIndex(rest)); to > 0 {
			return to
		}
	}
	if slices.ContainsFunc(lists()["street joined"], func(e string) bool { return strings.HasSuffix(w, e) && w != e }) {
		if to := f.address(i, joinedStreet().FindStringSubmatchIndex(rest)); to > 0 {
			return to
		}
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(f.s[end:], ", "))
	if !unicode.IsUpper(next) || !capitalised(f.s[i:end]) || functionWord(f.s[i:end]) {
		return 0
	}
	if countDigits(rest) >= 5 {
		if to := f.address(i, cityZip().FindStringIndex(rest)); to > 0 {
			return to
		}
	}
	if typed(rest, firm()) {
		return f.address(i, bareFirm().FindStringIndex(rest))
	}
	return 0
}
