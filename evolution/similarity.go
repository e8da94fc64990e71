package evolution

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// Weights of likeness.
const (
	causeWeight  = 0.7
	promptWeight = 0.2
	sceneWeight  = 0.1
)

// point is a case as grouping sees it.
type point struct {
	id        string
	partition Partition
	test      string // what tells distinct tests apart
	scene     string // its type
	cause     features
	prompt    features
}

// features are the words and the meaning of a text, both of length 1.
type features struct {
	terms  []term    // sorted by word
	dense  []float32 // nil: none
	common float64   // what dense has along the centre of all texts, see centre
	rest   float64   // the length of dense without the centre
}

type term struct {
	word   uint32
	weight float32
}

// space is what all points share: how much a word tells, and how alike two
// texts are that have nothing to do with each other.
type space struct {
	causeWords, causeMeaning   scale
	promptWords, promptMeaning scale
}

// scale turns a cosine into likeness: 0 at the median of unrelated pairs, 1
// where only one of 200 of them comes.
type scale struct{ low, high float64 }

func (s scale) at(cos float64) float64 {
	return min(1, max(0, (cos-s.low)/(s.high-s.low)))
}

// The scales of words in any language, and of vectors without their centre: what
// 99.5 of 100 pairs of real wrong verdicts of different types stay below. Measured
// scales may only be stricter, so that a tree of few topics does not lump them.
var (
	plainWords   = scale{0, 0.40}
	plainMeaning = scale{0, 0.70}
)

const (
	pairsMeasured = 20_000
	casesNeeded   = 200 // fewer make too few different pairs
	pairsNeeded   = 10_000
	maxPrompt     = 600 // characters of a prompt that are compared
	embedBatch    = 64
)

// like returns how alike two cases are, 0 to 1.
func (s *space) like(a, b *point) float64 {
	v := causeWeight*fuse(&a.cause, &b.cause, s.causeWords, s.causeMeaning) +
		promptWeight*fuse(&a.prompt, &b.prompt, s.promptWords, s.promptMeaning)
	if a.scene != "" && a.scene == b.scene {
		v += sceneWeight
	}
	return v
}

func fuse(a, b *features, words, meaning scale) float64 {
	w := words.at(dotTerms(a.terms, b.terms))
	if a.dense == nil || b.dense == nil {
		return w
	}
	return (w + meaning.at(a.cosine(b))) / 2
}

// cosine is that of two vectors without their centre.
func (f *features) cosine(g *features) float64 {
	if f.rest == 0 || g.rest == 0 {
		return 0
	}
	return (dot(f.dense, g.dense) - f.common - g.common) / (f.rest * g.rest)
}

// fewTexts is how many texts weigh as much as knowing nothing of the centre.
const fewTexts = 20

// centre takes what all texts have in common out of the cosines of their vectors:
// which product, trade and language they are of says nothing of a cause (Mu and
// Viswanath, 2018). The centre of few texts is mostly one cause, so it is drawn
// towards nothing. A text that stands there twice counts once. Vectors may be
// shared, so they stay as they are: (a−c)·(b−c) is a·b less what each has along c.
func centre(texts []string, of func(i int) *features) {
	var sum []float64
	distinct := map[string]bool{}
	for i, s := range texts {
		f := of(i)
		if f.dense == nil || distinct[s] {
			continue
		}
		distinct[s] = true
		if sum == nil {
			sum = make([]float64, len(f.dense))
		}
		for j, x := range f.dense[:min(len(f.dense), len(sum))] {
			sum[j] += float64(x)
		}
	}
	c := make([]float32, len(sum))
	for j, x := range sum {
		c[j] = float32(x / float64(len(distinct)+fewTexts))
	}
	square := dot(c, c)
	for i := range texts {
		if f := of(i); f.dense != nil {
			along := dot(f.dense, c)
			f.common = along - square/2
			f.rest = math.Sqrt(max(0, dot(f.dense, f.dense)-2*along+square))
		}
	}
}

func dotTerms(a, b []term) float64 {
	sum := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].word == b[j].word:
			sum += float64(a[i].weight) * float64(b[j].weight)
			i++
			j++
		case a[i].word < b[j].word:
			i++
		default:
			j++
		}
	}
	return sum
}

func dot(a, b []float32) float64 {
	var s0, s1, s2, s3 float32
	n := min(len(a), len(b))
	for i := 0; i+3 < n; i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	return float64(s0+s1) + float64(s2+s3)
}

