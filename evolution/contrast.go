package evolution

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// contrast finds the words that stand in a group's texts and not in the others':
// by the log-odds of the share of texts with the word (after Monroe, Colaresi
// and Quinn, 2008), best first.
type contrast struct {
	n     int            // texts of the group
	count map[string]int // of them, with the word
	tests map[string]map[string]bool
	shown map[string]map[string]int // spellings
	m     int
	other map[string]int
}

func newContrast(members, rest []*tree.Node, of func(*tree.Node) string, read reader) *contrast {
	c := &contrast{count: map[string]int{}, tests: map[string]map[string]bool{}, shown: map[string]map[string]int{}, other: map[string]int{}}
	for _, n := range members {
		c.n++
		for stem, spellings := range wordsOf(of(n)) {
			c.count[stem]++
			if c.tests[stem] == nil {
				c.tests[stem], c.shown[stem] = map[string]bool{}, map[string]int{}
			}
			c.tests[stem][testOf(n)] = true
			for s, k := range spellings {
				c.shown[stem][s] += k
			}
		}
	}
	for _, n := range rest {
		c.m++
		for stem := range read.words(of(n)) {
			c.other[stem]++
		}
	}
	return c
}

// reader remembers the words of texts that many groups are contrasted with.
type reader map[string]map[string]map[string]int

func (r reader) words(s string) map[string]map[string]int {
	w, ok := r[s]
	if !ok {
		w = wordsOf(s)
		r[s] = w
	}
	return w
}

// identifier is a name as programs have it: the call, field or agent a case is about.
var identifier = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\p{L}+(?:_\p{L}+)+|\p{Lu}\p{Ll}+(?:\p{Lu}\p{Ll}+)+`)
})

// wordsOf returns the telling words of a text by stem, with their spellings:
// no stop words, nothing with a digit in it, nothing shorter than three letters.
// An identifier counts whole, and its parts count too.
func wordsOf(s string) map[string]map[string]int {
	out := map[string]map[string]int{}
	for _, w := range identifier().FindAllString(s, -1) {
		if out[w] == nil {
			out[w] = map[string]int{}
		}
		out[w][w]++
	}
	for _, w := range text.Words(s) {
		if strings.ContainsFunc(w, unicode.IsDigit) || strings.Contains(w, "'") || utf8.RuneCountInString(w) < 3 && !han(w) {
			continue
		}
		stem := text.Tokens(w)
		if len(stem) == 0 || han(w) && utf8.RuneCountInString(w) < 2 {
			continue
		}
		key := stem[0]
		if han(w) {
			key = w
		}
		if out[key] == nil {
			out[key] = map[string]int{}
		}
		out[key][w]++
	}
	return out
}

func han(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// leastOdds is the log-odds from which a word tells a group from the others:
// e times as likely.
const leastOdds = 1.0

func logOdds(x, n int) float64 { return math.Log((float64(x) + 0.5) / (float64(n-x) + 0.5)) }

// stems returns the stems of up to k words that stand in at least a third of the
// group, two of its texts and two of its tests.
func (c *contrast) stems(k int, without map[string]bool) []string {
	type scored struct {
		stem  string
		value float64
	}
	var all []scored
	for stem, a := range c.count {
		if a < 2 || 3*a < c.n || len(c.tests[stem]) < leastTests || without[stem] {
			continue
		}
		v := logOdds(a, c.n)
		if c.m > 0 {
			v -= logOdds(c.other[stem], c.m)
		}
		if v < leastOdds && c.m > 0 {
			continue
		}
		all = append(all, scored{stem, v * math.Log(1+float64(a))})
	}
	part := map[string]bool{} // what a whole identifier says better
	for _, s := range all {
		if identifier().MatchString(s.stem) {
			maps.Copy(part, tokenSet(s.stem))
		}
	}
	all = slices.DeleteFunc(all, func(s scored) bool { return part[s.stem] })
	slices.SortFunc(all, func(a, b scored) int { return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.stem, b.stem)) })
	out := make([]string, 0, k)
	for _, s := range all[:min(k, len(all))] {
		out = append(out, s.stem)
	}
	return out
}

// words returns the contrast words as people spell them. Chinese bigrams that
// overlap in example are put together again.
func (c *contrast) words(k int, without map[string]bool, example string) []string {
	stems := c.stems(8*k, without)
	var out []string
	chinese := map[string]bool{}
	for _, s := range stems {
		if han(s) {
			chinese[s] = true
			continue
		}
		if len(out) < k {
			out = append(out, c.spelling(s))
		}
	}
	for _, w := range runs(example, chinese) {
		if len(out) < k {
			out = append(out, w)
		}
	}
	return out
}

func (c *contrast) spelling(stem string) string {
	best := stem
	most := 0
	for s, n := range c.shown[stem] {
		if n > most || n == most && s < best {
			best, most = s, n
		}
	}
	return best
}

// boundaries are characters that begin or end a Chinese phrase, and words about
// judging in general, which are no part of one.
const (
	boundaries   = "的了与和在中是不没有但把被对就也都而或及并从到为以将其未后前时上下内外等该此这那个每各之于由向给让使当若如则且因所"
	plainChinese = "智能体|代理|判断|判定|测试|任务|页面|结果|报告|通过|失败|正确|错误|缺陷|检查|确认|显示|要求|是否|已经|实际|存在|依据|进行|需要"
)

// runs returns the phrases of s that consist of the given bigrams, in order: the
// longest stretches between boundaries.
func runs(s string, bigrams map[string]bool) []string {
	for w := range strings.SplitSeq(plainChinese, "|") {
		s = strings.ReplaceAll(s, w, " ")
	}
	var out []string
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool {
		return !unicode.Is(unicode.Han, r) || strings.ContainsRune(boundaries, r)
	}) {
		r := []rune(part)
		for i := 0; i+1 < len(r); {
			j := i
			for j+1 < len(r) && bigrams[string(r[j:j+2])] {
				j++
			}
			if j == i {
				i++
				continue
			}
			if w := string(r[i : j+1]); !slices.Contains(out, w) {
				out = append(out, w)
			}
			i = j + 1
		}
	}
	return out
}
