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
func (f *personFinder) digits(i int) int {
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
func (f *personFinder) cluster(i int) (c cluster) {
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
func (f *personFinder) groups(c *cluster, n, start int) int {
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
			if to < len(f.s) && f.s[to] == ')' && c.paren &&
				strings.Count(f.s[from:to], "(") > strings.Count(f.s[from:to], ")") {
				to++
			}
			if sure {
				f.add(from, to, kind)
			} else {
				f.likely(from, to, kind)
			}
			if took = e - k; kind == Date {
				f.cued[birth] = -near
			}
		}
		k += max(took, 1)
	}
	return c.to[n-1]
}

// together says what groups k to e of a cluster are together.
func (f *personFinder) together(c *cluster, k, e int) (kind Kind, sure bool) {
	if e-k == 1 {
		return f.single(c, k)
	}
	said := f.s[c.from[k]:c.to[e-1]]
	if dated(said) {
		if f.after(birth, c.from[k]) {
			return Date, true
		}
		return "", false
	}
	total := c.total(k, e)
	var of [len(c.from)]byte // how many digits each has
	for i := k; i < e; i++ {
		of[i] = byte('0' + min(c.size(i), 9))
	}
	sizes := string(of[k:e])
	one := oneSeparator(said)
	switch {
	case k == 0 && c.plus && total >= 8 && total <= 15: // ITU-T E.164: at most 15 digits
		return Phone, true
	case k == 0 && c.paren && strings.HasPrefix(f.s[max(0, c.from[0]-1):], "(") &&
		total >= 9 && total <= 12: // ITU-T E.123: (area) number
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
	case f.after(telephone, c.from[k]) && total >= 6 && total <= 15:
		return Phone, true
	case total >= 9 && strings.Count(said, "-") == e-k-1 && !dateIn().MatchString(said):
		return Number, true
	}
	return "", false
}

// single says what one group of digits is.
func (f *personFinder) single(c *cluster, k int) (kind Kind, sure bool) {
	from, n := c.from[k], c.size(k)
	said := f.s[from:c.to[k]]
	cued := f.after(number, from)
	switch kind := f.page.known[said]; {
	case n >= 4 && kind != "":
		return kind, true
	case k == 0 && c.plus && n >= 8 && n <= 15:
		return Phone, true
	case f.after(birth, from) && dated(said):
		return Date, true
	case n >= 9 && (mobileCN(said) && n == 11 || f.after(telephone, from)):
		return Phone, true
	case n >= 9:
		return Number, true
	case f.after(postal, from) && n >= 4, n == 5 && stateBefore().MatchString(f.s[max(0, from-8):from]):
		return Address, true
	case n >= 6 && f.after(telephone, from):
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
func (f *personFinder) amount(from, to int) bool {
	before, after := f.s[max(0, from-4):from], f.s[to:min(len(f.s), to+3)]
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, " "))
	if unicode.Is(unicode.Sc, r) || len(before) > 1 &&
		(before[len(before)-1] == '.' || before[len(before)-1] == ',') && digit(before[len(before)-2]) {
		return true
	}
	r, _ = utf8.DecodeRuneInString(after)
	return strings.ContainsRune("元块万亿条个件次人页张分秒%％", r) && r != utf8.RuneError ||
		len(after) > 1 && (after[0] == '.' || after[0] == ',') && digit(after[1])
}

func mobileCN(s string) bool { return len(s) > 1 && s[0] == '1' && s[1] >= '3' && s[1] <= '9' }

func oneSeparator(s string) bool {
	return strings.Count(s, " ") == 0 || strings.Count(s, "-") == 0
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
