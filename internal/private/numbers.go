package private

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// numberShape is a shape of digits.
type numberShape struct {
	kind        partKind
	shape       string
	least, most int                                      // digits
	after       cue                                      // which must precede it
	ok          func(f *personFinder, from, to int) bool // nil: no further condition
}

// numberShapes are tried in this order.
var numberShapes = []numberShape{
	{phoneKind, `\+\d(?:[ ./()-]{0,2}\d){7,14}`, 8, 15, none, nil},                                   // ITU-T E.164
	{phoneKind, `\(\d{1,5}\)[ ./-]?\d{2,8}(?:[ ./-]?\d{2,4}){0,3}`, 9, 12, none, nil},                // ITU-T E.123
	{dateKind, date, 6, 8, birth, nil},                                                               //
	{phoneKind, `(?:1[ ./-])?\d{3}[ .-]\d{3}[ .-]\d{4}`, 10, 11, none, nil},                          // NANP
	{phoneKind, `1[3-9]\d[ -]?\d{4}[ -]?\d{4}|[48]00[ -]\d{7}`, 10, 11, none, nil},                   // of China
	{numberKind, `\d{4}(?:[ -]\d{4}){3}(?:[ -]\d{3})?|\d{4}[ -]\d{6}[ -]\d{4,5}`, 14, 19, none, nil}, // ISO/IEC 7812
	{numberKind, `\d{3}-\d{2}-\d{4}`, 9, 9, none, nil},                                               // US social security
	{phoneKind, `0\d{1,4}(?:[ -]\d{1,8}){1,4}`, 9, 12, none, (*personFinder).notDate},                // trunk prefix 0
	{phoneKind, `\d{1,15}(?:[ .-]\d{1,8}){0,4}`, 6, 15, telephone, (*personFinder).notDate},          //
	{numberKind, `\d+(?:-\d+)+`, 9, window, none, (*personFinder).undated},                           //
	{numberKind, `\d+`, 9, window, none, nil},                                                        //
	{addressKind, `\d+`, 4, 8, postal, nil},                                                          //
	{addressKind, `\d+`, 5, 5, none, (*personFinder).behindState},                                    //
	{numberKind, `\d+`, 5, 8, number, (*personFinder).noAmount},                                      //
	{numberKind, `\d+`, 4, 4, number, (*personFinder).explicit},                                      //
}

const date = `(?:19|20)\d\d[-/. ]?(?:0?[1-9]|1[0-2])[-/. ]?(?:0?[1-9]|[12]\d|3[01])|` +
	`(?:0?[1-9]|[12]\d|3[01])[-/. ](?:0?[1-9]|[12]\d|3[01])[-/. ](?:19|20)\d\d`

var (
	numberFinds = sync.OnceValue(func() []*regexp.Regexp {
		out := make([]*regexp.Regexp, len(numberShapes))
		for i, x := range numberShapes {
			out[i] = lazy(x.shape)()
			out[i].Longest()
		}
		return out
	})
	wholeDate   = lazy(`(?:` + date + `)$`)
	dateIn      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(dateShape) })
	stateBefore = lazy(`.*?` + states + `,? $`)
	explicit    = lazy(`(?i).*(#|\bno\.?|number|ending( in| with)?|\bid|code|尾号|号)( is|[:：])? ?$`)
)

const dateShape = `(19|20)\d\d-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(T\d{2,6})?`

// digits handles a text that begins with a digit, + or (.
func (f *personFinder) digits(i int) int {
	next := i + 1
	if digit(f.s[i]) {
		if to := f.house(i); to > 0 {
			return to
		}
		end, _ := tokenEnd(f.s, i)
		if long := compoundEnd(f.s, end); countDigits(f.s[i:end]) < end-i || uuid().MatchString(f.s[i:long]) {
			return f.code(i, long)
		}
		if kind := f.page.known[f.s[i:end]]; kind != "" && end-i >= 4 {
			return f.add(i, end, kind)
		}
		next = end
	}
	rest := f.ahead(i)
	for k, find := range numberFinds() {
		x := &numberShapes[k]
		if !f.after(x.after, i) {
			continue
		}
		loc := find.FindStringIndex(rest)
		if loc == nil {
			continue
		}
		to := i + loc[1]
		if n := countDigits(f.s[i:to]); n < x.least || n > x.most || f.goesOn(to) || x.ok != nil && !x.ok(f, i, to) {
			continue
		}
		if x.kind == dateKind {
			f.cued[birth] = -near
		}
		return f.add(i, to, x.kind)
	}
	return next
}

