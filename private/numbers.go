package private

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cluster is groups of digits with one separator between two.
type cluster struct {
	from, to [12]int
	n        int
	plus     bool // an international prefix before the first
	paren    bool // a group in parentheses
}

func (c *cluster) size(i int) int { return c.to[i] - c.from[i] }

func (c *cluster) total(from, to int) (n int) {
	for i := from; i < to; i++ {
		n += c.size(i)
	}
	return n
}

// digits looks at what begins with a digit, +, ( or #.
func (f *finder) digits(i int) int {
	start := i
	if f.s[i] == '#' {
		return f.hash(i)
	}
	c := f.cluster(i)
	if c.n == 0 {
		return i + 1
	}
	end := c.to[c.n-1]
	if long, _ := tokenEnd(f.s, end); long > end { // letters follow: 221B, 02T01, 1920x1080
		first := c.from[c.n-1]
		if c.n > 1 {
			f.groups(&c, c.n-1, start)
			return first
		}
		if to := f.house(first); to > 0 {
			return to
		}
		return f.code(first, compoundEnd(f.s, long))
	}
	if to := f.house(c.from[0]); to > 0 && c.n == 1 {
		return to
	}
	return f.groups(&c, c.n, start)
}

// cluster reads groups of digits from i on.
func (f *finder) cluster(i int) (c cluster) {
	s := f.s
	if s[i] == '+' {
		c.plus = true
		i++
	}
	for c.n < len(c.from) {
		open := i < len(s) && s[i] == '('
		if open {
			i++
		}
		from := i
		for i < len(s) && digit(s[i]) {
			i++
		}
		if i == from {
			break
		}
		if open {
			if i >= len(s) || s[i] != ')' {
				if c.n == 0 { // "(12 of"
					c.from[0], c.to[0], c.n = from, i, 1
				}
				break
			}
			c.paren = true
		}
		c.from[c.n], c.to[c.n] = from, i
		c.n++
		if open {
			i++
		}
		if i+1 < len(s) && strings.IndexByte(" -./", s[i]) >= 0 && (digit(s[i+1]) || s[i+1] == '(') {
			i++
		} else if !(open && i < len(s) && digit(s[i])) {
			break
		}
	}
	return c
}

// groups finds numbers in the first n groups of a cluster; start is where its
// prefix is. It returns where the groups end.
func (f *finder) groups(c *cluster, n, start int) int {
	for k := 0; k < n; {
		took := 0
		for e := n; e > k && took == 0; e-- {
			kind, sure := f.together(c, k, e)
			if kind == "" {
				continue
			}
			from := c.from[k]
			if k == 0 && (c.plus || c.paren) {
				from = start
			}
			to := c.to[e-1]
			if to < len(f.s) && f.s[to] == ')' && c.paren && strings.Count(f.s[from:to], "(") > strings.Count(f.s[from:to], ")") {
				to++
			}
			if sure {
				f.add(from, to, kind)
			} else {
				f.likely(from, to, kind)
			}
			if took = e - k; kind == Date {
				f.birth = -near
			}
		}
		k += max(took, 1)
	}
	return c.to[n-1]
}

// together says what groups k to e of a cluster are together.
func (f *finder) together(c *cluster, k, e int) (kind Kind, sure bool) {
	if e-k == 1 {
		return f.single(c, k)
	}
	said := f.s[c.from[k]:c.to[e-1]]
	if dated(said) {
		if f.after(f.birth, c.from[k]) {
			return Date, true
		}
		return "", false
	}
	total := c.total(k, e)
	sizes := ""
	for i := k; i < e; i++ {
		sizes += string(rune('0' + min(c.size(i), 9)))
	}
	one := oneSeparator(said)
	switch {
	case k == 0 && c.plus && total >= 8 && total <= 15: // ITU-T E.164: at most 15 digits
		return Phone, true
	case k == 0 && c.paren && strings.HasPrefix(f.s[max(0, c.from[0]-1):], "(") && total >= 9 && total <= 12: // ITU-T E.123: (area) number
		return Phone, true
	case strings.ContainsAny(said, "/"):
		return "", false
	case sizes == "334", sizes == "1334" && said[0] == '1': // NANP, and the 400 numbers of China
		return Phone, true
	case strings.Contains(said, "."):
		return "", false
	case sizes == "344" && mobileCN(said), sizes == "37" && (said[:3] == "400" || said[:3] == "800"):
		return Phone, true
	case one && (sizes == "4444" || sizes == "44443" || sizes == "465" || sizes == "464"): // ISO/IEC 7812: cards
		return Number, true
	case sizes == "324" && strings.Count(said, "-") == 2: // US social security
		return Number, true
	case said[0] == '0' && total >= 9 && total <= 12 && c.size(k) >= 2: // the trunk prefix 0 of national numbers
		return Phone, true
	case f.after(f.phone, c.from[k]) && total >= 6 && total <= 15:
		return Phone, true
	case total >= 9 && strings.Count(said, "-") == e-k-1 && !dateIn().MatchString(said):
		return Number, true
	}
	return "", false
}

