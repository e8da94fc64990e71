//go:build unix

package holder

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether a file is this user's, and no one else may do anything with it.
func ours(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}

// fileID returns what tells a file from every other one of this machine.
func fileID(info fs.FileInfo) [2]uint64 {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return [2]uint64{}
	}
	return [2]uint64{uint64(s.Dev), s.Ino} //nolint:gosec,unconvert // its type differs between systems
}
