package guard

import (
	_ "embed" // orders.txt
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/text"
)

// Instructs reports whether s gives the agent orders instead of being about a test: it overrides instructions, changes
// who the agent is, names another task, has it run what is at an address, requests confidential information, or closes
// the block that contains it. reason continues the sentence "its text …".
//
// Instructs reads English and Chinese, also letters with spaces between them ("i g n o r e"). It looks for known
// phrases, so it misses most attacks: a text that is not phrased as an order, requests another topic, or is in another
// language. testdata/quality.golden has its rates, together with those of [Forces], on lists of attacks.
func Instructs(s string) (reason string, yes bool) {
	reason, _ = instructing(s)
	return reason, reason != ""
}

// instructing returns the reason of Instructs and the matching part of the text.
func instructing(s string) (reason, words string) {
	s = strings.ToLower(text.Normal(text.Clean(s), len(s)))
	s = text.Squeeze(unspaced(angles().Replace(s)))
	for i := range orders() {
		if o := &orders()[i]; o.mayMatch(s) {
			if at := o.pattern().FindString(s); at != "" {
				return o.reason, at
			}
		}
	}
	return "", ""
}

// angles restores < and > from the brackets that replace them in a stored text.
var angles = sync.OnceValue(func() *strings.Replacer { return strings.NewReplacer("‹", "<", "›", ">") })

// spacedOut matches at least five letters with one space between each two.
var spacedOut = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[a-z](?: [a-z]\b){4,}`) })

// unspaced joins words that are written with a space after each letter.
func unspaced(s string) string {
	if !hasSpaced(s) {
		return s
	}
	return spacedOut().ReplaceAllStringFunc(s, func(m string) string { return strings.ReplaceAll(m, " ", "") })
}

// hasSpaced reports whether four words of one letter follow each other. It is cheaper than the pattern spacedOut and
// rules out most texts.
func hasSpaced(s string) bool {
	run, size := 0, 0
	for i := range len(s) {
		if s[i] != ' ' {
			size++
			continue
		}
		if size == 1 {
			run++
		} else if size > 1 {
			run = 0
		}
		if run == 4 {
			return true
		}
		size = 0
	}
	return false
}

// order is one turn of speech that gives an agent orders.
type order struct {
	reason  string
	words   []string // a text without any of these cannot match
	with    []string // nor a text without any of these; nil for no such list
	pattern func() *regexp.Regexp
}

// mayMatch searches for the words of an order. This is cheaper than the pattern and rules out most texts.
func (o *order) mayMatch(s string) bool {
	in := func(w string) bool { return strings.Contains(s, w) }
	return slices.ContainsFunc(o.words, in) && (o.with == nil || slices.ContainsFunc(o.with, in))
}

// The reasons. Each continues the sentence "its text …".
const (
	quits  = "tells the agent to ignore its instructions"
	poses  = "tries to change who the agent is"
	strays = "gives the agent another task"
	runs   = "sends the agent to run or obey what an address has"
	spies  = "asks for what the agent must keep to itself"
	breaks = "tries to close the block it stands in"
)

//go:embed orders.txt
var ordersText string

var orders = sync.OnceValue(func() []order {
	reasons := map[string]string{
		"quits": quits, "poses": poses, "strays": strays, "runs": runs, "spies": spies, "breaks": breaks,
	}
	var all []order
	for line := range strings.Lines(ordersText) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(row) != 3 {
			continue // a comment
		}
		words, with, both := strings.Cut(row[1], " & ")
		o := order{reason: reasons[row[0]], words: strings.Split(words, "|"),
			pattern: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(row[2]) })}
		if both {
			o.with = strings.Split(with, "|")
		}
		all = append(all, o)
	}
	return all
})
