package input

import (
	"fmt"
	"time"

	"github.com/memtree/memtree/internal/cli/say"
)

// Reject is a line of an input file that cannot be used, and why.
type Reject struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Field string `json:"field"`
	Error string `json:"error"`
}

// RejectLine returns r as one line for people: file, line number and reason.
func (f *Files) RejectLine(r Reject) string {
	why := f.Mistake(r.Error)
	if r.Line == 0 && r.Field == "" {
		return r.File + " " + why // the file as a whole was rejected
	}
	where := r.File
	if r.Line > 0 {
		where = fmt.Sprintf("%s:%d", r.File, r.Line)
	}
	return where + ": " + say.Join(r.Field, why)
}

// Reject counts x, and prints it if it is one of the first ShownRejects.
func (in *RunFiles) Reject(x Reject) {
	in.Rejects++
	if len(in.Rejected) < keptRejects {
		in.Rejected = append(in.Rejected, x)
	}
	if !in.JSON && in.Rejects <= ShownRejects {
		in.Bar.End()
		in.Complain(in.RejectLine(x))
	}
}

// Hidden prints how many rejected lines were counted but not printed, and how many runs have a date in the future.
func (in *RunFiles) Hidden() {
	if in.Ahead > 0 && !in.JSON {
		in.Note(in.Say("Runs dated in the future: %d, the last of %s. Their order is by that date; check the clock of the "+
			"machine that they ran on.", in.Ahead, in.last.UTC().Format(time.DateOnly)))
	}
	if n := in.Rejects - ShownRejects; n > 0 && !in.JSON {
		in.Complain(in.Say("and %d more lines that cannot be used (--json lists them)", n))
	}
}

// Err returns nil if no line or file was rejected. Else it returns say.ErrRejected if something else was taken, so that
// a script can go on with that, and say.ErrPrinted if nothing was.
func (in *RunFiles) Err(taken bool) error {
	switch {
	case in.Rejects == 0:
		return nil
	case taken:
		return say.ErrRejected
	}
	return say.ErrPrinted
}
