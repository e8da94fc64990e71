package guard

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/text"
)

// Truths holds the values of one test's ground truth that would disclose the result of that test to an agent: its
// texts, the parts of them, and its numbers.
//
// Some values are not truths: those that appear in the agent's prompt or in its own answer, plain verdicts and grades
// ("pass", "high", 0 and 1), texts of one or two letters, and names of fields. Names of actions are not truths either,
// because a lesson about calls has to name them. The zero value has no truths.
//
// A text contains a truth if the value appears in the text as a whole word or phrase, in any case and width, and a
// number with or without a currency sign, zeros at its end and commas between thousands (1299 for ¥1,299.00). An amount
// of one digit needs its currency sign, because a note also counts steps and rows. Truths does not recognise a
// paraphrase, or a number that is written in another way (1.3k for 1300).
type Truths struct{ values []string }

// Bounds on the work for one ground truth.
const (
	maxValues    = 256
	maxValueText = 3000     // bytes of one text that are read
	maxKnown     = 32 << 10 // bytes of known text that are read
)

// TruthsOf returns the truths of groundTruth, a decoded JSON value or a json.RawMessage. known is the prompt and the
// agent's own answer; values that appear in its first 32 KiB are no truths. Invalid JSON has no truths. TruthsOf
// returns at most 256 truths: the longest of the first 1,000 or so.
func TruthsOf(groundTruth any, known string) Truths {
	if raw, ok := groundTruth.(json.RawMessage); ok {
		groundTruth = nil
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		if dec.Decode(&groundTruth) != nil || dec.More() {
			return Truths{}
		}
	}
	c := &truthCollector{seen: map[string]bool{}}
	c.known = sync.OnceValue(func() string { // most truths are plain verdicts
		return strings.Join(foldings(head(known, maxKnown)), "\n")
	})
	c.value(groundTruth)
	slices.SortFunc(c.list, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return Truths{c.list[:min(len(c.list), maxValues)]}
}

// In reports whether s contains one of the truths.
func (t Truths) In(s string) bool {
	_, yes := t.Find(s)
	return yes
}

// Find returns the longest truth that s contains, in lower case, and whether there is one. A caller may report what
// kind of value it is, but must not show the value.
func (t Truths) Find(s string) (value string, yes bool) {
	if len(t.values) == 0 {
		return "", false
	}
	all := foldings(s)
	for _, v := range t.values {
		if slices.ContainsFunc(all, func(s string) bool { return says(s, v) }) {
			return v, true
		}
	}
	return "", false
}

// truthCollector gathers the truths of a decoded value.
type truthCollector struct {
	known func() string   // folded
	seen  map[string]bool // every value that could be a truth, known or not
	list  []string        // those that are not known
}

func (c *truthCollector) value(v any) {
	switch v := v.(type) {
	case string:
		c.text(v)
	case json.Number:
		c.add(v.String())
	case float64:
		b, _ := json.Marshal(v)
		c.add(string(b))
	case []any:
		for _, x := range v {
			c.value(x)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if !namesAction(k, v) {
				c.value(v[k])
			}
		}
	}
}

// namesAction reports whether member k of an object is the name of an action. It is
// when the object has arguments too, or no other member.
func namesAction(k string, object map[string]any) bool {
	names := []string{"name", "action", "tool", "tool_name", "function", "type"}
	if _, isText := object[k].(string); !isText || !slices.Contains(names, k) {
		return false
	}
	for _, with := range []string{"arguments", "kwargs", "args", "parameters", "params", "input"} {
		if _, ok := object[with]; ok {
			return true
		}
	}
	return len(object) == 1
}

// text adds a text, its parts between marks, and pieces of long parts, so that half a sentence is recognised too. It
// skips text between two quotations, such as "and", which discloses nothing.
func (c *truthCollector) text(s string) {
	s = ungroup(head(s, maxValueText))
	c.add(s)
	from, closed, open := 0, false, false // the part begins; a quotation ended before it; one is open
	end := func(to int, opens bool) {
		if part := s[from:to]; !closed || !opens {
			c.add(part)
			c.pieces(part)
		}
	}
	before := ' '
	for i, r := range s {
		_, width := utf8.DecodeRuneInString(s[i:])
		after, _ := utf8.DecodeRuneInString(s[i+width:])
		switch {
		case strings.ContainsRune("'’‘", r) && joins(before) && joins(after): // it's
		case strings.ContainsRune("\"'“”‘’「」『』", r):
			open = strings.ContainsRune("“‘「『", r) || !open && strings.ContainsRune("\"'", r)
			end(i, open)
			from, closed = i+width, !open
		case strings.ContainsRune(",;:!?\n、，；。：！？()（）|", r):
			end(i, false)
			from, closed = i+width, false
		}
		before = r
	}
	end(len(s), false)
}

// pieces adds every five consecutive words of a part or, for a Chinese one, every eight characters at steps of two.
func (c *truthCollector) pieces(s string) {
	const words, runes = 5, 8
	if strings.ContainsFunc(s, isHan) {
		r := []rune(s)
		for i := 0; i+runes < len(r); i += 2 {
			c.add(string(r[i : i+runes]))
		}
		return
	}
	w := strings.Fields(s)
	for i := 0; i+words < len(w); i++ {
		c.add(strings.Join(w[i:i+words], " "))
	}
}

// add adds a value that discloses something and is not known. It must be a number, or have at least two Chinese
// characters or three of another script, and be no plain verdict.
func (c *truthCollector) add(s string) {
	s = strings.Trim(foldNumbers(s), ".。!！'`* ,，;；")
	if rest := strings.TrimLeft(s, currency); len(rest) > 1 && strings.Trim(rest, "0123456789.") == "" {
		s = rest
	}
	n := utf8.RuneCountInString(s)
	number := strings.ContainsAny(s, "0123456789")
	switch {
	case s == "" || s == "0" || s == "1" || c.seen[s] || len(c.seen) > 4*maxValues:
		return
	case n < 2 && !number, n < 3 && !number && !strings.ContainsFunc(s, isHan):
		return
	case plain(s):
		return
	}
	c.seen[s] = true
	if !says(c.known(), s) {
		c.list = append(c.list, s)
	}
}

// says reports whether v appears in s as a whole, not as part of a longer word or number. In scripts without spaces
// between words it may appear anywhere.
func says(s, v string) bool {
	first, _ := utf8.DecodeRuneInString(v)
	last, _ := utf8.DecodeLastRuneInString(v)
	for from := 0; ; {
		i := strings.Index(s[from:], v)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(v):])
		if (!joins(before) || !joins(first)) && (!joins(last) || !joins(after)) &&
			!decimalPoint(s, i-1) && !decimalPoint(s, i+len(v)) {
			return true
		}
		from = i + len(v)
	}
}

