package storetest

import (
	"io/fs"
	"maps"
	"slices"
)

// op is one change of the disk. Inodes are numbers, the root is 0; so a list of
// ops means the same whoever replays it.
type op struct {
	Do   string `json:"do"`             // create, mkdir, remove, rename, write, truncate, sync, failsync
	Node int    `json:"node,omitempty"` // what it is done to
	Dir  int    `json:"dir,omitempty"`  // the directory of the entry
	Name string `json:"name,omitempty"` // of the entry
	To   int    `json:"to,omitempty"`   // rename: the other directory
	As   string `json:"as,omitempty"`   // rename: the other name
	Off  int64  `json:"off,omitempty"`  // write: where; truncate: the size
	Data []byte `json:"data,omitempty"` // write: what; nobody may change it
	Mode uint32 `json:"mode,omitempty"`

	lost bool // a sync of it failed: no later sync will write it
}

// inode is a file or a directory, as processes see it and as it is on the disk.
type inode struct {
	id      int
	mode    fs.FileMode
	changed int // the number of the op that changed it last: its clock

	data   []byte // what processes see
	shared int    // data below this may be seen by others and is copied before it is written
	synced []byte // what a crash cannot take; nobody changes it
	writes []op   // writes and truncates since
	strays bool   // a failed sync has made synced and data differ for good

	kids map[string]int // entries as processes see them
	kept map[string]int // entries a crash cannot take
}

func (n *inode) dir() bool { return n.mode.IsDir() }

// disk is what an operating system and its disk hold together.
type disk struct {
	nodes map[int]*inode
	next  int
	moves []op // of entries, not synced, in order
	clock int
}

func newDisk() *disk {
	d := &disk{nodes: map[int]*inode{}, next: 1}
	d.nodes[0] = &inode{mode: fs.ModeDir | 0o755, kids: map[string]int{}, kept: map[string]int{}}
	return d
}

func (d *disk) apply(o op) {
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
		n.data, n.shared = edit(n.data, n.shared, o)
		n.writes = append(n.writes, o)
		n.changed = d.clock
	case "sync":
		d.sync(d.nodes[o.Node])
	case "failsync":
		d.failSync(d.nodes[o.Node])
	}
}

func (d *disk) move(o op) {
	d.moves = append(d.moves, o)
	d.nodes[o.Dir].changed = d.clock
}

// edit does a write or a truncate to data, whose first shared bytes belong to
// others too, and returns both anew.
func edit(data []byte, shared int, o op) ([]byte, int) {
	if o.Do == "truncate" {
		if size := int(o.Off); size <= len(data) {
			// what is cut off may come back as zeros, so it is not ours to overwrite
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

func (d *disk) sync(n *inode) {
	if n.dir() {
		d.syncDir(n.id)
		return
	}
	if !n.strays {
		n.synced = slices.Clip(n.data)
		n.shared = len(n.data)
		n.writes = nil
		return
	}
	shared := len(n.synced)
	for _, o := range n.writes {
		if !o.lost {
			n.synced, shared = edit(n.synced, shared, o)
		}
	}
	n.synced = slices.Clone(n.synced)
	n.writes = nil
}

// syncDir keeps the moves of a directory, and the earlier ones of every
// directory those also touch: what was renamed was there first.
func (d *disk) syncDir(dir int) {
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

// keepMove makes a move of an entry durable.
func keepMove(nodes map[int]*inode, o op) {
	switch o.Do {
	case "create", "mkdir":
		nodes[o.Dir].kept[o.Name] = o.Node
	case "remove":
		delete(nodes[o.Dir].kept, o.Name)
	case "rename":
		for _, n := range nodes { // wherever the disk had it, should an earlier move be forgotten
			maps.DeleteFunc(n.kept, func(_ string, id int) bool { return id == o.Node })
		}
		nodes[o.To].kept[o.As] = o.Node
	}
}

// failSync is a sync that failed: the kernel takes the pages for clean, so a
// later sync succeeds without writing them, and a crash may have them or not.
func (d *disk) failSync(n *inode) {
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
		n.strays = true
	}
}
