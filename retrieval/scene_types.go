package retrieval

// typeColumn has the scene types of a segment's slots in one byte each.
type typeColumn struct {
	marks []uint32 // the different ones, at most otherType
	slots []uint8  // for each slot the index of its mark, or otherType if marks has no room for it
}

const otherType = 255

// markTypes flags the slots of the scene types that are evidence for the query.
func (s *search) markTypes() error {
	if len(s.types) == 0 {
		return nil
	}
	for i := range s.st.parts {
		p := &s.st.parts[i]
		types, err := p.types()
		if err != nil {
			return err
		}
		flag := s.flag[p.base : p.base+p.n]
		for j, m := range types.marks {
			if f := uint8(2*s.types[m]) * likeType; f != 0 {
				orWhere(types.slots, uint8(j), f, flag) //nolint:gosec // below otherType
			}
		}
		if len(types.marks) == otherType {
			orWhere(types.slots, otherType, likeType|sameType, flag)
		}
	}
	return nil
}

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
