package main

import (
	"errors"

	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/taxonomy"
)

// The exit codes.
const (
	exitOK       = 0
	exitFailed   = 1
	exitUsage    = 2
	exitRejected = 3
)

// exit prints the error, if any, and returns the exit code. This is the only place that turns errors into sentences
// and exit codes.
func (a *app) exit(err error) int {
	var usage *say.UsageError
	var ran *access.RanElsewhere
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &ran):
		return ran.Code
	case errors.Is(err, say.ErrRejected):
		return exitRejected
	case errors.Is(err, say.ErrPrinted):
		return exitFailed
	case errors.As(err, &usage), !a.started:
		a.Complain(err.Error())
		return exitUsage
	}
	if problems := taxonomy.Problems(err); len(problems) > 0 { // each on its own line, for the person who corrects them
		for _, p := range problems {
			a.Complain(p.Error())
		}
		return exitFailed
	}
	a.Complain(a.Sentence(err))
	return exitFailed
}