// single says what one group of digits is.
func (f *finder) single(c *cluster, k int) (kind Kind, sure bool) {
	from, n := c.from[k], c.size(k)
	said := f.s[from:c.to[k]]
	cued := f.after(f.number, from)
	switch kind := f.page.known[said]; {
	case n >= 4 && kind != "":
		return kind, true
	case k == 0 && c.plus && n >= 8 && n <= 15:
		return Phone, true
	case f.after(f.birth, from) && dated(said):
		return Date, true
	case n >= 9 && (mobileCN(said) && n == 11 || f.after(f.phone, from)):
		return Phone, true
	case n >= 9:
		return Number, true
	case f.after(f.postal, from) && n >= 4, n == 5 && stateBefore().MatchString(f.s[max(0, from-8):from]):
		return Address, true
	case n >= 6 && f.after(f.phone, from):
		return Phone, true
	case f.amount(from, c.to[k]):
		return "", false
	case n >= 5 && cued, n == 4 && cued && explicit().MatchString(f.s[max(0, from-16):from]):
		return Number, true
	case n >= 6 && !dated(said):
		return Number, false
	case n == 5 && inPlace().MatchString(f.s[max(0, from-4):from]) && !unit().MatchString(f.ahead(c.to[k])):
		return Address, false
	}
	return "", false
}

// amount reports whether digits are money, a decimal or a quantity.
func (f *finder) amount(from, to int) bool {
	before, after := f.s[max(0, from-4):from], f.s[to:min(len(f.s), to+3)]
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, " "))
	if unicode.Is(unicode.Sc, r) || len(before) > 1 && (before[len(before)-1] == '.' || before[len(before)-1] == ',') && digit(before[len(before)-2]) {
		return true
	}
	r, _ = utf8.DecodeRuneInString(after)
	return strings.ContainsRune("元块万亿条个件次人页张分秒%％", r) && r != utf8.RuneError || len(after) > 1 && (after[0] == '.' || after[0] == ',') && digit(after[1])
}

func mobileCN(s string) bool { return len(s) > 1 && s[0] == '1' && s[1] >= '3' && s[1] <= '9' }

func oneSeparator(s string) bool {
	return strings.Count(s, " ") == 0 || strings.Count(s, "-") == 0
}

// hash looks at what stands behind #: an order, seldom a colour.
func (f *finder) hash(i int) int {
	end, _ := tokenEnd(f.s, i+1)
	w := f.s[i+1 : end]
	digits := countDigits(w)
	switch {
	case digits == 0, colour().MatchString(w) && !f.after(f.number, i):
		return max(end, i+1)
	case digits >= 5:
		return f.add(i, compoundEnd(f.s, end), Number)
	case f.after(f.number, i) && digits >= 3:
		return f.add(i, compoundEnd(f.s, end), Number)
	case digits >= 4 && digits < len(w):
		return f.likely(i, end, Number)
	}
	return end
}

