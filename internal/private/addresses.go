package private

import (
	"strings"
)

// Street types that stand behind the name: the suffixes of USPS Publication 28,
// appendix C1, that are written in full or as its first abbreviation.
const (
	// firm types are not words of products.
	firm = `Street|St|Avenue|Ave|Boulevard|Blvd|Road|Rd|Terrace|Ter|Parkway|Pkwy|Highway|Hwy|Turnpike|Expressway|` +
		`Crescent|Cres`
	// loose ones are: Google Drive, Add Lane, First Place.
	loose = `Drive|Dr|Lane|Ln|Court|Ct|Place|Pl|Square|Sq|Circle|Cir|Way|Loop|Trail|Trl|Alley|Aly|Row|Walk|Close|` +
		`Mews|Grove|Grv|Gardens|Gdns|Hill|Park|Plaza|Plz|Quay|Rise|Vale|View`
	// before the name, in Romance languages (UPU S42 templates).
	leading = `(?i:rue|avenue|boulevard|chemin|impasse|quai|allée|route|calle|avenida|av\.|paseo|plaza|via|viale|` +
		`piazza|corso|rua|travessa|largo)`
	// joined to the name, in Germanic ones.
	joined = `\p{L}+(?:straße|strasse|str\.|gasse|allee|platz|damm|ufer|weg|straat|laan|gatan|vägen|vej)`

	capital = `\p{Lu}[\p{L}'’.-]*`
	proper  = `(?:(?:[NSEW]{1,2}\.? |\d{1,3}(?:st|nd|rd|th) )?` + capital + `(?: ` + capital + `){0,3} |` +
		`[NSEW]{0,2}\.? ?\d{1,3}(?:st|nd|rd|th) )`
	// Publication 28, appendix C2.
	unitWord = `(?:,? (?:(?i:apartment|apt|suite|ste|unit|floor|fl|room|rm|building|bldg|flat)\.? ?#?\w{1,6}|` +
		`#\w{1,6}))?`
	city   = `(?:,? ` + capital + `(?: ` + capital + `){0,2})`
	region = `(?:` + states + `\b)`
	zip    = `(?:,? \d{5}(?:-\d{4})?\b)`

	// states and territories: Publication 28, appendix B. ID is another word too,
	// and is Idaho behind a comma alone.
	states = `(?:,? (?:A[AEKLPRSZ]|C[AOT]|D[CE]|F[LM]|G[AU]|HI|I[ALN]|K[SY]|LA|M[ADEHINOPST]|N[CDEHJMVY]|` +
		`O[HKR]|P[ARW]|RI|S[CD]|T[NX]|UT|V[AIT]|W[AIVY])|, ID)`
)

var (
	// number, name, type: 7746 Maple Drive, Suite 865, Chicago, IL 60625
	houseFirst = lazy(`^\d{1,6}[A-Za-z]?,? (` + proper + `(?:` + firm + `|` + loose + `)\b\.?)` + unitWord +
		`(?:` + city + region + zip + `?|` + city + zip + `)?`)
	// number and one word that is both: 101 Highway
	houseType = lazy(`^\d{1,6} ((?:` + firm + `)\b)` + unitWord)
	// number, type, name: 12, rue de la Paix, 75002 Paris
	houseLeading = lazy(`^\d{1,5}[a-z]?(?: bis| ter)?,? ` +
		`(` + leading + ` (?:(?:de|du|des|la|le|les|del|della|dos|das|do|da) |d'|l')*` +
		capital + `(?: ` + capital + `){0,3})(?:,? \d{4,5} ` + capital + `)?`)
	// type, name, number: Calle Mayor 10
	leadingStreet = lazy(`^(` + leading + ` (?:(?:de|du|des|la|le|les|del|della|dos|das|do|da|di|dei) |d'|l')*` +
		capital + `(?: ` + capital + `){0,3}),? (?:n[.º°]{0,2} ?)?\d{1,5}[a-z]?\b(?:,? \d{4,5} ` + capital + `)?`)
	// name and type joined, number: Hauptstraße 12a, 10115 Berlin
	joinedStreet = lazy(`^(` + joined + `) \d{1,4}[a-z]?\b(?:,? \d{4,5} ?(?:[A-Z]{2} )?` + capital + `)?`)
	box          = lazy(`^(?i:p\.? ?o\.? box|postfach|boîte postale|apartado) #?\d{1,6}`)
	bareFirm     = lazy(`^` + capital + `(?: ` + capital + `)? (?:` + firm + `)\b`)
	bareLoose    = lazy(`^(` + capital + `(?: ` + capital + `)?) (?:` + loose + `)\b`)
	cityZip      = lazy(`^` + capital + `(?: ` + capital + `){0,2}` + states + `(?:,? \d{5}(?:-\d{4})?)\b`)
)

// house finds an address that begins with the number of a house.
func (f *personFinder) house(i int) int {
	rest := f.ahead(i)
	n := 0
	for n < len(rest) && digit(rest[n]) {
		n++
	}
	if n == 0 || n > 6 || n+3 > len(rest) {
		return 0
	}
	if rest[n] != ' ' && rest[n] != ',' && rest[n+1] != ' ' && rest[n+1] != ',' {
		return 0
	}
	if typed(rest, types) {
		if loc := houseFirst().FindStringSubmatchIndex(rest); loc != nil && f.mayBeStreet(i, loc) {
			return f.address(i, loc)
		}
		if loc := houseType().FindStringSubmatchIndex(rest); loc != nil {
			return f.address(i, loc)
		}
	}
	if typed(strings.ToLower(rest), leads) {
		if loc := houseLeading().FindStringSubmatchIndex(rest); loc != nil && f.mayLead(i+loc[2], i+loc[3]) {
			return f.address(i, loc)
		}
	}
	return 0
}