// decimalPoint reports whether s has a point between two digits at i.
func decimalPoint(s string, i int) bool {
	digit := func(i int) bool { return s[i] >= '0' && s[i] <= '9' }
	return i > 0 && i+1 < len(s) && s[i] == '.' && digit(i-1) && digit(i+1)
}

// joins reports whether r forms one word with a letter or digit beside it.
func joins(r rune) bool {
	return r < 0x2e80 && r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}

// fold makes texts equal that look the same to a reader: it lowers the case,
// normalises width and white space, and replaces brackets and quotes by plain ones.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '‹', '\u3008', '⟨', '≺', '⧼':
			return '<'
		case '›', '\u3009', '⟩', '≻', '⧽':
			return '>'
		case '【', '〔', '〖':
			return '['
		case '】', '〕', '〗':
			return ']'
		case '’', '‘':
			return '\''
		}
		return r
	}, strings.ToLower(text.Line(text.Normal(s, len(s)))))
}

// currency are the signs before an amount, and the space between.
const currency = "¥$€£ "

// foldNumbers is fold without the zeros at the end of decimals and without a space after a currency sign: $ 224.00
// becomes $224, and 4.50 becomes 4.5. A number with several points, such as a date, stays.
func foldNumbers(s string) string {
	s = fold(s)
	if strings.ContainsAny(s, currency[:len(currency)-1]) {
		s = spacedAmounts().ReplaceAllString(s, "$1$2")
	}
	return decimals().ReplaceAllStringFunc(s, func(n string) string {
		if whole, part, ok := strings.Cut(n, "."); ok && !strings.Contains(part, ".") {
			return strings.TrimRight(whole+"."+strings.TrimRight(part, "0"), ".")
		}
		return n
	})
}

// foldings returns s folded as it is and, if it has commas between thousands, also without them.
func foldings(s string) []string {
	all := []string{foldNumbers(s)}
	if whole := ungroup(s); whole != s {
		all = append(all, foldNumbers(whole))
	}
	return all
}

// ungroup removes the commas between thousands: 1,299 becomes 1299.
func ungroup(s string) string {
	if !strings.Contains(s, ",") {
		return s
	}
	return thousands().ReplaceAllStringFunc(s, func(n string) string { return strings.ReplaceAll(n, ",", "") })
}

var (
	thousands     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[0-9]{1,3}(?:,[0-9]{3})+\b`) })
	spacedAmounts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([¥$€£]) +([0-9])`) })
)

var decimals = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]+(?:\.[0-9]+)+`) })

// head returns at most the first n bytes of s, cut after a whole character.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
