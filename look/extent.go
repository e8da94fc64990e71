package look

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Extent is how many of some verdicts to look at: a number, a share, or all. The zero Extent is none. A command line
// accepts it as a flag.
type Extent struct {
	n     int
	share float64 // above 0 to 1; 0: n counts
}

// ParseExtent parses a number such as 20, a share such as 30%, or all.
func ParseExtent(s string) (Extent, error) {
	wrong := fmt.Errorf("%q is no number such as 20, no share such as 30%%, and not all", s)
	if s == "all" {
		return Extent{share: 1}, nil
	}
	if share, is := strings.CutSuffix(s, "%"); is {
		x, err := strconv.ParseFloat(share, 64)
		if err != nil || !(x > 0 && x <= 100) {
			return Extent{}, wrong
		}
		return Extent{share: x / 100}, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return Extent{}, wrong
	}
	return Extent{n: n}, nil
}

// Of returns how many of n verdicts to look at, at most n. It rounds a share up.
func (x Extent) Of(n int) int {
	if x.share > 0 {
		return min(n, int(math.Ceil(x.share*float64(n)-1e-9)))
	}
	return min(n, x.n)
}

// String returns x in the form that ParseExtent parses.
func (x Extent) String() string {
	switch x.share {
	case 0:
		return strconv.Itoa(x.n)
	case 1:
		return "all"
	}
	return strconv.FormatFloat(100*x.share, 'g', -1, 64) + "%"
}

// Set sets x to what ParseExtent returns for s.
func (x *Extent) Set(s string) (err error) {
	*x, err = ParseExtent(s)
	return err
}

// Type returns "extent", the kind of such a flag.
func (*Extent) Type() string { return "extent" }

// MarshalText returns x as String does.
func (x Extent) MarshalText() ([]byte, error) { return []byte(x.String()), nil }

// UnmarshalText sets x to what ParseExtent returns for b.
func (x *Extent) UnmarshalText(b []byte) error { return x.Set(string(b)) }

// IsZero reports whether x is none.
func (x Extent) IsZero() bool { return x == Extent{} }
