package learned

import (
	"io"

	"github.com/memtree/memtree/appmap"
)

// Map is what was seen of the applications under test.
type Map struct{ *appmap.Map }

// NewMap returns a fold of no walk.
func NewMap() *Map { return &Map{appmap.New()} }

// Name is "map".
func (*Map) Name() string { return "map" }

// Reset forgets all walks.
func (m *Map) Reset() { m.Map = appmap.New() }

// Load reads what Save wrote.
func (m *Map) Load(r io.Reader) error {
	made, err := appmap.Load(r)
	if err != nil {
		m.Reset()
		return err
	}
	m.Map = made
	return nil
}