// goesOn reports whether the match that ends at to is the beginning of a longer number or word.
func (f *personFinder) goesOn(to int) bool {
	end, _ := tokenEnd(f.s, to)
	return end > to || to+1 < len(f.s) && f.s[to] == '-' && digit(f.s[to+1])
}

func (f *personFinder) notDate(from, to int) bool { return !dated(f.s[from:to]) }

func (f *personFinder) undated(from, to int) bool { return !dateIn().MatchString(f.s[from:to]) }

func (f *personFinder) behindState(from, _ int) bool {
	return stateBefore().MatchString(f.s[max(0, from-8):from])
}

func (f *personFinder) explicit(from, to int) bool {
	return f.noAmount(from, to) && explicit().MatchString(f.s[max(0, from-16):from])
}

// noAmount reports whether digits are neither money nor a decimal nor a quantity.
func (f *personFinder) noAmount(from, to int) bool {
	before, after := f.s[max(0, from-4):from], f.s[to:min(len(f.s), to+3)]
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, " "))
	if unicode.Is(unicode.Sc, r) || len(before) > 1 &&
		strings.ContainsAny(before[len(before)-1:], ".,") && digit(before[len(before)-2]) {
		return false
	}
	r, _ = utf8.DecodeRuneInString(after)
	return (!strings.ContainsRune("元块万亿条个件次人页张分秒%％", r) || r == utf8.RuneError) &&
		(len(after) < 2 || !strings.ContainsAny(after[:1], ".,") || !digit(after[1]))
}

func dated(s string) bool { return wholeDate().MatchString(s) }

// The shapes of codes.
var (
	colour   = lazy(`([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9]*[a-fA-F][0-9a-fA-F]{0,7})$`)
	harmless = lazy(`(?:[a-z]_[a-z2-7]{16,20}|\d{1,2}T\d{2}.*|\d+[xX]\d+|redacted.*)$`) // ids of memtree, times, sizes
	quantity = lazy(`\d{1,8}([a-z]{1,3}|[KMGT]i?B|Hz|GHz|MHz)$`)
	uuid     = lazy(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`) // RFC 9562
	// name_name_1234, as sign-up pages propose
	account        = lazy(`[A-Za-z]{2,}[_.-][A-Za-z]{2,}([_.-][A-Za-z]+)*[_-]?\d{4,}$`)
	dottedAccount  = lazy(`[A-Za-z]{2,}(\.[A-Za-z]{2,})+[._]?\d{2,}\b`)
	iban           = lazy(`[A-Z]{2}\d{2}(?:[A-Z0-9]{11,30}\b|(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3}\b)?)`) // ISO 13616
	letterPostcode = lazy(`([A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|[A-Z]\d[A-Z][ -]\d[A-Z]\d)\b`)                   // UPU S42
)

// hash handles the text after #: an order, seldom a colour.
func (f *personFinder) hash(i int) int {
	end, _ := tokenEnd(f.s, i+1)
	w := f.s[i+1 : end]
	digits, cued := countDigits(w), f.after(number, i)
	if colour().MatchString(w) && !cued || digits < 3 || digits < 5 && !cued {
		return max(end, i+1)
	}
	return f.add(i, compoundEnd(f.s, end), numberKind)
}

// code handles a word with letters and digits, joined by hyphens.
func (f *personFinder) code(i, end int) int {
	w := f.s[i:end]
	if loc := iban().FindStringIndex(f.ahead(i)); loc != nil && loc[1] >= 15 && countDigits(f.s[i:i+loc[1]]) >= 8 {
		return f.add(i, max(end, i+loc[1]), numberKind)
	}
	if loc := letterPostcode().FindStringIndex(f.ahead(i)); loc != nil {
		return f.add(i, i+loc[1], addressKind)
	}
	if kind := f.page.known[w]; kind != "" {
		return f.add(i, end, kind)
	}
	d := countDigits(dateIn().ReplaceAllString(w, ""))
	switch {
	case harmless().MatchString(w):
	case uuid().MatchString(w), d >= 6, account().MatchString(w):
		return f.add(i, end, numberKind)
	case quantity().MatchString(w):
	case f.after(number, i) && d >= 1 && len(w) >= 5:
		return f.add(i, end, numberKind)
	case f.after(postal, i) && d >= 2:
		return f.add(i, end, addressKind)
	}
	return end
}
