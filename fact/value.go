package fact

import (
	"regexp"
	"strings"
	"sync"
)

// piece is a label or a number of the page, in the order they stand there.
type piece struct {
	node   *node
	label  string // folded; "" of a number
	number string
	colon  bool // after the label
	money  bool // the number has a sign of money before it
	alone  bool // the number is a whole word
}

// pieces splits a page into labels and numbers, at spaces and colons. Units that stand by
// themselves are no labels.
func (p *Page) pieces() []piece {
	p.once.Do(func() { p.all = p.split() })
	return p.all
}

func (p *Page) split() []piece {
	var out []piece
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.unchosen() {
			continue
		}
		for _, w := range strings.FieldsFunc(joinMoney(n.words), func(r rune) bool { return strings.ContainsRune(" \t|", r) }) {
			label, rest, colon := strings.Cut(strings.ReplaceAll(w, "：", ":"), ":")
			if !colon || rest != "" && numberIn().MatchString(label) { // 10:30 is a time
				out = append(out, pieceOf(n, w)...)
				continue
			}
			f := fold(label)
			out = append(out, piece{node: n, label: string(f.runes), colon: true})
			if rest != "" {
				out = append(out, pieceOf(n, rest)...)
			}
		}
	}
	return out
}

func pieceOf(n *node, w string) []piece {
	plain := strings.ReplaceAll(w, ",", "")
	at := numberIn().FindStringIndex(plain)
	f := fold(w)
	if at == nil {
		if len(f.runes) == 0 || len(f.runes) == 1 && strings.ContainsRune(units, f.runes[0]) {
			return nil
		}
		return []piece{{node: n, label: string(f.runes)}}
	}
	value := piece{node: n, number: plain[at[0]:at[1]], money: strings.ContainsAny(plain[:at[0]], "¥￥$€£"), alone: strings.Trim(plain, "xX×*") == plain[at[0]:at[1]]}
	f = fold(plain[:at[0]])
	if label := string(f.runes); strings.Trim(label, "¥$€£-+") != "" {
		return []piece{{node: n, label: label}, value}
	}
	return []piece{value}
}

// moneyGap is the space that may stand between a sign of money and its number.
var moneyGap = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([¥￥$€£])\s+`) })

func joinMoney(s string) string {
	if !strings.ContainsAny(s, "¥￥$€£") {
		return s
	}
	return moneyGap().ReplaceAllString(s, "$1")
}

// units are measure words of one character.
const units = "项个条张人号元次件分天%"

// beside returns the number that belongs to a label, "" where it is not plain which, and
// how often the label stands on the page. A colon says that it follows. Else numbers and
// labels alternate in a row: where that ends with a label the numbers come first, where it
// begins with one they follow.
func (p *Page) beside(s string) (by *node, number string, times int) {
	all := p.pieces()
	f := fold(s)
	found := -1
	for i, x := range all {
		if x.label != "" && x.label == string(f.runes) {
			found = i
			times++
		}
	}
	if times != 1 {
		return nil, "", times
	}
	if x := all[found]; x.colon {
		if found+1 < len(all) && all[found+1].number != "" {
			return all[found+1].node, all[found+1].number, times
		}
		return nil, "", times
	}
	from, to := row(all, found)
	first, last := all[from].number == "", all[to].number == ""
	switch {
	case first && !last && found < to:
		return all[found+1].node, all[found+1].number, times
	case !first && last && found > from:
		return all[found-1].node, all[found-1].number, times
	}
	return nil, "", times
}

// row returns the ends of the row of labels and numbers around a piece: within its line if
// there is a number in that, else from line to line.
func row(all []piece, found int) (from, to int) {
	line := false
	for _, x := range all {
		line = line || x.node == all[found].node && x.number != ""
	}
	joins := func(a, b piece) bool { return (a.number == "") != (b.number == "") && (!line || a.node == b.node) }
	from, to = found, found
	for from > 0 && joins(all[from-1], all[from]) {
		from--
	}
	for to+1 < len(all) && joins(all[to], all[to+1]) {
		to++
	}
	return from, to
}
