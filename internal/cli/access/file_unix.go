//go:build unix

package access

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether a file belongs to this user and is inaccessible to others.
func ours(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}

// fileID returns the identity of a file on this machine: device and inode.
func fileID(info fs.FileInfo) [2]uint64 {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return [2]uint64{}
	}
	return [2]uint64{uint64(s.Dev), s.Ino} //nolint:gosec,unconvert // its type differs between systems
}
