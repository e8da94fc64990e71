package storetest

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// sector is the number of bytes a disk writes at once.
const sector = 512

// Crash crashes the machine now and returns the disk that remains. From then on every operation on c and on its open
// files fails. Equal seeds leave equal disks.
func (c *CrashFS) Crash(seed uint64) *CrashFS {
	n := c.Ops()
	c.mu.Lock()
	if c.dead == nil {
		c.dead = errCrashed
	}
	c.mu.Unlock()
	return c.CrashAt(n, seed)
}

// CrashAt returns a disk that a crash after the first n operations could have left; seed chooses one of the possible
// disks. CrashAt does not change what c contains. It is fast if n rises from call to call.
func (c *CrashFS) CrashAt(n int, seed uint64) *CrashFS {
	c.mu.Lock()
	defer c.mu.Unlock()
	n = min(c.setup+n, len(c.log))
	if c.past == nil || c.at > n {
		c.past, c.at = newDisk(), 0
	}
	for ; c.at < n; c.at++ {
		c.past.apply(c.log[c.at])
	}
	return c.past.crash(rand.New(rand.NewPCG(seed, uint64(n)))) //nolint:gosec // a seeded test
}

// crash returns a file system that a crash may leave of d, and does not change d.
func (d *crashDisk) crash(r *rand.Rand) *CrashFS {
	kept := map[int]*inode{}
	for id, n := range d.nodes {
		kept[id] = &inode{id: id, mode: n.mode, kept: cloneKids(n.kept)}
	}
	keep := chooseSurvivors(r, len(d.moves))
	for i, o := range d.moves {
		if keep(i) {
			keepMove(kept, o)
		}
	}
	after := NewCrashFS()
	d.rebuild(r, after, kept, 0, 0)
	after.setup = len(after.log)
	return after
}

// rebuild copies the surviving entries of a directory into after, and syncs them.
func (d *crashDisk) rebuild(r *rand.Rand, after *CrashFS, kept map[int]*inode, from, to int) {
	for _, name := range sortedKeys(kept[from].kept) {
		old := d.nodes[kept[from].kept[name]]
		o := op{Do: "create", Node: after.disk.next, Dir: to, Name: name, Mode: uint32(old.mode.Perm())}
		if old.dir() {
			o.Do = "mkdir"
		}
		_ = after.do(o)
		if old.dir() {
			d.rebuild(r, after, kept, old.id, o.Node)
			continue
		}
		if data := old.afterCrash(r); len(data) > 0 {
			_ = after.do(op{Do: "write", Node: o.Node, Data: data})
		}
		_ = after.do(op{Do: "sync", Node: o.Node})
	}
	_ = after.do(op{Do: "sync", Node: to})
}

func cloneKids(m map[string]int) map[string]int {
	out := make(map[string]int, len(m))
	maps.Copy(out, m) // unlike maps.Clone, never nil
	return out
}

// chooseSurvivors chooses which of n items survive: none, all, the first ones, or any of them.
func chooseSurvivors(r *rand.Rand, n int) func(i int) bool {
	switch r.IntN(4) {
	case 0:
		return func(int) bool { return false }
	case 1:
		return func(int) bool { return true }
	case 2:
		first := r.IntN(n + 1)
		return func(i int) bool { return i < first }
	default:
		return func(int) bool { return r.IntN(2) == 0 }
	}
}

// afterCrash returns the data of a file after a crash.
func (n *inode) afterCrash(r *rand.Rand) []byte {
	data, shared := n.synced, len(n.synced)
	data = data[:shared:shared]
	if len(n.writes) == 0 {
		return data
	}
	way := r.IntN(4)
	first := len(n.writes)
	switch way {
	case 0:
		return data
	case 1: // the first ones, with the last of them torn
		first = r.IntN(first + 1)
	}
	for i, o := range n.writes {
		switch {
		case o.lost && r.IntN(2) == 0:
		case way == 3 && o.Do == "write":
			data, shared = scatterWrite(r, data, shared, o)
		case way == 3 && r.IntN(4) == 0:
		case i == first && o.Do == "write":
			o.Data = o.Data[:r.IntN(len(o.Data)+1)]
			if len(o.Data) > 0 {
				data, shared = applyWrite(data, shared, o)
			}
		case i < first:
			data, shared = applyWrite(data, shared, o)
		}
	}
	return data
}

