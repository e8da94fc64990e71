package formation

import (
	_ "embed" // known.txt
	"strconv"
	"strings"
	"sync"
)

// tokenForm is the form of one kind of token.
type tokenForm struct {
	prefix string
	least  int    // the least number of bytes after the prefix
	also   string // bytes that may follow besides letters, digits, _ and -
	kind   string // names the provider in the marker
}

//go:embed known.txt
var knownForms string

// forms returns the forms of tokens that providers have published.
func forms() (all []tokenForm) {
	for line := range strings.Lines(knownForms) {
		if v := strings.Fields(line); v[0] != "#" {
			least, _ := strconv.Atoi(v[1]) // see TestForms
			all = append(all, tokenForm{v[0], least, strings.Trim(v[2], "-"), v[3]})
		}
	}
	return all
}

// byFirst maps two bytes to the forms that begin with them.
var byFirst = sync.OnceValue(func() map[[2]byte][]tokenForm {
	m := map[[2]byte][]tokenForm{}
	for _, f := range forms() {
		k := [2]byte{f.prefix[0], f.prefix[1]}
		m[k] = append(m[k], f)
	}
	return m
})

// knownToken returns the kind and length in bytes of the token that begins at an offset, and 0 if no token of a known
// form does.
func (f *secretFinder) knownToken(at int) (kind string, n int) {
	s := f.s[at:]
	f.run(at)
	if len(s) < 14 {
		return "", 0
	}
	if n := f.jwt(s); n > 0 {
		return "jwt", n
	}
	for _, p := range byFirst()[[2]byte{s[0], s[1]}] {
		if !strings.HasPrefix(s, p.prefix) {
			continue
		}
		end := f.tail(s, len(p.prefix), p.also)
		t := s[len(p.prefix):end]
		if len(t) < p.least {
			continue
		}
		random := hasClass(t, digit) || p.least >= 30 && mixedCase(t) && !wordy(t)
		// Two letters begin many words, so a prefix that short has further conditions.
		longPrefix := len(p.prefix) > 2 || hexOnly(t) && len(t) == p.least || p.prefix == "YC" && mixedCase(t)
		if random && !placeholder(t) && longPrefix {
			return p.kind, end
		}
	}
	return f.tokenByShape(s)
}

// tail returns the end of the token that s begins with. The token continues from at, behind its prefix, with core
// bytes and those of also.
func (f *secretFinder) tail(s string, at int, also string) int {
	from := at
	for at < min(len(s), maxLook) && (classes[s[at]]&core != 0 || strings.IndexByte(also, s[at]) >= 0) {
		at++
	}
	f.read += max(0, at-from)
	for at > from && s[at-1] == '.' {
		at--
	}
	return at
}

// jwt returns the length of the JSON web token that s begins with, or 0. Such a
// token is base64 of a JSON object, then a dot and more parts; encoded once more it
// has no dots.
func (f *secretFinder) jwt(s string) int {
	for _, head := range []string{"eyJ", "ewogIC", "ewog"} {
		if !strings.HasPrefix(s, head) {
			continue
		}
		end := f.tail(s, 0, ".=")
		if strings.Count(s[:end], ".") >= 1 && end >= 30 {
			return end
		}
		end = f.tail(s, 0, "+/=") // the whole in base64 once more, or a JWE without dots
		if end >= 60 && hasClass(s[:end], digit) {
			return end
		}
	}
	if strings.HasPrefix(s, "ZXlK") { // a token in base64 once more
		if end := f.tail(s, 0, "+/="); end >= 60 {
			return end
		}
	}
	return 0
}

// tokenByShape returns the kind and length of a token without a prefix but with a shape of its own, and 0 if s begins
// with none.
func (f *secretFinder) tokenByShape(s string) (string, int) {
	end := f.tail(s, 0, "")
	w := s[:end]
	switch {
	case len(w) >= 35 && strings.HasPrefix(w, "A3-") && strings.Count(w, "-") >= 5 &&
		w == strings.ToUpper(w) && hasClass(w[3:], digit):
		return "1password", end
	case len(w) == 17 && end < len(s) && s[end] == '.' && strings.HasPrefix(w, "pat"): // airtable
		if e := f.tail(s, end+1, ""); e-end > 60 {
			return "airtable", e
		}
	case len(w) >= 14 && len(w) <= 18 && strings.HasPrefix(s[end:], ".atlasv1."):
		return "hashicorp", f.tail(s, end+9, "=")
	}
	if i := strings.Index(s[:min(len(s), 8)], "Q~"); i == 3 || i == 4 {
		if e := f.tail(s, 0, "~."); e >= 36 && e <= 42 {
			return "azure", e
		}
	}
	if classes[s[0]]&digit != 0 {
		return f.accountToken(s, end)
	}
	return "", 0
}

// accountToken returns the kind and length of a token that begins with the number of
// an account, and 0 if s begins with none. end is where the run of core bytes ends.
func (f *secretFinder) accountToken(s string, end int) (string, int) {
	digits := 0
	for digits < min(len(s), maxLook) && classes[s[digits]]&digit != 0 {
		digits++
	}
	switch {
	case digits >= 8 && digits <= 10 && digits < len(s) && s[digits] == ':' && strings.HasPrefix(s[digits+1:], "A"):
		if e := f.tail(s, digits+1, ""); e-digits-1 >= 34 {
			return "telegram", e
		}
	case digits >= 15 && digits <= 16 && digits < len(s) && s[digits] == '|': // facebook
		if e := f.tail(s, digits+1, ""); e-digits-1 >= 26 {
			return "facebook", e
		}
	case digits >= 15 && digits <= 25 && digits < end && s[digits] == '-' && end-digits >= 20: // twitter
		return "twitter", end
	}
	return "", 0
}

func hexOnly(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
