package storetest

import (
	"io/fs"
	"maps"
	"slices"
)

// op is one change of the disk. It refers to inodes by number, 0 for the root, so a list of ops gives the same disk
// whenever it is replayed.
type op struct {
	Do   string `json:"do"`             // create, mkdir, remove, rename, write, truncate, sync, failsync
	Node int    `json:"node,omitempty"` // the inode
	Dir  int    `json:"dir,omitempty"`  // the directory of the entry
	Name string `json:"name,omitempty"` // of the entry
	To   int    `json:"to,omitempty"`   // rename: the other directory
	As   string `json:"as,omitempty"`   // rename: the other name
	Off  int64  `json:"off,omitempty"`  // write: where; truncate: the size
	Data []byte `json:"data,omitempty"` // write: what; never changed
	Mode uint32 `json:"mode,omitempty"`

	lost bool // a sync of this op failed, so no later sync will write it
}

// inode is a file or a directory, both as processes see it and as it is on the disk.
type inode struct {
	id      int
	mode    fs.FileMode
	changed int // number of the op that changed it last, used as its time

	data      []byte // what processes see
	shared    int    // others may hold the first shared bytes of data: copy them before writing
	synced    []byte // what survives any crash; never changed
	writes    []op   // writes and truncates since the last sync
	divergent bool   // after a failed sync, synced and data differ permanently

	kids map[string]int // entries as processes see them
	kept map[string]int // entries that survive any crash
}

func (n *inode) dir() bool { return n.mode.IsDir() }

// crashDisk is the state of an operating system's file system together with its disk.
type crashDisk struct {
	nodes map[int]*inode
	next  int
	moves []op // changes of entries that are not synced yet, in order
	clock int
}

func newDisk() *crashDisk {
	d := &crashDisk{nodes: map[int]*inode{}, next: 1}
	d.nodes[0] = &inode{mode: fs.ModeDir | 0o755, kids: map[string]int{}, kept: map[string]int{}}
	return d
}

// apply performs o. It does not check o; see check.
func (d *crashDisk) apply(o op) {
	d.clock++
	switch o.Do {
	case "create", "mkdir":
		n := &inode{id: o.Node, mode: fs.FileMode(o.Mode)}
		if o.Do == "mkdir" {
			n.mode |= fs.ModeDir
			n.kids, n.kept = map[string]int{}, map[string]int{}
		}
		d.nodes[o.Node], d.next = n, max(d.next, o.Node+1)
		n.changed = d.clock
		d.nodes[o.Dir].kids[o.Name] = o.Node
		d.move(o)
	case "remove":
		delete(d.nodes[o.Dir].kids, o.Name)
		d.move(o)
	case "rename":
		delete(d.nodes[o.Dir].kids, o.Name)
		d.nodes[o.To].kids[o.As] = o.Node
		d.nodes[o.To].changed = d.clock
		d.move(o)
	case "write", "truncate":
		n := d.nodes[o.Node]
		n.data, n.shared = applyWrite(n.data, n.shared, o)
		n.writes = append(n.writes, o)
		n.changed = d.clock
	case "sync":
		d.sync(d.nodes[o.Node])
	case "failsync":
		d.failSync(d.nodes[o.Node])
	}
}

// move records a change of an entry as not synced.
func (d *crashDisk) move(o op) {
	d.moves = append(d.moves, o)
	d.nodes[o.Dir].changed = d.clock
}

// applyWrite performs a write or a truncate on data, whose first shared bytes others may hold.
// It returns the new data, and how many of its bytes others may hold.
func applyWrite(data []byte, shared int, o op) ([]byte, int) {
	if o.Do == "truncate" {
		if size := int(o.Off); size <= len(data) {
			// A later write must not change the bytes cut off, since others may hold them.
			return data[:size:size], min(shared, size)
		}
		return append(data, make([]byte, int(o.Off)-len(data))...), shared
	}
	at, end := int(o.Off), int(o.Off)+len(o.Data)
	if at == 0 && len(data) == 0 {
		return o.Data[:end:end], end
	}
	if at < shared {
		data, shared = slices.Clone(data), 0
	}
	if gap := at - len(data); gap > 0 {
		data = append(data, make([]byte, gap)...)
	}
	keep := min(end, len(data)) - at
	copy(data[at:], o.Data[:keep])
	return append(data, o.Data[keep:]...), shared
}

// sync makes the data of a file, or the entries of a directory, durable.
func (d *crashDisk) sync(n *inode) {
	if n.dir() {
		d.syncDir(n.id)
		return
	}
	if !n.divergent {
		n.synced = slices.Clip(n.data)
		n.shared = len(n.data)
		n.writes = nil
		return
	}
	shared := len(n.synced)
	for _, o := range n.writes {
		if !o.lost {
			n.synced, shared = applyWrite(n.synced, shared, o)
		}
	}
	n.synced = slices.Clone(n.synced)
	n.writes = nil
}

// syncDir makes the moves of a directory durable. If they involve other directories, the earlier moves of those become
// durable too, because a renamed file has to exist first.
func (d *crashDisk) syncDir(dir int) {
	touched := map[int]bool{dir: true}
	apply := make([]bool, len(d.moves))
	for i, o := range slices.Backward(d.moves) {
		if touched[o.Dir] || (o.Do == "rename" && touched[o.To]) {
			apply[i] = true
			touched[o.Dir] = true
			if o.Do == "rename" {
				touched[o.To] = true
			}
		}
	}
	var rest []op
	for i, o := range d.moves {
		switch {
		case !apply[i]:
			rest = append(rest, o)
		case !o.lost:
			keepMove(d.nodes, o)
		}
	}
	d.moves = rest
}

// keepMove performs a move on the durable entries.
func keepMove(nodes map[int]*inode, o op) {
	switch o.Do {
	case "create", "mkdir":
		nodes[o.Dir].kept[o.Name] = o.Node
	case "remove":
		delete(nodes[o.Dir].kept, o.Name)
	case "rename":
		for _, n := range nodes { // the disk may have it elsewhere, if an earlier move was lost
			maps.DeleteFunc(n.kept, func(_ string, id int) bool { return id == o.Node })
		}
		nodes[o.To].kept[o.As] = o.Node
	}
}

// failSync is a failed sync. The kernel then marks the pages clean, so a later sync succeeds without writing them, and
// a crash may keep them or not.
func (d *crashDisk) failSync(n *inode) {
	if n.dir() {
		for i, o := range d.moves {
			if o.Dir == n.id || (o.Do == "rename" && o.To == n.id) {
				d.moves[i].lost = true
			}
		}
		return
	}
	for i := range n.writes {
		n.writes[i].lost = true
		n.divergent = true
	}
}
