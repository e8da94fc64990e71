package text

import "unicode"

// Estimate estimates the number of model tokens of s: one for every four characters, and two for every three Chinese
// characters. It is the same for every model. Costs are estimated by package meter instead.
func Estimate(s string) int { return (Twelfths(s) + 11) / 12 }

// Twelfths returns twelve times the estimate of Estimate before it is rounded, so that the estimates of parts can be
// added.
func Twelfths(s string) int {
	sum := 0
	for _, r := range s {
		if r >= 0x2e80 && (unicode.Is(unicode.Han, r) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef) {
			sum += 8
		} else {
			sum += 3
		}
	}
	return sum
}
