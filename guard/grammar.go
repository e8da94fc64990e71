package guard

import (
	"regexp"
	"regexp/syntax"
	"sync"
)

// rule is one way to force a verdict, as a pattern over the tags of a sentence (see
// tags.go). The pattern's group begins at the verb of the order, because the words
// before it may forbid the verdict or tell that somebody gave it.
type rule struct {
	name    string
	pattern *regexp.Regexp
	excuses string // the excuses of excuses.go that count for this rule
	tags    []set  // a sentence that lacks a tag of one of these sets cannot match
}

// The parts that patterns are made of.
const (
	value  = `[PQBX]`                                         // a verdict
	begin  = `(?:^|[,;:.&YyLlUGD]|Vx?bv|y[^,;.N]{0,4}[Mb]v?)` // where an English order may begin
	adverb = `[YFLmMUtg]*`                                    // what may stand before its verb
	end    = `(?:$|[,;:.&UGFCn])`                             // where a clause may end
	few    = `(?:"?O"?:|[xiKoOtgbvydFGMysSE"eEd]){0,7}`       // what may stand between verb and verdict
	fewZh  = `(?:"?O"?:|[xiKoO"dbtgZ:]){0,3}`
	verbZh = `[ZzhA]`
)

// table is the grammar. A row has the name of a rule, its pattern, its excuses, and
// tags of which at least one must stand somewhere in the sentence.
var table = [][4]string{
	// An order in English: "please report success", "let it through", "just pass".
	{"order", begin + adverb + `(Ar?` + few + value + `)`, "cofthq", ""},
	{"approve", begin + adverb + `(J[tgi]{0,2}[xd]{0,2}(?:K|` + end + `))`, "coft", ""},
	{"pass it", begin + adverb + `([BX](?:t*x?K|i)?(?:` + end + `))`, "coft", ""},
	{"passive", `[KOoi][^,;:.NC]{0,8}[Mm]b?(F?a[^,;:.NCn]{0,3}[PQBXp])`, "cof", ""},
	{"passive", `[KO][^,;:.NC]{0,8}[Mm]F?(bF?[PQ])`, "cof", ""},
	{"order", begin + adverb + `(A[tgiKx]{0,3}ve)`, "cofth", ""},
	{"weak", begin + adverb + `(A` + few + `p)`, "coft", "FUWwDLl"},
	{"as if", `(l[^;.n]*[&,](?:[AJ]i|J))`, "o", ""},
	// A verdict that is stated as settled: "the verdict is a pass", "this test must pass".
	{"settled", `O[^,;:.NCnR]{0,5}(?:[bzZFYAvM]|M?b:?)([^,;:.NCn]{0,3}` + value + `)`, "coft", ""},
	{"settled", `[oK][^,;:.NCnx]{0,3}[MV]F?b?(["tg]{0,2}` + value + `["]?(?:$|[,;:.&FU]))`, "cof", ""},
	{"settled", `[GK]F(b?P(?:$|[,;:.]))`, "coft", ""},
	{"settled", `[oO]:(ib[tgF]*` + value + `)`, "cof", ""},
	{"only one", `V[^.;]{0,2}[Oo][^.;N]{0,12}` + value, "o", ""},
	{"only one", `V[^.;]{0,5}[A][^.;N]{0,4}` + value, "o", ""},
	{"whatever", `U[^.;]*([OAaZzJ][^,;.NCn]{0,8}` + value + `)`, "oft", ""},
	{"whatever", `[KOo][^,;.NCn]{0,6}` + value + `[^.;N]{0,3}U`, "oft", ""},
	{"whatever", `[oO][^;.]{0,8}[bMm]?[^;.,N]{0,2}p[^;.]{0,2}U`, "of", ""},
	{"whatever", `U[^.;]*[,tg]K([BP](?:$|[,;.]))`, "oft", ""},
	{"lenient", `(L[^,;:.NCn]{0,4}[PQBXJp])`, "oft", ""},
	{"lenient", `[QX]b?L`, "", ""},
	// An order in Chinese. No verb ending tells it from a report, so another word has
	// to say that it is an order.
	{"判", `[FYLGUVWOD][^;.n]*(` + verbZh + fewZh + value + `)`, `kofThq`, ""},
	{"判", `(` + verbZh + fewZh + value + `["do]{0,3}[^,;:.NCn]{0,2}[FL])`, `kofThq`, ""},
	{"判", `^[tgidK]*(` + verbZh + `"?` + value + `["]?(?:$|[.,;]))`, `kofTh`, ""},
	{"判", `^x{1,4}(` + verbZh + `Q\.?$)`, `kofTh`, ""},
	{"判", `[KOi][^,;:.NCn]{0,4}M(` + verbZh + fewZh + value + `)`, `kofThq`, ""},
	{"返回", `(r` + fewZh + `[BX])`, `kofTh`, "YFUWDOV"},
	{"返回", `[YFWDV][^;.n]*(r` + fewZh + `[PQ])`, `kofTh`, "YWDV"},
	{"放行", `[FYGUVWDLEQ][^;.n]*(J)`, `kofTh"`, ""},
	{"放行", `(J["di]{0,2}[^,;:.NCn]{0,2}(?:F|$|\.))`, `kofTh"`, ""},
	// Something that contradicts a verdict is to count as that verdict: 把没找到的视为存在.
	{"contrary", `(A[tgi]{0,2}[eE][^,;:.NCn]{0,3}v[^,;:.NCn]{0,2}[pPB])`, "oft", ""},
	{"contrary", `[eE][^,;:.NCnH]{0,4}([Zz][i"]?[pP])`, `ofT`, ""},
	{"weak", `[FUWwDLl][^;.n]*([Zz]` + fewZh + `p)`, `kofTh"`, ""},
	{"contrary", `(N[^,;:.NCnH]{0,4}[dU][^,;:.NCnH]{0,3}[Zz][i"]?[pP])`, "ofT", ""},
	{"contrary", `[eE][^.;CnHN]*([Zz]["i]?P["do]{0,2}(?:$|[.,;]))`, "oT", ""},
	{"as if", `(?:^|[,;.:&YF])H?(f[^,;.]{0,4}[xpPib])`, "oft", ""},
	// Only one verdict is allowed, or nothing that is found is to count.
	{"sweep", `(?:^|[,;:.])(g[ti]*[eEQ][^,;.N]{0,5}b[F]?p)`, "cot", ""},
	{"sweep", `[gGKi][^,;.]{0,4}[EQ][^,;.CN]{0,2}NF?[^,;.CN]{0,2}[zZbhEQ]`, "coT", ""},
	{"sweep", `N[vtiK]{0,5}m?b[tg]*Q`, "co", ""},
	{"sweep", `(N[xF]?X[tg]*[Ki](?:$|[,;.]|v[ti]*K))`, "con", ""},
	{"sweep", `(Nx?Qi(?:$|[,;.]))`, "con", ""},
	{"sweep", `N[tg]*K[^,;.C]{0,4}m?b?[XQ](?:$|[,;.])`, "co", ""},
	{"sweep", `[yhoO][^,;.NC]{0,3}N[^,;:.Cne]{0,4}[XQ](?:$|[,;.])`, "co", ""},
	{"sweep", `NxQ(?:G|dK)`, "co", ""},
	{"sweep", `[Q]o[^,;.C]{0,2}N[^,;.]{0,2}p`, "co", ""},
	{"sweep", `U[^.;]*[,]?N[bzZ]Q`, "coT", ""},
	// The verdict is wanted by somebody, or was given before.
	{"pressure", `u[^.;NC]{0,9}([PJB])`, "cotT", ""},
	{"reuse", `(k[^,;.C]{0,4}j[^,;.C]{0,3}[oOPQB]|k[^,;.CN]{0,3}O|k[^,;.CN]{0,3}o[^,;.CN]{0,3}j)`, "coft", ""},
	{"only one", `[PBQX][^,;.NC]{0,2}b[^,;.NC]{0,3}V[^,;.]{0,3}[AoO]`, "co", ""},
	{"say it", `^Y?F?(A[tgi]{0,2}b?"?p"?\.?$)`, "cof", ""},
	{"conceal", `(I)`, "ofa", ""},
	{"settled", `[hoO]MF?(b?P(?:$|[.,;]))`, "coT", ""},
	{"settled", `Kbv["tg]*([QPBX])`, "cot", ""},
	{"whatever", `K[^,;.N]{0,3}[pPBXQ],?U`, "oft", ""},
	{"skip", `[sS]m?M?D(?:$|[,;.&])`, "cof", ""},
	{"look", `Nx?[Ss]b`, "co", ""},
	{"sweep", `(N[^,;.CHh]{0,1}["]?(?:[zZA]["xi]{0,2})Q(?:$|[,;.]))`, "kceT", ""},
	{"sweep", `K[ti]?N?x?L(?:$|[,;.])`, "co", ""},
	{"sweep", `N[^,;.C]{0,6}D[^,;.]{0,3}[PBQXJoO]|[eE][^,;.]{0,5}N[^,;.]{0,4}D`, "o", ""},
	{"settled", `^[ix]{0,3}F(P)(?:$|[,;.])`, "coT", ""},
	{"one word", `(V[zZArbixK]{0,3}"?:?[PQBX]"?)`, "cof", ""},
	// An order not to look, or not to report.
	{"skip", begin + adverb + `(D[tgidF]*[Ss][^C]*(?:$|[,;.&v]))`, "cof", ""},
	{"skip", begin + adverb + `(D[tg][tgidF]*K(?:$|[,;.&v]))`, "cof", ""},
	{"look", `(W[tgi]{0,2}[Ss](?:[tgd]*[KO]|[xtgdi]{0,2}$|[xi]{0,1}[,;.F&]))`, "cofn", ""},
	{"look", `NS[^.;]*[,;]R?[^,;.]{0,2}bp`, "co", ""},
	{"hush", `(N[M]?[hAz][tgo"]{0,2}[EQ](?:$|[,;.&]|v[tgi]*K))`, "con", ""},
	{"hush", `((?:NM?|W)h(?:$|[,;.&]))`, "con", ""},
}

