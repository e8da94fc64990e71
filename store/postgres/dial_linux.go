package postgres

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// endUnanswered lets a connection end when what was sent is not acknowledged in time; the system's own time is a
// quarter of an hour. See tcp(7), TCP_USER_TIMEOUT.
func endUnanswered(network, _ string, c syscall.RawConn) (err error) {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	if problem := c.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(gone.Milliseconds()))
	}); problem != nil {
		return problem
	}
	return err
}
