package retrieval

import "sync"

// typeColumn has the scene types of a segment's slots in one byte each.
type typeColumn struct {
	marks []uint32 // the different ones, at most otherType
	slots []uint8  // for each slot the index of its mark, or otherType if marks has no room for it

	once sync.Once
	of   [otherType + 1][]uint32 // the slots of each index, ascending; see lists
}

// lists returns the slots of each type. It computes them once.
func (c *typeColumn) lists() *[otherType + 1][]uint32 {
	c.once.Do(func() {
		for slot, i := range c.slots {
			c.of[i] = append(c.of[i], uint32(slot)) //nolint:gosec // below maxSlots
		}
	})
	return &c.of
}

const otherType = 255

// types returns the scene types of all slots. It computes them from the heads once.
func (s *segment) types() (*typeColumn, error) {
	if c := s.kinds.Load(); c != nil {
		return c, nil
	}
	heads, err := s.heads()
	if err != nil {
		return nil, err
	}
	c := &typeColumn{slots: make([]uint8, s.n)}
	at := map[uint32]uint8{}
	type place struct {
		mark uint32
		at   uint8
		ok   bool
	}
	var last [256]place // by the low byte of a mark, which is a hash: the mark that came last
	for slot := range s.n {
		m := readHead(heads[slot*headSize:]).scene
		if l := &last[byte(m)]; l.ok && l.mark == m {
			c.slots[slot] = l.at
			continue
		}
		i, ok := at[m]
		if !ok && len(c.marks) == otherType {
			i = otherType
		} else if !ok {
			i = uint8(len(c.marks))
			at[m], c.marks = i, append(c.marks, m)
		}
		c.slots[slot] = i
		last[byte(m)] = place{m, i, true}
	}
	s.kinds.Store(c)
	return c, nil
}
