// Package seldom decides when a failure that goes on is logged.
package seldom

import "time"

// The first time between two lines of the log about the same failure, and the longest.
const (
	first   = time.Minute
	longest = time.Hour
)

// Failure is a failure that may go on: it is logged at once, and then after times that double, from a minute to an
// hour. One that was not there for that time is new, and so is the zero value. It is not safe for concurrent use.
type Failure struct {
	next time.Time
	rest time.Duration
}

// Due reports whether the failure, which is still there now, is to be logged.
func (f *Failure) Due(now time.Time) bool {
	if now.Before(f.next) {
		return false
	}
	if now.Sub(f.next) > f.rest { // it was not there meanwhile, and is new
		f.rest = 0
	}
	f.rest = min(max(first, 2*f.rest), longest)
	f.next = now.Add(f.rest)
	return true
}