// code looks at a word with letters and digits, joined by hyphens.
func (f *finder) code(i, end int) int {
	w := f.s[i:end]
	if to := f.iban(i, end); to > 0 {
		return to
	}
	if to := f.postcode(i, end); to > 0 {
		return to
	}
	if kind := f.page.known[w]; kind != "" {
		return f.add(i, end, kind)
	}
	d := countDigits(dateIn().ReplaceAllString(w, ""))
	switch {
	case ours().MatchString(w), clock().MatchString(w), size().MatchString(w), strings.HasPrefix(w, "redacted"):
		return end
	case uuid().MatchString(w), d >= 6, account().MatchString(w):
		return f.add(i, end, Number)
	case quantity().MatchString(w):
		return end
	case f.after(f.number, i) && d >= 1 && len(w) >= 5:
		return f.add(i, end, Number)
	case f.after(f.postal, i) && d >= 2:
		return f.add(i, end, Address)
	case d >= 4, d >= 2 && len(w) >= 6 && strings.ToUpper(w) == w && !strings.ContainsAny(w, "-_"):
		return f.likely(i, end, Number)
	}
	return end
}

// iban finds an account of ISO 13616, in one or in groups of four.
func (f *finder) iban(i, end int) int {
	w := f.s[i:end]
	if len(w) < 4 || !ibanHead().MatchString(w) {
		return 0
	}
	if loc := ibanRest().FindStringIndex(f.ahead(end)); loc != nil {
		end += loc[1]
	}
	n := len(strings.ReplaceAll(f.s[i:end], " ", ""))
	if n < 15 || n > 34 || countDigits(f.s[i:end]) < 8 {
		return 0
	}
	return f.add(i, end, Number)
}

// postcode finds those with letters: British and Canadian ones (UPU S42).
func (f *finder) postcode(i, end int) int {
	if end-i > 4 {
		return 0
	}
	if loc := letterPostcode().FindStringIndex(f.ahead(i)); loc != nil {
		return f.add(i, i+loc[1], Address)
	}
	return 0
}

func countDigits(s string) (n int) {
	for i := 0; i < len(s); i++ {
		if digit(s[i]) {
			n++
		}
	}
	return n
}

func dated(s string) bool { return wholeDate().MatchString(s) }

// The shapes that are easier said than written by hand. Each is asked for a
// bounded piece of text alone.
var (
	wholeDate      = lazy(`^((19|20)\d\d[-/. ]?(0?[1-9]|1[0-2])[-/. ]?(0?[1-9]|[12]\d|3[01])|(0?[1-9]|[12]\d|3[01])[-/. ](0?[1-9]|[12]\d|3[01])[-/. ](19|20)\d\d)$`)
	dateIn         = lazy(`(19|20)\d\d-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(T\d{2,6})?`)
	stateBefore    = lazy(`[ ,][A-Z]{2},? $`)
	explicit       = lazy(`(?i)(#|\bno\.?|number|ending( in| with)?|\bid|code|尾号|号)( is|[:：])? ?$`)
	inPlace        = lazy(`\b(in|at) $`)
	unit           = lazy(`^ ?[a-zA-Z%]+s?\b`)
	colour         = lazy(`^([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9]*[a-fA-F][0-9a-fA-F]{0,7})$`)
	ours           = lazy(`^[a-z]_[a-z2-7]{16,20}$`)
	size           = lazy(`^\d+[xX]\d+$`)
	quantity       = lazy(`^\d{1,8}([a-z]{1,3}|[KMGT]i?B|Hz|GHz|MHz)$`)
	uuid           = lazy(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`) // RFC 9562
	account        = lazy(`^[A-Za-z]{2,}[_.-][A-Za-z]{2,}([_.-][A-Za-z]+)*[_-]?\d{3,}$`)        // name_name_1234, as sign-up pages propose
	dottedAccount  = lazy(`^[A-Za-z]{2,}(\.[A-Za-z]{2,})+[._]?\d{2,}\b`)
	clock          = lazy(`^\d{1,2}T\d{2}`)
	ibanHead       = lazy(`^[A-Z]{2}\d{2}[A-Z0-9]*$`)
	ibanRest       = lazy(`^( [A-Z0-9]{4}){2,7}( [A-Z0-9]{1,3}\b)?`)
	letterPostcode = lazy(`^([A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|[A-Z]\d[A-Z][ -]\d[A-Z]\d)\b`)
)
