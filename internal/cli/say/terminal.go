package say

import (
	"io"
	"os"
	"runtime"

	"golang.org/x/term"
)

// Terminal describes what the terminal of a command can show.
type Terminal struct {
	Width  int  // cells in a line of standard output
	Colour bool // standard output can show colours
	Live   bool // standard error is a terminal: progress may be drawn on it
}

// FullWidth is the width, in terminal cells, for which output is made. On a narrower terminal, tables are cut.
const FullWidth = 80

// TerminalOf returns the Terminal for the two streams. It reads the environment variables NO_COLOR, TERM and
// WT_SESSION.
func TerminalOf(stdout, stderr io.Writer, getenv func(string) string) Terminal {
	s := Terminal{Width: FullWidth}
	if f, ok := stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s.Colour = getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" && speaksANSI(getenv)
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			s.Width = max(40, min(w, FullWidth))
		}
	}
	if f, ok := stderr.(*os.File); ok {
		s.Live = term.IsTerminal(int(f.Fd())) && getenv("TERM") != "dumb" && speaksANSI(getenv)
	}
	return s
}

// speaksANSI reports whether the terminal understands escape sequences from the start.
// Some consoles of Windows have to be switched first.
func speaksANSI(getenv func(string) string) bool {
	return runtime.GOOS != "windows" || getenv("WT_SESSION") != "" || getenv("TERM") != ""
}

// Style is the ANSI code of a text style.
type Style string

// The styles of text.
const (
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Cyan   Style = "36"
)

// Paint returns text in a style, or unchanged if the terminal shows no colours.
func (s *Terminal) Paint(st Style, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return "\x1b[" + string(st) + "m" + text + "\x1b[0m"
}

// Wrap breaks text into lines as wide as the terminal. See the function Wrap.
func (s *Terminal) Wrap(text string) []string { return Wrap(text, s.Width) }
