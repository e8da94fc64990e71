package learned

import (
	"io"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/store"
)

// NameBox is what people call the elements of the map, as a reader wrote it.
type NameBox struct{ *appmap.Names }

// NewNames returns no names.
func NewNames() *NameBox { return &NameBox{&appmap.Names{}} }

// Name is "names".
func (*NameBox) Name() string { return "names" }

// Purge drops all names, since they may repeat purged text. They can be read again.
func (n *NameBox) Purge(*store.Purge) { n.Forget() }

// Load reads what Save wrote.
func (n *NameBox) Load(r io.Reader) error {
	made, err := appmap.LoadNames(r)
	if err == nil {
		n.Replace(made)
	}
	return err
}
