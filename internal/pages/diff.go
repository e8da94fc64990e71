package pages

import (
	"slices"
	"strings"
)

// diffLine is a line of two texts: Sign is "-" where only the first has it, "+" where only the second, else "".
type diffLine struct{ Sign, Text string }

// Old reports whether only the first text has the line.
func (l diffLine) Old() bool { return l.Sign == "-" }

// New reports whether only the second text has the line.
func (l diffLine) New() bool { return l.Sign == "+" }

// diffMost is the maximum number of lines of a text that are compared.
const diffMost = 200

// diff compares two texts line by line, by a longest common subsequence of lines.
func diff(before, after string) (out []diffLine) {
	a, b := linesOf(before), linesOf(after)
	common := make([][]int, len(a)+1) // of a from i on and b from k on
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i, x := range slices.Backward(a) {
		for k, y := range slices.Backward(b) {
			if common[i][k] = max(common[i+1][k], common[i][k+1]); x == y {
				common[i][k] = common[i+1][k+1] + 1
			}
		}
	}
	i, k := 0, 0
	for i < len(a) || k < len(b) {
		switch {
		case i < len(a) && k < len(b) && a[i] == b[k]:
			out = append(out, diffLine{"", a[i]})
			i, k = i+1, k+1
		case k == len(b) || i < len(a) && common[i+1][k] >= common[i][k+1]:
			out = append(out, diffLine{"-", a[i]})
			i++
		default:
			out = append(out, diffLine{"+", b[k]})
			k++
		}
	}
	return out
}

// linesOf returns the lines of a text that are not blank, without the fence around guidance.
func linesOf(s string) (out []string) {
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		if t := strings.TrimSpace(line); t != "" && !strings.HasPrefix(t, "<") && len(out) < diffMost {
			out = append(out, line)
		}
	}
	return out
}
