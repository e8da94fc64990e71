package fact

import (
	"regexp"
	"strings"
	"sync"
)

// pagePiece is a label or a number of the page.
type pagePiece struct {
	node   *node
	label  string // folded; "" for a number
	number string // "" for a label
	colon  bool   // a colon follows the label
	money  bool   // a currency sign precedes the number
	alone  bool   // the number is a whole word
}

// pieces returns the labels and numbers of a page in order. It splits at spaces and colons, and omits separate units.
func (p *Snapshot) pieces() []pagePiece {
	p.once.Do(func() { p.all = p.split() })
	return p.all
}

func (p *Snapshot) split() []pagePiece {
	var out []pagePiece
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.unchosen() {
			continue
		}
		for _, w := range strings.FieldsFunc(joinMoney(n.words),
			func(r rune) bool { return strings.ContainsRune(" \t|", r) }) {
			label, rest, colon := strings.Cut(strings.ReplaceAll(w, "：", ":"), ":")
			if !colon || rest != "" && numberIn().MatchString(label) { // 10:30 is a time
				out = append(out, pieceOf(n, w)...)
				continue
			}
			f := fold(label)
			out = append(out, pagePiece{node: n, label: string(f.runes), colon: true})
			if rest != "" {
				out = append(out, pieceOf(n, rest)...)
			}
		}
	}
	return out
}

func pieceOf(n *node, w string) []pagePiece {
	plain := strings.ReplaceAll(w, ",", "")
	at := numberIn().FindStringIndex(plain)
	f := fold(w)
	if at == nil {
		if len(f.runes) == 0 || len(f.runes) == 1 && strings.ContainsRune(units, f.runes[0]) {
			return nil
		}
		return []pagePiece{{node: n, label: string(f.runes)}}
	}
	number := plain[at[0]:at[1]]
	value := pagePiece{
		node: n, number: number,
		money: strings.ContainsAny(plain[:at[0]], "¥￥$€£"),
		alone: strings.Trim(plain, "xX×*") == number,
	}
	f = fold(plain[:at[0]])
	if label := string(f.runes); strings.Trim(label, "¥$€£-+") != "" {
		return []pagePiece{{node: n, label: label}, value}
	}
	return []pagePiece{value}
}

// moneyGap matches a currency sign and the spaces after it.
var moneyGap = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([¥￥$€£])\s+`) })

func joinMoney(s string) string {
	if !strings.ContainsAny(s, "¥￥$€£") {
		return s
	}
	return moneyGap().ReplaceAllString(s, "$1")
}

// units are measure words of one character.
const units = "项个条张人号元次件分天%"

// beside returns the number that belongs to a label, and how often the page contains the label. The number is "" if it
// is ambiguous, or if the page does not contain the label exactly once. After a colon the number follows. Otherwise
// labels and numbers alternate in a row. If the row begins with a label and ends with a number, each number follows its
// label; in the reverse case it precedes it.
func (p *Snapshot) beside(s string) (by *node, number string, times int) {
	all := p.pieces()
	f := fold(s)
	at := -1 // of the label
	for i, x := range all {
		if x.label != "" && x.label == string(f.runes) {
			at = i
			times++
		}
	}
	if times != 1 {
		return nil, "", times
	}
	if x := all[at]; x.colon {
		if at+1 < len(all) && all[at+1].number != "" {
			return all[at+1].node, all[at+1].number, times
		}
		return nil, "", times
	}
	from, to := row(all, at)
	labelFirst, labelLast := all[from].number == "", all[to].number == ""
	switch {
	case labelFirst && !labelLast && at < to:
		return all[at+1].node, all[at+1].number, times
	case !labelFirst && labelLast && at > from:
		return all[at-1].node, all[at-1].number, times
	}
	return nil, "", times
}

// row returns the first and last piece of the row around piece at, in which labels and numbers alternate. If the line
// of the piece contains a number, the row does not extend beyond that line.
func row(all []pagePiece, at int) (from, to int) {
	line := false // the row ends with the line
	for _, x := range all {
		line = line || x.node == all[at].node && x.number != ""
	}
	joins := func(a, b pagePiece) bool { return (a.number == "") != (b.number == "") && (!line || a.node == b.node) }
	from, to = at, at
	for from > 0 && joins(all[from-1], all[from]) {
		from--
	}
	for to+1 < len(all) && joins(all[to], all[to+1]) {
		to++
	}
	return from, to
}
