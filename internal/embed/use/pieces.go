package use

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"
)

const space = "▁" // what SentencePiece writes for a space

// normalize appends the text to out as SentencePiece's rule nmt_nfkc has it: characters replaced, runs of spaces as
// one, none at the ends, a space at the beginning. Bytes that are not UTF-8 become U+FFFD.
func (e *Encoder) normalize(out []byte, s string) []byte {
	spaced := true
	for runes := 0; len(s) > 0 && runes < maxRunes; runes++ {
		with, n, ok := e.replacement(s)
		if !ok {
			var r rune
			r, n = utf8.DecodeRuneInString(s)
			with = utf8.AppendRune(with, r)
		}
		s = s[n:]
		for _, c := range with {
			if c == ' ' {
				spaced = true
				continue
			}
			if spaced {
				out = append(out, space...)
			}
			out, spaced = append(out, c), false
		}
	}
	return out
}

// replacement returns what the first n bytes of a text are replaced by. ok is false if nothing replaces its beginning.
func (e *Encoder) replacement(s string) (with []byte, n int, ok bool) {
	w := walkOf(e.units)
	for i := range len(s) {
		at, leaf, on := w.step(s[i])
		if !on {
			break
		}
		if leaf && int(at) < len(e.replaced) {
			with, n, ok = e.replaced[at:], i+1, true
		}
	}
	if end := bytes.IndexByte(with, 0); end >= 0 {
		with = with[:end:end]
	}
	return with, n, ok
}

// bestPath is the best way to a position of a text: its score, its last piece and where that begins.
type bestPath struct {
	score float64
	from  int32
	piece int32
}

// pieces cuts a text into pieces, those with the highest sum of scores: Viterbi's algorithm over the unigram model of
// T. Kudo, "Subword Regularization", ACL 2018. A character that no piece begins with is one unknown piece. Between
// equals the piece that begins first wins. ok is false unless more than half of the characters are in known pieces.
func (e *Encoder) pieces(w *work, s string) (out []int32, ok bool) {
	w.text = e.normalize(w.text[:0], s)
	n := len(w.text)
	w.steps = slices.Grow(w.steps[:0], n+1)[:n+1]
	for i := range w.steps {
		w.steps[i] = bestPath{math.Inf(-1), int32(i - 1), e.control[0]} //nolint:gosec // at most 4000 characters
	}
	w.steps[0] = bestPath{}
	for i := 0; i < n; {
		_, size := utf8.DecodeRune(w.text[i:])
		e.stepFrom(w, i, size)
		i += size
	}
	out = w.ids[:0]
	known, unknown := 0, 0
	for at := n; at > 0; at = int(w.steps[at].from) {
		piece := w.steps[at].piece
		if out = append(out, piece); piece == e.control[0] {
			unknown++
		} else {
			known += utf8.RuneCount(bytes.TrimPrefix(w.text[w.steps[at].from:at], []byte(space)))
		}
	}
	slices.Reverse(out)
	w.ids = out
	return out[:min(len(out), maxPieces)], known > unknown
}

// stepFrom extends the best way to position i by every piece that begins there. The character at i has size bytes.
func (e *Encoder) stepFrom(w *work, i, size int) {
	base := w.steps[i].score
	single := false
	walk := walkOf(e.nodes)
	for j := i; j < len(w.text); j++ {
		row, leaf, ok := walk.step(w.text[j])
		if !ok {
			break
		}
		if !leaf || int(row) >= e.ends[mostBits] {
			continue
		}
		single = single || j+1 == i+size
		if score := base + e.score(int32(row)); score > w.steps[j+1].score { //nolint:gosec // at most mostCount
			w.steps[j+1] = bestPath{score, int32(i), int32(row)} //nolint:gosec // at most 4000 characters, mostCount rows
		}
	}
	if score := base + e.unknown; !single && score > w.steps[i+size].score {
		w.steps[i+size] = bestPath{score, int32(i), e.control[0]} //nolint:gosec // as above
	}
}
