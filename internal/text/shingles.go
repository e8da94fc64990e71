package text

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// Shingles returns the hashes of the n-grams of s, sorted, each once. n is in runes; a value below 1 is taken as 1.
//
// The text is normalised first: NFKC, lower case, each run of characters other than letters, digits and marks becomes
// one space, and both ends are trimmed. A text shorter than n gives one hash, a text without letters or digits none.
// The hash is FNV-1a with 64 bits of the n-gram's UTF-8. It never changes, so it may be stored.
func Shingles(s string, n int) []uint64 {
	b := fold(s)
	if len(b) == 0 {
		return nil
	}
	n = max(n, 1)
	out := make([]uint64, 0, len(b))
	end, runes := 0, 0
	for end < len(b) && runes < n { // b[:end] becomes the first n-gram
		_, size := utf8.DecodeRune(b[end:])
		end += size
		runes++
	}
	for start := 0; ; { // then the window moves on by one rune
		out = append(out, hash(b[start:end]))
		if end == len(b) {
			break
		}
		_, size := utf8.DecodeRune(b[start:])
		start += size
		_, size = utf8.DecodeRune(b[end:])
		end += size
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// fold returns the normalised text that shingles are cut from.
func fold(s string) []byte {
	s = Normal(s, MaxRunes)
	b := make([]byte, 0, len(s))
	gap := false
	for _, r := range s {
		switch {
		case r >= 0x80 && invisible(r):
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if gap && len(b) > 0 {
				b = append(b, ' ')
			}
			gap = false
			b = utf8.AppendRune(b, unicode.ToLower(r))
		default:
			gap = true
		}
	}
	return b
}

func hash(b []byte) uint64 {
	h := uint64(fnvOffset)
	for _, c := range b {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return h
}

// Jaccard returns |a ∩ b| / |a ∪ b| of two sets as [Shingles] returns them: sorted, each hash once. The result is in
// 0..1, and 0 if either set is empty.
func Jaccard(a, b []uint64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			both++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