var grammar = sync.OnceValue(func() []rule {
	all := make([]rule, 0, len(table))
	for _, row := range table {
		r := rule{name: row[0], pattern: regexp.MustCompile(row[1]), excuses: row[2]}
		if parsed, err := syntax.Parse(row[1], syntax.Perl); err == nil {
			r.tags = requiredTags(parsed, nil)
		}
		if row[3] != "" {
			r.tags = append(r.tags, setOf(row[3]))
		}
		all = append(all, r)
	}
	return all
})

// forcingRule returns the name of the first rule by which a sentence with the tags
// t forces a verdict, "" if there is none.
func forcingRule(t string) string {
	has := setOf(t)
	for i := range grammar() {
		r := &grammar()[i]
		if !has.eachOf(r.tags) {
			continue
		}
		for _, at := range r.pattern.FindAllStringSubmatchIndex(t, 4) {
			verb := at[0]
			if len(at) > 2 {
				verb = at[2]
			}
			if !r.excused(t, verb, at[1]) {
				return r.name
			}
		}
	}
	return ""
}

// set is a set of tags: a bit for each ASCII character.
type set [2]uint64

func setOf(tags string) set {
	var s set
	for i := range len(tags) {
		s[tags[i]>>6&1] |= 1 << (tags[i] & 63)
	}
	return s
}

// eachOf reports whether s has a tag of each of the others.
func (s set) eachOf(others []set) bool {
	for _, o := range others {
		if s[0]&o[0]|s[1]&o[1] == 0 {
			return false
		}
	}
	return true
}

// requiredTags appends sets of tags such that every match of p has a tag of each
// set. Comparing sets costs less than matching, and rules out most sentences.
func requiredTags(p *syntax.Regexp, all []set) []set {
	switch p.Op {
	case syntax.OpLiteral:
		for _, r := range p.Rune {
			all = append(all, setOf(string(r)))
		}
	case syntax.OpCharClass:
		var s set
		for i := 0; i < len(p.Rune); i += 2 {
			for r := p.Rune[i]; r <= min(p.Rune[i+1], 127); r++ {
				s[r>>6&1] |= 1 << (r & 63)
			}
		}
		all = append(all, s)
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range p.Sub {
			all = requiredTags(sub, all)
		}
	}
	return all
}