// mayBeStreet reports whether a number, a name and a street type are an address:
// if the type is no word of products, or a flat, a city or a postal code follows,
// or the name is rare.
func (f *personFinder) mayBeStreet(i int, loc []int) bool {
	street := f.s[i+loc[2] : i+loc[3]]
	last := street[strings.LastIndexByte(strings.TrimRight(street, "."), ' ')+1:]
	followed := len(strings.TrimRight(f.s[i+loc[3]:i+loc[1]], ".")) > 0
	return firmTypes[strings.TrimRight(last, ".")] || followed ||
		f.page.known[street] != "" || f.nameRare(i+loc[2], i+loc[3]-len(last))
}

// mayLead is mayBeStreet for a street type before the name: via and route are
// English words too.
func (f *personFinder) mayLead(from, to int) bool {
	word, _, _ := strings.Cut(f.s[from:to], " ")
	return !looseLeads[strings.ToLower(word)] || f.nameRare(from+len(word)+1, to)
}

// nameRare reports whether all words with capitals between from and to are rare.
func (f *personFinder) nameRare(from, to int) bool {
	_, _, starts := f.run(from)
	for len(starts) > 0 && starts[len(starts)-1] >= to {
		starts = starts[:len(starts)-1]
	}
	return f.allRare(starts)
}

// types are the street types that stand behind a name.
var (
	types     = set(strings.ReplaceAll(firm+"|"+loose, "|", " "))
	firmTypes = set(strings.ReplaceAll(firm, "|", " "))
)

// typed reports whether one of the next words is in a set: the cheap look before
// a shape.
func typed(s string, in map[string]bool) bool {
	const most = 8
	for n, from := 0, 0; n < most && from < len(s); n++ {
		end := strings.IndexByte(s[from:], ' ')
		if end < 0 {
			end = len(s) - from
		}
		w := s[from : from+end]
		if cut := strings.IndexAny(w, ".,;:!?)\"'*"); cut > 0 {
			w = w[:cut]
		}
		if in[w] || len(w) > 2 && strings.IndexFunc(w, func(r rune) bool { return r > 0x2000 }) > 0 {
			return true
		}
		from += end + 1
	}
	return false
}

func (f *personFinder) address(i int, loc []int) int {
	f.out = append(f.out, find{from: i, to: i + loc[1], kind: Address, street: i + loc[2], streetEnd: i + loc[3]})
	return i + loc[1]
}

// street finds an address that begins with a word.
func (f *personFinder) street(i, end int) int {
	rest := f.ahead(i)
	w := strings.ToLower(f.s[i:end])
	if boxes[w] {
		if loc := box().FindStringIndex(rest); loc != nil {
			return f.add(i, i+loc[1], Address)
		}
	}
	if leads[w] {
		if loc := leadingStreet().FindStringSubmatchIndex(rest); loc != nil && f.mayLead(i+loc[2], i+loc[3]) {
			return f.address(i, loc)
		}
	}
	if joinedEnd(w) {
		if loc := joinedStreet().FindStringSubmatchIndex(rest); loc != nil {
			return f.address(i, loc)
		}
	}
	if functionWord(f.s[i:end]) || !capitalised(f.s[i:end]) || !anotherCapital(f.s[end:]) {
		return 0
	}
	if strings.ContainsAny(rest, "0123456789") {
		if loc := cityZip().FindStringIndex(rest); loc != nil {
			return f.add(i, i+loc[1], Address)
		}
	}
	if !typed(rest, types) {
		return 0
	}
	if loc := bareFirm().FindStringIndex(rest); loc != nil {
		return f.add(i, i+loc[1], Address)
	}
	if loc := bareLoose().FindStringSubmatchIndex(rest); loc != nil && !f.element(i, i+loc[1]) {
		if f.page.known[rest[:loc[1]]] != "" || f.nameRare(i+loc[2], i+loc[3]) {
			return f.add(i, i+loc[1], Address)
		}
	}
	return 0
}

// anotherCapital reports whether the next word has a capital too.
func anotherCapital(s string) bool {
	s = strings.TrimPrefix(s, ",")
	return len(s) > 1 && s[0] == ' ' && (s[1] >= 'A' && s[1] <= 'Z' || s[1] >= 0x80)
}

var boxes = set("p po postfach boîte apartado")

var leads = set("rue avenue boulevard chemin impasse quai allée route calle avenida av paseo plaza via viale " +
	"piazza corso rua travessa largo")

// looseLeads are words of products too.
var looseLeads = set("via route plaza")

func joinedEnd(w string) bool {
	for _, end := range []string{
		"straße", "strasse", "str", "gasse", "allee", "platz", "damm", "ufer", "weg",
		"straat", "laan", "gatan", "vägen", "vej",
	} {
		if len(w) > len(end)+1 && strings.HasSuffix(w, end) {
			return true
		}
	}
	return false
}
