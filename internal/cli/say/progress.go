package say

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// ProgressBar draws a progress bar on standard error, if that is a terminal and the job has taken a second. Otherwise
// it draws nothing.
type ProgressBar struct {
	w     io.Writer // nil draws nothing
	label string
	count func(n int64) string // formats a number
	begun time.Time
	drawn time.Time
}

const (
	patience = time.Second
	// Redraw is the least time between two drawings of a ProgressBar.
	Redraw   = 100 * time.Millisecond
	barCells = 24
)

// newProgress returns a bar on w for a job that begins now. A nil w draws nothing. count formats a number.
func newProgress(w io.Writer, label string, count func(int64) string) *ProgressBar {
	return &ProgressBar{w: w, label: label, count: count, begun: time.Now()}
}

// Step draws that done of total is finished. A total of 0 is unknown. It draws at most every Redraw.
func (p *ProgressBar) Step(done, total int64) {
	if p.w == nil {
		return
	}
	now := time.Now()
	if now.Sub(p.begun) < patience || now.Sub(p.drawn) < Redraw {
		return
	}
	p.drawn = now
	line := p.label + " " + p.count(done)
	if total > 0 {
		done = min(done, total)
		full := int(done * barCells / total)
		line = fmt.Sprintf("%s [%s%s] %3d%%  %s / %s", p.label,
			strings.Repeat("#", full), strings.Repeat(".", barCells-full), done*100/total, p.count(done), p.count(total))
	}
	// The job goes on even if the terminal went away.
	_, _ = io.WriteString(p.w, "\r\x1b[K"+line)
}

// End removes the bar from the terminal.
func (p *ProgressBar) End() {
	if p.w != nil && !p.drawn.IsZero() {
		_, _ = io.WriteString(p.w, "\r\x1b[K")
		p.drawn = time.Time{}
	}
}

// Count returns n as text, for a ProgressBar of things.
func Count(n int64) string { return fmt.Sprint(n) }

// Bytes returns a size in bytes as text, such as 1.2 MB, for a ProgressBar.
func Bytes(n int64) string {
	const k = 1024
	switch {
	case n < k:
		return fmt.Sprintf("%d B", n)
	case n < k*k:
		return fmt.Sprintf("%.1f kB", float64(n)/k)
	case n < k*k*k:
		return fmt.Sprintf("%.1f MB", float64(n)/(k*k))
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(k*k*k))
}