// scatterWrite writes some sectors of o; the others it loses, tears or garbles.
func scatterWrite(r *rand.Rand, data []byte, shared int, o op) ([]byte, int) {
	size := max(len(data), int(o.Off)+len(o.Data))
	for len(o.Data) > 0 {
		piece := o
		piece.Data = o.Data[:min(len(o.Data), sector-int(o.Off%sector))]
		o.Off, o.Data = o.Off+int64(len(piece.Data)), o.Data[len(piece.Data):]
		switch r.IntN(8) {
		case 0:
			continue
		case 1:
			piece.Data = piece.Data[:r.IntN(len(piece.Data))]
		case 2:
			piece.Data = garble(r, piece.Data)
		}
		if len(piece.Data) > 0 {
			data, shared = applyWrite(data, shared, piece)
		}
	}
	if len(data) < size && r.IntN(2) == 0 { // the new size was written, but not the data
		data, shared = applyWrite(data, shared, op{Do: "truncate", Off: int64(size)})
	}
	return data, shared
}

// garble returns a sector with one bit flipped, or one of noise or zeros.
func garble(r *rand.Rand, b []byte) []byte {
	b = slices.Clone(b)
	switch r.IntN(3) {
	case 0:
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	case 1:
		clear(b)
	default:
		for i := range b {
			b[i] = byte(r.Uint32())
		}
	}
	return b
}

// image is the form of a CrashFS in a Dump.
type image struct {
	Setup int  `json:"setup"`
	Log   []op `json:"log"`
}

// Dump returns the whole history of c as one string, compressed and in base64. The tests of this package make
// an equal CrashFS from it.
func (c *CrashFS) Dump() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_ = json.NewEncoder(z).Encode(image{c.setup, c.log}) // into memory, so it cannot fail
	_ = z.Close()
	return base64.RawURLEncoding.EncodeToString(b.Bytes())
}

// Limits of loadCrashFS in bytes: for the whole dump, and for one file.
const (
	maxDump   = 1 << 28
	maxOffset = 1 << 24
)

// loadCrashFS returns a file system with the history that Dump wrote.
func loadCrashFS(dump string) (*CrashFS, error) {
	b, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(dump))
	if err != nil {
		return nil, fmt.Errorf("load dump: %w", err)
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("load dump: %w", err)
	}
	var i image
	if err := json.NewDecoder(io.LimitReader(z, maxDump)).Decode(&i); err != nil {
		return nil, fmt.Errorf("load dump: %w", err)
	}
	c := NewCrashFS()
	for n, o := range i.Log {
		if err := c.disk.check(o); err != nil {
			return nil, fmt.Errorf("load dump: operation %d: %w", n, err)
		}
		c.log = append(c.log, o)
		c.disk.apply(o)
	}
	c.setup = max(0, min(i.Setup, len(c.log)))
	return c, nil
}

// check returns an error for an op that apply cannot perform.
func (d *crashDisk) check(o op) error {
	is := func(id int, dir bool) bool { n, ok := d.nodes[id]; return ok && n.dir() == dir }
	ok := false
	switch o.Do {
	case "create", "mkdir":
		ok = o.Node == d.next && is(o.Dir, true) && o.Mode <= uint32(fs.ModePerm)
	case "remove":
		ok = is(o.Dir, true)
	case "rename":
		ok = is(o.Dir, true) && is(o.To, true) && d.nodes[o.Node] != nil && o.Node != 0
	case "write":
		ok = is(o.Node, false) && o.Off >= 0 && o.Off < maxOffset && len(o.Data) > 0
	case "truncate":
		ok = is(o.Node, false) && o.Off >= 0 && o.Off < maxOffset
	case "sync", "failsync":
		ok = d.nodes[o.Node] != nil
	}
	if !ok {
		return fmt.Errorf("%s of %d does not fit", o.Do, o.Node)
	}
	return nil
}

// Trace returns the operations on c as lines of text, for people.
func (c *CrashFS) Trace() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := map[int]string{0: "/"}
	var b strings.Builder
	for i, o := range c.log {
		switch o.Do {
		case "create", "mkdir":
			names[o.Node] = path.Join(names[o.Dir], o.Name)
		case "rename":
			fmt.Fprintf(&b, "%5d rename %s %s\n", i-c.setup, names[o.Node], path.Join(names[o.To], o.As))
			names[o.Node] = path.Join(names[o.To], o.As)
			continue
		case "write":
			fmt.Fprintf(&b, "%5d write %s %d bytes at %d\n", i-c.setup, names[o.Node], len(o.Data), o.Off)
			continue
		case "truncate":
			fmt.Fprintf(&b, "%5d truncate %s to %d\n", i-c.setup, names[o.Node], o.Off)
			continue
		}
		fmt.Fprintf(&b, "%5d %s %s\n", i-c.setup, o.Do, names[o.Node])
	}
	return b.String()
}

func baseName(name string) string { return path.Base(filepath.ToSlash(name)) }
