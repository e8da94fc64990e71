package access

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
)

// The names in a store's folder.
const (
	folderName = "holder"
	socketName = "socket"
)

// mostPath is the longest path of a socket: the smallest limit of any system is 104 bytes including the terminator.
const mostPath = 100

// folderOf returns the folder of a store's socket, with symbolic links resolved, so that all names of a store have the
// same folder.
func folderOf(store string) (string, error) {
	dir, err := filepath.Abs(store)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fmt.Errorf("find the store: %w", err)
	}
	return filepath.Join(dir, folderName), nil
}

// checkFolder returns errUntrusted if other users may have written to a folder.
func checkFolder(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir(), !ours(info):
		return fmt.Errorf("%s: %w", dir, errUntrusted)
	}
	return nil
}

// at calls do with a path of the socket in a folder. If the path is too long for a socket, it uses a temporary symbolic
// link with a short path.
func at[T any](dir string, do func(*net.UnixAddr) (T, error)) (c T, err error) {
	if len(filepath.Join(dir, socketName)) > mostPath {
		short, err := os.MkdirTemp("", "memtree-")
		if err != nil {
			return c, err
		}
		defer os.RemoveAll(short) //nolint:errcheck // a link
		link := filepath.Join(short, "to")
		if err := os.Symlink(dir, link); err != nil {
			return c, err
		}
		dir = link
	}
	return do(&net.UnixAddr{Name: filepath.Join(dir, socketName), Net: "unix"})
}

// dial connects to the socket of a store. It fails with errNobody or errUntrusted.
func dial(store string) (*net.UnixConn, error) {
	dir, err := folderOf(store)
	if err == nil {
		err = checkFolder(dir)
	}
	if errors.Is(err, errUntrusted) {
		return nil, err
	}
	if err != nil {
		return nil, errNobody
	}
	c, err := at(dir, func(to *net.UnixAddr) (*net.UnixConn, error) { return net.DialUnix("unix", nil, to) })
	if err != nil {
		return nil, errNobody // a killed process leaves its socket behind
	}
	return c, nil
}

// socketPlace is a socket of this process.
type socketPlace struct {
	l   *net.UnixListener
	dir string
}

// makeSocket creates the socket of a store that this process holds. It removes the socket of an earlier process.
func makeSocket(store string) (*socketPlace, error) {
	dir, err := folderOf(store)
	if err == nil {
		err = makeFolder(dir)
	}
	if err != nil {
		return nil, err
	}
	if err := os.Remove(filepath.Join(dir, socketName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	l, err := at(dir, func(here *net.UnixAddr) (*net.UnixListener, error) { return net.ListenUnix("unix", here) })
	if err != nil {
		return nil, fmt.Errorf("listen for other processes: %w", err)
	}
	return &socketPlace{l, dir}, nil
}

// makeFolder creates a folder that only this user can enter, or makes sure that an existing one is such.
func makeFolder(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, err := os.Lstat(dir); err == nil && info.IsDir() {
		_ = os.Chmod(dir, 0o700) //nolint:gosec // a folder; that it worked is checked below
	}
	return checkFolder(dir)
}

// remove closes the socket and removes its folder.
func (p *socketPlace) remove() error { return errors.Join(p.l.Close(), os.RemoveAll(p.dir)) }
