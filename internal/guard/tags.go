package guard

import (
	"cmp"
	_ "embed" // lexicon.flat
	"iter"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/flat"
	"github.com/memtree/memtree/internal/text"
)

// A tag is one letter for the role of a word in a sentence. lexicon.txt lists the tags, and the words and phrases of
// each. The longest phrase that begins at a word decides its tag; all other words have the tag other.
const other = 'x'

// lexicon maps a phrase to its tag. A phrase is in lower case, with one space between two words and none between
// Chinese characters. It is read where it is stored.
type lexicon struct {
	phrases flat.Names
	tags    string     // of each phrase
	firsts  flat.Names // the first units of phrases
	most    flat.Ints  // for each of firsts, how many units its longest phrase has
}

// builtinLexicon is lexicon.txt. "go generate ./internal/guard" writes it.
//
//go:generate go test . -run ^TestLexicon$ -update
//go:embed lexicon.flat
var builtinLexicon string

var words = sync.OnceValue(func() *lexicon {
	d := flat.Open(builtinLexicon)
	return &lexicon{d.Names(), d.Text(), d.Names(), d.Ints()}
})

// tag returns the tag of a phrase.
func (l *lexicon) tag(phrase string) (byte, bool) {
	i, ok := l.phrases.Find(phrase)
	if !ok {
		return 0, false
	}
	return l.tags[i], true
}

// units returns how many units the longest phrase that begins with a unit has, 0 if none does.
func (l *lexicon) units(first string) int {
	if i, ok := l.firsts.Find(first); ok {
		return l.most.At(i)
	}
	return 0
}

// units are the words, Chinese characters and marks of a text, joined as phrases
// of the lexicon are.
type units struct {
	joined     string
	begin, end []int  // of each unit, in joined
	mark       []byte // of each unit, 0 for a word
}

// unitsOf splits s, which is in lower case. Characters that are neither words nor sentence marks are dropped.
func unitsOf(s string) units {
	var u units
	var b strings.Builder
	add := func(r rune, mark byte) {
		u.begin = append(u.begin, b.Len())
		b.WriteRune(r)
		u.end, u.mark = append(u.end, b.Len()), append(u.mark, mark)
	}
	inWord, afterWord := false, false
	for i, r := range s {
		if r == '’' {
			r = '\''
		}
		switch {
		case unicode.Is(unicode.Han, r):
			inWord, afterWord = false, false
			add(r, 0)
		case inWord && (wordRune(r) || r == '\'' && letterFollows(s[i:])):
			b.WriteRune(r)
			u.end[len(u.end)-1] = b.Len()
		case wordRune(r):
			if afterWord {
				b.WriteByte(' ')
			}
			inWord, afterWord = true, true
			add(r, 0)
		default:
			inWord = false
			if m := markOf(r); m != 0 {
				afterWord = false
				add(rune(m), m)
			}
		}
	}
	u.joined = b.String()
	return u
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// letterFollows reports whether the second character of s is a letter but not a
// Chinese one. An apostrophe before such a letter is part of a word.
func letterFollows(s string) bool {
	_, n := utf8.DecodeRuneInString(s)
	r, _ := utf8.DecodeRuneInString(s[n:])
	return unicode.IsLetter(r) && !unicode.Is(unicode.Han, r)
}

// markOf returns the tag of a sentence mark, 0 for any other character.
func markOf(r rune) byte {
	switch r {
	case ',', '，', '、', '(', ')', '（', '）', '—', '–', '|', '/':
		return ','
	case ';', '；', '\n':
		return ';'
	case ':', '：', '=', '→':
		return ':'
	case '.', '。', '!', '?', '！', '？', '…':
		return '.'
	case '"', '“', '”', '「', '」', '『', '』', '《', '》':
		return '"'
	}
	return 0
}

// tagsOf returns the tags of a sentence, one for each word, phrase or mark. Two Chinese characters that the lexicon
// does not have are tagged as one word. It takes time linear in the length of s.
func tagsOf(s string) string {
	out := make([]byte, 0, len(s)/2)
	han := 0 // unknown Chinese characters in a row
	for tag, word := range phrases(s) {
		if tag != 0 || word[0] < 0xe0 {
			han = 0
		}
		if han%2 == 0 {
			out = append(out, cmp.Or(tag, other))
		}
		if tag == 0 && word[0] >= 0xe0 {
			han++
		}
	}
	return string(out)
}

// phrases yields the phrases and marks of a text in order, each with its tag. A word or Chinese character that the
// lexicon does not have is yielded by itself with 0. When several phrases begin at one place, it yields the longest.
func phrases(s string) iter.Seq2[byte, string] {
	u := unitsOf(strings.ToLower(text.Normal(s, len(s))))
	l := words()
	return func(yield func(byte, string) bool) {
		for i, n := 0, 0; i < len(u.end); i += n {
			tag := u.mark[i]
			n = 1
			if tag == 0 {
				tag, n = l.longest(&u, i)
			}
			n = max(n, 1)
			if !yield(tag, u.joined[u.begin[i]:u.end[i+n-1]]) {
				return
			}
		}
	}
}

// longest returns the tag of the longest phrase that begins at unit i, and its length in units; n is 0 if there is
// none. It returns the phrase that is one unit shorter when another phrase begins with the last unit, see goesOn.
func (l *lexicon) longest(u *units, i int) (tag byte, n int) {
	most := l.units(u.joined[u.begin[i]:u.end[i]])
	for n = min(most, len(u.end)-i); n > 0; n-- {
		tag, ok := l.tag(u.joined[u.begin[i]:u.end[i+n-1]])
		if !ok {
			continue
		}
		if shorter, ok := l.tag(u.joined[u.begin[i]:u.end[max(i, i+n-2)]]); ok && n > 1 && l.goesOn(u, i+n-1) {
			return shorter, n - 1
		}
		return tag, n
	}
	return 0, 0
}

// goesOn reports whether a phrase of two Chinese characters begins at unit i. So
// 写成功 is read as 写 and 成功, not as 写成 and 功.
func (l *lexicon) goesOn(u *units, i int) bool {
	if i+1 >= len(u.end) || u.joined[u.begin[i]] < 0xe0 {
		return false
	}
	_, ok := l.tag(u.joined[u.begin[i]:u.end[i+1]])
	return ok
}
