package text

import (
	"bytes"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Tokens returns the search tokens of s in order, with repeats.
//
// The text is normalised (NFKC, ’ becomes ', invisible characters are skipped) and lower-cased. English stop words are
// omitted, other words are stemmed (see stem), and "isn't" gives "not". An identifier gives its parts: waitForSelector
// → wait, selector. Adding the whole identifier would weigh it twice; that was tried and cost a point of MRR on bug
// reports. Digits stay with their letters (sha256, v2), and numbers are tokens. A run of Han or kana gives every
// character and every bigram: 登录页 → 登 登录 录 录页 页.
//
// Tokens repeat because a query's terms should be weighted by their frequency. With long bug reports as queries, the
// stop list and stemming gain BM25 nothing without these weights, and 7 points of MRR with them.
//
// The strings share one backing array that is as long as the text. Clone the strings that you store.
func Tokens(s string) []string {
	c := newCollector()
	scan(s, c.identifier, c.singlesAndBigrams)
	return c.strings()
}

// Words returns the lower-case words of s in order, with repeats, in readable form. No word is stemmed or left out,
// and contractions stay whole. An identifier gives its parts, a run of Han or kana gives its bigrams (or its only
// character). The strings share one backing array.
func Words(s string) []string {
	c := newCollector()
	scan(s, func(run []rune) {
		pieces(run, func(part []rune) { c.add(c.lower(part)) })
	}, c.bigrams)
	return c.strings()
}

// collector gathers tokens as spans of one buffer, so that a text costs a handful of allocations.
type collector struct {
	buf   []byte
	spans []span
}

type span struct{ from, to int }

// collectors pools buffers, because every query reads its prompt several times.
var collectors sync.Pool

func newCollector() *collector {
	if c, ok := collectors.Get().(*collector); ok {
		return c
	}
	return &collector{buf: make([]byte, 0, 1<<10), spans: make([]span, 0, 1<<8)}
}

// add makes a token of the bytes of the buffer from an offset on. It adds no empty token.
func (c *collector) add(from int) {
	if len(c.buf) > from {
		c.spans = append(c.spans, span{from, len(c.buf)})
	}
}

// lower appends run to the buffer in lower case and returns where it begins there.
func (c *collector) lower(run []rune) (from int) {
	from = len(c.buf)
	for _, r := range run {
		if r < utf8.RuneSelf {
			if r >= 'A' && r <= 'Z' {
				r += 'a' - 'A'
			}
			c.buf = append(c.buf, byte(r))
			continue
		}
		c.buf = utf8.AppendRune(c.buf, unicode.ToLower(r))
	}
	return from
}

// strings returns the tokens and returns the collector to the pool.
func (c *collector) strings() []string {
	defer func() {
		c.buf, c.spans = c.buf[:0], c.spans[:0]
		collectors.Put(c)
	}()
	if len(c.spans) == 0 {
		return nil
	}
	all := string(c.buf)
	out := make([]string, len(c.spans))
	for i, sp := range c.spans {
		out[i] = all[sp.from:sp.to]
	}
	return out
}

func (c *collector) identifier(run []rune) {
	pieces(run, func(part []rune) { c.word(c.lower(part)) })
}

// word splits the word from an offset to the end of the buffer at its apostrophes and adds the parts that carry
// meaning.
func (c *collector) word(from int) {
	w := c.buf[from:]
	cut := bytes.IndexByte(w, '\'')
	switch {
	case cut < 0:
		c.stemmed(from)
	case bytes.HasSuffix(w, []byte("n't")):
		c.buf = c.buf[:len(c.buf)-3]
		c.stemmed(from)
		from = len(c.buf)
		c.buf = append(c.buf, "not"...)
		c.add(from)
	default: // user's → user; o'clock → o, clock
		rest := bytes.Clone(w[cut+1:])
		c.buf = c.buf[:from+cut]
		c.stemmed(from)
		if len(rest) > 2 {
			from = len(c.buf)
			c.buf = append(c.buf, rest...)
			c.word(from)
		}
	}
}

// stemmed adds the stem of the word that begins at from. It drops a stop word.
func (c *collector) stemmed(from int) {
	w := c.buf[from:]
	if isStopWord(w) {
		c.buf = c.buf[:from]
		return
	}
	if lettersOnly(w) {
		c.buf = append(c.buf[:from], stem(w)...)
	}
	c.add(from)
}

// lettersOnly reports whether w is all lower-case ASCII letters, the only words that the stemmer reads.
func lettersOnly(w []byte) bool {
	for _, b := range w {
		if b < 'a' || b > 'z' {
			return false
		}
	}
	return true
}

func (c *collector) singlesAndBigrams(run []rune) {
	from := c.lower(run)
	for i := range run {
		size := utf8.RuneLen(run[i])
		c.spans = append(c.spans, span{from, from + size})
		if i+1 < len(run) {
			c.spans = append(c.spans, span{from, from + size + utf8.RuneLen(run[i+1])})
		}
		from += size
	}
}

func (c *collector) bigrams(run []rune) {
	from := c.lower(run)
	if len(run) == 1 {
		c.add(from)
		return
	}
	for i := range run[1:] {
		size := utf8.RuneLen(run[i])
		c.spans = append(c.spans, span{from, from + size + utf8.RuneLen(run[i+1])})
		from += size
	}
}

// Terms returns the tokens of s (see Tokens), each once, in order. It omits single Chinese characters and kana, because
// too many texts have them.
func Terms(s string) (out []string) {
	seen := map[string]bool{}
	for _, t := range Tokens(s) {
		if (len(t) > 3 || t[0] < 0xe0) && !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}
