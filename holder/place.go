package holder

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/memtree/memtree/internal/whole"
)

// The names in a store's folder. The address is there only if the socket is elsewhere.
const (
	folderName  = "holder"
	socketName  = "socket"
	addressName = "address"
)

// mostPath is how long the path of a socket may be: 104 bytes with its end on the systems that allow least.
const mostPath = 100

// realDir returns the one path of a store's folder, whatever name it was given by, so that both
// processes come to the same.
func realDir(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fmt.Errorf("find the store: %w", err)
	}
	return dir, nil
}

// checkFolder returns ErrUntrusted if somebody else may have put what is in a folder.
func checkFolder(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir(), !ours(info):
		return fmt.Errorf("%s: %w", dir, ErrUntrusted)
	}
	return nil
}

// findSocket returns the path of the socket of a store, or ErrNobody or ErrUntrusted.
func findSocket(dir string) (string, error) {
	dir, err := realDir(dir)
	if err != nil {
		return "", ErrNobody
	}
	dir = filepath.Join(dir, folderName)
	if err := checkFolder(dir); errors.Is(err, ErrUntrusted) {
		return "", err
	} else if err != nil {
		return "", ErrNobody
	}
	b, err := readSmall(filepath.Join(dir, addressName))
	if errors.Is(err, fs.ErrNotExist) {
		return filepath.Join(dir, socketName), nil
	}
	path := strings.TrimSpace(string(b))
	if err != nil || len(path) > mostPath || !filepath.IsAbs(path) {
		return "", ErrNobody // it was not written by makeSocket
	}
	if err := checkFolder(filepath.Dir(path)); errors.Is(err, ErrUntrusted) {
		return "", err
	} else if err != nil {
		return "", ErrNobody
	}
	return path, nil
}

// readSmall reads a file of at most 4 KiB.
func readSmall(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > 4<<10 {
		return nil, fmt.Errorf("%s is no address", name)
	}
	return os.ReadFile(name) //nolint:gosec // in the store's folder
}

// place is a socket that this process made.
type place struct {
	l     *net.UnixListener
	extra string // a folder besides that of the store, "" if there is none
	dir   string // in the store
}

// makeSocket makes the socket of a store that this process holds. What an earlier process left there goes.
// If the path is too long for a socket, or the file system takes none, it is in a folder for temporary files.
func makeSocket(dir string) (*place, error) {
	dir, err := realDir(dir)
	if err != nil {
		return nil, err
	}
	p := &place{dir: filepath.Join(dir, folderName)}
	if err := makeFolder(p.dir); err != nil {
		return nil, err
	}
	for _, name := range []string{addressName, socketName} {
		if err := os.Remove(filepath.Join(p.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	path := filepath.Join(p.dir, socketName)
	if len(path) <= mostPath {
		if p.l, err = listenAt(path); err == nil {
			return p, nil
		}
	}
	if p.extra, err = os.MkdirTemp("", "memtree-"); err != nil {
		return nil, err
	}
	path = filepath.Join(p.extra, socketName)
	if p.l, err = listenAt(path); err == nil {
		err = writeAddress(p.dir, path)
	}
	if err != nil {
		return nil, errors.Join(err, p.remove())
	}
	return p, nil
}

func listenAt(path string) (*net.UnixListener, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen for other processes: %w", err)
	}
	return l, nil
}

// makeFolder makes a folder that nobody else may enter, or sees to it that one is such.
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

// writeAddress writes where the socket is, at once or not at all.
func writeAddress(dir, path string) error {
	return whole.Bytes(filepath.Join(dir, addressName), 0o600, []byte(path+"\n"))
}

// remove removes the socket and what is around it.
func (p *place) remove() error {
	var err error
	if p.l != nil {
		err = p.l.Close() // which removes the socket
	}
	if p.extra != "" {
		err = errors.Join(err, os.RemoveAll(p.extra))
	}
	if gone := os.RemoveAll(p.dir); err == nil || errors.Is(err, net.ErrClosed) {
		err = gone
	}
	return err
}
