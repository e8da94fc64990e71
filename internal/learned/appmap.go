package learned

import (
	"io"

	"github.com/memtree/memtree/appmap"
)

// MapFold keeps the map of the applications under test (package appmap) up to date with the ledger.
type MapFold struct {
	*appmap.Map
	names *appmap.Names
}

// NewMap returns an empty map. names are other names of its elements, by which its searches find them too.
func NewMap(names *appmap.Names) *MapFold {
	m := &MapFold{names: names}
	m.Reset()
	return m
}

// Name returns "map".
func (*MapFold) Name() string { return "map" }

// Reset empties the map, but keeps the names given to NewMap.
func (m *MapFold) Reset() {
	m.Map = appmap.New()
	m.Map.Name(m.names)
}

// Load replaces the map by one that Save wrote. After an error the map is empty.
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
