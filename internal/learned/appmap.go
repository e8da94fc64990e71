package learned

import (
	"io"

	"github.com/memtree/memtree/appmap"
)

// MapFold is what was seen of the applications under test.
type MapFold struct {
	*appmap.Map
	names *appmap.Names
}

// NewMap returns a fold of no walk, which finds elements by other names too.
func NewMap(names *appmap.Names) *MapFold {
	m := &MapFold{names: names}
	m.Reset()
	return m
}

// Name is "map".
func (*MapFold) Name() string { return "map" }

// Reset forgets all walks.
func (m *MapFold) Reset() {
	m.Map = appmap.New()
	m.Map.Name(m.names)
}

// Load reads what Save wrote.
func (m *MapFold) Load(r io.Reader) error {
	made, err := appmap.Load(r)
	if err != nil {
		m.Reset()
		return err
	}
	m.Map = made
	m.Map.Name(m.names)
	return nil
}