// newSpace makes the points of cases, sorted by id, and the space they lie in.
func newSpace(ctx context.Context, b boiler, e llm.Embedder, cases []*tree.Node) (*space, []*point, error) {
	cases = slices.Clone(cases)
	slices.SortFunc(cases, func(a, b *tree.Node) int { return cmp.Compare(a.ID, b.ID) })
	points := make([]*point, len(cases))
	causes, asked := make([]string, len(cases)), make([]string, len(cases))
	for i, n := range cases {
		points[i] = &point{id: n.ID, partition: partitionOf(n), test: testOf(n), scene: n.Scene.Type}
		causes[i], asked[i] = b.cause(n), text.Clip(n.CaseData.TestCase.Prompt, maxPrompt)
	}
	weigh(causes, func(i int, t []term) { points[i].cause.terms = t })
	weigh(asked, func(i int, t []term) { points[i].prompt.terms = t })
	if e != nil {
		if err := embedAll(ctx, e, causes, func(i int, v []float32) { points[i].cause.dense = v }); err != nil {
			return nil, nil, err
		}
		centre(causes, func(i int) *features { return &points[i].cause })
		if err := embedAll(ctx, e, asked, func(i int, v []float32) { points[i].prompt.dense = v }); err != nil {
			return nil, nil, err
		}
		centre(asked, func(i int) *features { return &points[i].prompt })
	}
	s := &space{}
	s.calibrate(points)
	return s, points, nil
}

// testOf tells distinct tests apart: by their id, or where they have none by
// their prompt.
func testOf(n *tree.Node) string {
	if id := n.CaseData.TestCase.CaseID; id != "" {
		return id
	}
	return tree.Hash(n.CaseData.TestCase.Prompt)
}

// weigh gives every text its words with weights: (1 + ln tf)·idf, length 1.
// A text that stands there twice counts once for idf: a mistake that is often
// repeated does not make its words common.
func weigh(texts []string, put func(int, []term)) {
	words := map[string]uint32{}
	var df []float64
	all := make([][]term, len(texts))
	distinct := map[string]bool{}
	for i, s := range texts {
		first := !distinct[s]
		distinct[s] = true
		count := map[uint32]float32{}
		for _, w := range text.Tokens(s) {
			id, ok := words[w]
			if !ok {
				id = uint32(len(words)) //nolint:gosec // bounded by the tokens of all cases
				words[w] = id
				df = append(df, 0)
			}
			count[id]++
		}
		for w, n := range count {
			all[i] = append(all[i], term{w, n})
			if first {
				df[w]++
			}
		}
	}
	n := float64(len(distinct))
	for i, terms := range all {
		slices.SortFunc(terms, func(a, b term) int { return cmp.Compare(a.word, b.word) })
		square := 0.0
		for j := range terms {
			w := (1 + math.Log(float64(terms[j].weight))) * math.Log((n+1)/(df[terms[j].word]+0.5))
			terms[j].weight = float32(w)
			square += w * w
		}
		if square > 0 {
			length := float32(math.Sqrt(square))
			for j := range terms {
				terms[j].weight /= length
			}
		}
		put(i, terms)
	}
}

func embedAll(ctx context.Context, e llm.Embedder, texts []string, put func(int, []float32)) error {
	for from := 0; from < len(texts); from += embedBatch {
		to := min(from+embedBatch, len(texts))
		vs, err := e.Embed(ctx, texts[from:to])
		if err == nil && len(vs) != to-from {
			err = fmt.Errorf("%d vectors came for %d texts", len(vs), to-from)
		}
		if err != nil {
			return fmt.Errorf("embed causes with %s: %w", e.ID(), err)
		}
		for i, v := range vs {
			if slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) {
				put(from+i, v)
			}
		}
	}
	return nil
}

// calibrate measures the scales on pairs of cases of different partitions, which
// have different causes whatever they are about. The pairs are drawn by a fixed
// seed from points sorted by id, so that the same cases have the same scales.
func (s *space) calibrate(points []*point) {
	s.causeWords, s.promptWords = plainWords, plainWords
	s.causeMeaning, s.promptMeaning = plainMeaning, plainMeaning
	if len(points) < casesNeeded {
		return
	}
	r := rand.New(rand.NewPCG(4, uint64(len(points)))) //nolint:gosec // measured, not guessed at
	var cw, cm, pw, pm []float64
	for range 4 * pairsMeasured {
		a, b := points[r.IntN(len(points))], points[r.IntN(len(points))]
		if a.partition == b.partition || a.test == b.test {
			continue
		}
		cw, pw = append(cw, dotTerms(a.cause.terms, b.cause.terms)), append(pw, dotTerms(a.prompt.terms, b.prompt.terms))
		if a.cause.dense != nil && b.cause.dense != nil {
			cm = append(cm, a.cause.cosine(&b.cause))
		}
		if a.prompt.dense != nil && b.prompt.dense != nil {
			pm = append(pm, a.prompt.cosine(&b.prompt))
		}
		if len(cw) == pairsMeasured {
			break
		}
	}
	s.causeWords, s.promptWords = measure(cw, plainWords), measure(pw, plainWords)
	s.causeMeaning, s.promptMeaning = measure(cm, plainMeaning), measure(pm, plainMeaning)
}

func measure(cos []float64, plain scale) scale {
	if len(cos) < pairsNeeded {
		return plain
	}
	slices.Sort(cos)
	at := func(q float64) float64 { return cos[int(q*float64(len(cos)-1))] }
	low := min(max(at(0.50), plain.low), 0.8)
	return scale{low: low, high: min(0.95, max(at(0.995), plain.high, low+0.1))}
}
