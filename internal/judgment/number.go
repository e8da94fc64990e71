package judgment

import (
	"encoding/json"
	"strconv"
	"strings"
)

// maxNumber is the maximum length in bytes of a text that is read as a number.
const maxNumber = 64

// sameNumber reports whether a and b are JSON numbers of equal value, such as 3, 3.0 and 3e0. It compares decimals and
// not floats, so two ids of eighteen digits that differ in the last one are different.
func sameNumber(a, b string) bool {
	x, okX := decimalOf(a)
	y, okY := decimalOf(b)
	return a == b || okX && okY && x == y
}

// sameAmount is sameNumber for two texts: it reads no exponent, because 1e3 in a text is more often a name than 1000.
func sameAmount(a, b string) bool { return !strings.ContainsAny(a+b, "eE") && sameNumber(a, b) }

// decimal is a number: ±.digits × 10^exponent, without zeros at either end of digits. Zero is the zero value.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// decimalOf reads a JSON number of at most maxNumber bytes. ok is false if s is none.
func decimalOf(s string) (d decimal, ok bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > maxNumber || (s[0] != '-' && (s[0] < '0' || s[0] > '9')) || !json.Valid([]byte(s)) {
		return d, false
	}
	number, negative := strings.CutPrefix(s, "-")
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		n, err := strconv.ParseInt(number[i+1:], 10, 32)
		if err != nil {
			return d, false // an exponent of more than nine digits is no answer to anything
		}
		d.exponent, number = int(n), number[:i]
	}
	whole, fraction, _ := strings.Cut(number, ".")
	d.exponent += len(whole)
	digits := strings.TrimLeft(whole+fraction, "0")
	d.exponent -= len(whole) + len(fraction) - len(digits)
	if d.digits = strings.TrimRight(digits, "0"); d.digits == "" {
		return decimal{}, true
	}
	d.negative = negative
	return d, true
}
