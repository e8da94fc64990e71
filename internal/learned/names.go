package learned

import (
	"io"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/store"
)

// Names is what people call the elements of the map, as a reader wrote it.
type Names struct{ *appmap.Names }

// NewNames returns no names.
func NewNames() *Names { return &Names{&appmap.Names{}} }

// Name is "names".
func (*Names) Name() string { return "names" }

// Purge drops all names, since they may repeat purged text. They can be read again.
func (n *Names) Purge(*store.Purge) { n.Forget() }

// Load reads what Save wrote.
func (n *Names) Load(r io.Reader) error {
	made, err := appmap.LoadNames(r)
	if err == nil {
		n.Replace(made)
	}
	return err
}
