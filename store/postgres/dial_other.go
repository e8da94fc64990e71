//go:build !linux

package postgres

import "syscall"

// endUnanswered has nothing to set: connections here end by their keepalive alone.
func endUnanswered(_, _ string, _ syscall.RawConn) error { return nil }
