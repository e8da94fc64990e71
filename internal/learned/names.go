package learned

import (
	"io"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/store"
)

// NameBox holds other names for the elements of the map, besides their accessible names. A model wrote them.
type NameBox struct{ *appmap.Names }

// NewNames returns a NameBox without names.
func NewNames() *NameBox { return &NameBox{&appmap.Names{}} }

// Name returns "names".
func (*NameBox) Name() string { return "names" }

// Purge drops all names, since they may repeat purged text. A model can write them again.
func (n *NameBox) Purge(*store.Purge) { n.Forget() }

// Load replaces the names by those that Save wrote. After an error the names are as before.
func (n *NameBox) Load(r io.Reader) error {
	made, err := appmap.LoadNames(r)
	if err == nil {
		n.Replace(made)
	}
	return err
}
