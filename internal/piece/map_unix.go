//go:build unix

package piece

import (
	"os"
	"syscall"
)

// mapFile maps the first size bytes of f for reading, and returns what ends that.
func mapFile(f *os.File, size int64) (b []byte, unmap func([]byte), err error) {
	c, err := f.SyscallConn()
	if err != nil {
		return nil, nil, err
	}
	if problem := c.Control(func(fd uintptr) {
		b, err = syscall.Mmap(int(fd), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	}); problem != nil {
		return nil, nil, problem
	}
	return b, func(b []byte) { _ = syscall.Munmap(b) }, err
}
